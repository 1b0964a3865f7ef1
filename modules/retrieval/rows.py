"""A chunk as a row of the index, with every document it stands in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from modules.retrieval.database import Row
from modules.retrieval.types import Chunk

if TYPE_CHECKING:
    from pyarrow import Schema

Place = dict[str, Any]
"""Where a chunk stands: an Origin's fields, and ``section``, ``position``, ``document``."""

_FLAT = ("source", "title", "topic", "date", "url", "lang", "kind", "section", "document")
PLAIN = ["id", "text", *_FLAT, "domain", "position", "sources"]
"""The columns without vectors."""

WORDS = "words"
"""The column that full text searches: titles and headings above the text."""

LAYOUT = "2"
"""Raised when the columns change or come to mean something else."""


def schema(embedder: str, dimension: int) -> Schema:
    """The table's columns; it remembers which embedder its vectors come from."""
    import pyarrow as pa

    names = ("id", "text", WORDS, *_FLAT, "domain", "origins")
    fields = [pa.field(name, pa.string()) for name in names]
    fields += [
        pa.field("position", pa.int32()),
        pa.field("sources", pa.list_(pa.string())),
        pa.field("vector", pa.list_(pa.float32(), dimension)),
    ]
    made = {"layout": LAYOUT, "embedder": embedder, "dimension": str(dimension)}
    return pa.schema(fields, metadata=made)


def place(chunk: Chunk) -> Place:
    """The chunk's place in its document."""
    where = {"section": chunk.section, "position": chunk.position, "document": chunk.document}
    return {**chunk.origin.plain(), **where}


def places(row: Row) -> list[Place]:
    """Where the row's chunk stands, oldest first."""
    found: list[Place] = json.loads(row["origins"])
    return found


def joined(old: Sequence[Place], new: Sequence[Place]) -> list[Place]:
    """``old`` with ``new``: a source counts once, as it was last seen, in its old position."""
    by_source = {where["source"]: where for where in old}
    by_source.update({where["source"]: where for where in new})
    return list(by_source.values())


def row(id: str, text: str, vector: Any, where: Sequence[Place]) -> Row:
    """The row of a chunk; its own columns describe the first of its places."""
    first = where[0]
    return {
        "id": id,
        "text": text,
        WORDS: "\n".join([*_headings(where), text]),
        **{name: first[name] for name in _FLAT},
        "domain": (urlsplit(first["url"]).hostname or "").removeprefix("www."),
        "origins": json.dumps(where, ensure_ascii=False),
        "position": first["position"],
        "sources": [spot["source"] for spot in where],
        "vector": vector,
    }


def _headings(where: Sequence[Place]) -> list[str]:
    """Titles and headings over the chunk, in an order that does not depend on who came first."""
    return sorted({spot[name] for spot in where for name in ("title", "section")} - {""})
