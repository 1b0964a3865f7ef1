"""Chunks projected beforehand for perspectives that are known (S3, section 3.1, PAP+).

A table of its own beside the chunks: a column of vectors for each perspective. It belongs to what
the index held when it was written; once the index has changed it is passed over, until
``moot ingest ... perspectives=[...]`` writes it again.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from modules.retrieval import upkeep
from modules.retrieval.embed import Vectors, as_queries, unit
from modules.retrieval.operations import projected
from modules.retrieval.ranking import Hit, ordered
from modules.retrieval.view import View

if TYPE_CHECKING:
    from modules.retrieval.store import EvidenceStore

TABLE = "projections"
ALPHA = 1.0
"""The strength that is prepared for: S3's own."""


def column(perspective: str) -> str:
    """The column of a perspective."""
    return f"p{hashlib.sha256(perspective.encode()).hexdigest()[:24]}"


def project(store: EvidenceStore, perspectives: Sequence[str]) -> None:
    """Write the index's chunks as projected off each perspective, in place of what was there.

    Args:
        store: The index, at its newest version.
        perspectives: Their texts, as searches will give them.

    Raises:
        EvidenceError: There is no index.
        StorageError: The disk refuses, or another writer does not end.
    """
    import pyarrow as pa

    names = list(dict.fromkeys(perspectives))
    view = store.view()
    rows = view.rows(["id", "vector"])
    vectors = np.asarray([row["vector"] for row in rows], dtype=np.float32)
    sides = as_queries(store.embedder, names)
    size = vectors.shape[1]
    columns: dict[str, Any] = {"id": pa.array([row["id"] for row in rows])}
    for name, side in zip(names, sides, strict=True):
        flat = unit(projected(vectors, side[None, :], ALPHA)).ravel()
        columns[column(name)] = pa.FixedSizeListArray.from_arrays(pa.array(flat), size)
    held = pa.table(columns).replace_schema_metadata({"digest": view.digest})
    with store.database.writing():
        table = store.database.replace(TABLE, held)
        if len(rows) > upkeep.FLAT:
            for name in names:
                upkeep.graph(table, column(name))


def nearest(
    view: View, perspectives: Sequence[str], vectors: Vectors, depth: int
) -> list[list[Hit] | None]:
    """The nearest chunks in each perspective's own column; None where it has none.

    Args:
        view: The index.
        perspectives: One for each search.
        vectors: ``(n, dimension)``: the searches, projected and of length 1.
        depth: How many.
    """
    if not view.database.has(TABLE):
        return [None for _ in perspectives]
    return view.database.wait(_nearest(view, perspectives, vectors, depth))


async def _nearest(
    view: View, perspectives: Sequence[str], vectors: Vectors, depth: int
) -> list[list[Hit] | None]:
    table = await view.database.reader(TABLE)
    schema = await table.schema()
    current = (schema.metadata or {}).get(b"digest", b"").decode() == view.digest
    found: list[list[Hit] | None] = []
    for perspective, vector in zip(perspectives, vectors, strict=True):
        name = column(perspective)
        if not current or name not in schema.names:
            found.append(None)
            continue
        search = table.query().nearest_to(vector).column(name).distance_type("cosine")
        if await table.count_rows() > upkeep.FLAT:
            search = search.ef(max(upkeep.EF, 2 * depth)).refine_factor(1)
        rows = (await search.select(["id", "_distance"]).limit(depth).to_arrow()).to_pylist()
        # A chunk along its perspective has nothing left to compare.
        sound = [row for row in rows if not math.isnan(row["_distance"])]
        found.append(ordered([Hit(row["id"], 1 - row["_distance"]) for row in sound]))
    return found


__all__ = ["ALPHA", "TABLE", "column", "nearest", "project"]
