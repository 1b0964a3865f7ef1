"""The two rankings over the index, and their fusion. Equal scores are ordered by chunk id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from modules.retrieval.database import among, any_of, every, find, quoted
from modules.retrieval.embed import Vectors
from signatures.errors import InputError
from signatures.types import Passage

if TYPE_CHECKING:
    from lancedb.table import Table

Mode = Literal["hybrid", "dense", "fulltext"]
Filters = Mapping[str, str | Sequence[str]]
"""``source``, ``topic``, ``domain``, ``kind``, ``lang``: a value or several; ``date_from``,
``date_to``: ISO dates, both included."""

_LISTED = ("source", "topic", "domain", "kind", "lang")
_COLUMNS = ["id", "text", "source", "title", "vector"]
_THREADS = 4
_DIGITS = 6  # beyond these, scores depend on how a batch was padded


class Hit(NamedTuple):
    """A chunk in a ranking; ``score`` is the cosine, BM25 or fused, higher is better."""

    id: str
    score: float


def condition(filters: Filters | None) -> str | None:
    """The filters as LanceDB's SQL, or None where there is none.

    Raises:
        InputError: A filter has an unknown name.
    """
    parts: dict[str, str] = {}
    for name, value in (filters or {}).items():
        values = [value] if isinstance(value, str) else [str(item) for item in value]
        if name == "source":
            parts[name] = any_of("sources", values)
        elif name in _LISTED:
            parts[name] = among(name, values)
        elif name in ("date_from", "date_to") and len(values) == 1:
            parts[name] = _dated(name, values[0])
        else:
            known = ", ".join((*_LISTED, "date_from", "date_to"))
            raise InputError("a search filter cannot be used", expected=known, got=name)
    return every(parts)


def _dated(name: str, day: str) -> str:
    """A shortened date counts as its whole period: up to ``2024`` includes its December."""
    if name == "date_from":
        return f"date >= {quoted(day)}"
    return f"date != '' AND date <= {quoted(day + '~')}"  # "~" sorts behind digits and "-"


def dense(table: Table, vectors: Vectors, depth: int, where: str | None) -> list[list[Hit]]:
    """By cosine: ``(n, dimension)`` unit vectors -> ``n`` rankings of at most ``depth``."""
    # A batch brings a column that says whose neighbour a row is; a lone vector does not.
    queries: Any = vectors[0] if len(vectors) == 1 else list(vectors)
    search: Any = table.search(queries, vector_column_name="vector").distance_type("cosine")
    columns = ["id", "_distance"] if len(vectors) == 1 else ["id", "_distance", "query_index"]
    found = _limited(search, columns, depth, where)
    owners = found.get("query_index", [0] * len(found["id"]))
    rankings: list[list[Hit]] = [[] for _ in vectors]
    for key, distance, owner in zip(found["id"], found["_distance"], owners, strict=True):
        rankings[owner].append(Hit(key, 1 - distance))
    return [_ordered(ranking) for ranking in rankings]


def fulltext(
    table: Table, queries: Sequence[str], depth: int, where: str | None
) -> list[list[Hit]]:
    """By BM25: ``(n,)`` queries -> ``n`` rankings of at most ``depth``."""

    def one(text: str) -> list[Hit]:
        search = table.search(text, query_type="fts", fts_columns="text")
        found = _limited(search, ["id", "_score"], depth, where)
        return _ordered([Hit(*hit) for hit in zip(found["id"], found["_score"], strict=True)])

    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(one, queries))


def fuse(rankings: Sequence[Sequence[Hit]], constant: int = 60) -> list[Hit]:
    """Reciprocal rank fusion: the score of a chunk is the sum of 1 / (constant + rank)."""
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.id] += 1 / (constant + rank)
    return _ordered([Hit(key, score) for key, score in scores.items()])


def passages(
    table: Table, rankings: Sequence[Sequence[Hit]], vectors: Vectors
) -> list[list[Passage]]:
    """The chunks of each ranking with their cosine to its query's vector."""
    wanted = sorted({hit.id for ranking in rankings for hit in ranking})
    rows = {row["id"]: row for row in find(table, among("id", wanted), _COLUMNS)}
    held = {key: np.asarray(row.pop("vector"), dtype=np.float32) for key, row in rows.items()}
    return [
        [
            Passage(**rows[hit.id], similarity=_cosine(held[hit.id], vector))
            for hit in ranking
            if hit.id in rows  # else deleted by a writer since it was ranked
        ]
        for ranking, vector in zip(rankings, vectors, strict=True)
    ]


def _cosine(one: Vectors, other: Vectors) -> float:
    return round(float(np.clip(one @ other, -1.0, 1.0)), _DIGITS)


def _limited(search: Any, columns: list[str], depth: int, where: str | None) -> dict[str, Any]:
    search = search.select(columns).limit(depth)
    if where:
        search = search.where(where, prefilter=True)
    found: dict[str, Any] = search.to_arrow().to_pydict()
    return found


def _ordered(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-round(hit.score, _DIGITS), hit.id))
