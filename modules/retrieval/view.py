"""The index at one version, as searches read it: it never changes, and serves many threads.

A small index is held in memory and searched exactly. Of a large one the texts stay on disk; it is
searched through its vector index (see :mod:`modules.retrieval.upkeep`), and what that finds is
scored by the vectors, which are read at the first search. Rows are named by LanceDB's row ids:
looking up ids and vectors on disk takes longer than the search itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modules.retrieval import rows, upkeep
from modules.retrieval.database import Database, Row
from modules.retrieval.embed import Vectors
from modules.retrieval.ranking import DIGITS, Hit, ordered

if TYPE_CHECKING:
    from lancedb.table import AsyncTable
    from pyarrow import Table

_ROW = "_rowid"
_SHOWN = ["source", "title"]
_DESCRIBED = ["source", "title", "topic", "date", "lang", "kind", "domain"]


class Found(NamedTuple):
    """A chunk as a search returns it: a passage's fields, and its unit vector."""

    fields: dict[str, str]
    vector: Vectors


class View(ABC):
    """What both kinds share. Opened by :func:`opened`."""

    def __init__(self, database: Database, table: AsyncTable, version: int, held: Table) -> None:
        self._database = database
        self._table = table
        self.version = version
        ids = held.column("id").to_pylist()
        self._order = np.asarray(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
        self._held = held
        self._ids: list[str] = [ids[at] for at in self._order]
        self._places = {key: at for at, key in enumerate(self._ids)}
        self._row_ids: NDArray[np.uint64] = held.column(_ROW).to_numpy()[self._order]
        self._by_row = np.argsort(self._row_ids)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def database(self) -> Database:
        """Where its tables are."""
        return self._database

    @property
    def name(self) -> str:
        """The corpus version, e.g. ``v7-0123abcd``."""
        return f"v{self.version}-{self.digest[:8]}"

    def rows(self, columns: list[str]) -> list[Row]:
        """Every chunk."""
        found = self._database.wait(self._table.query().select(columns).to_arrow())
        every: list[Row] = found.to_pylist()
        return every

    @cached_property
    def digest(self) -> str:
        """sha256 over the sorted chunk ids."""
        return hashlib.sha256("\n".join(self._ids).encode()).hexdigest()

    @cached_property
    def described(self) -> str:
        """sha256 over what is known of the chunks beside their text, in the order of their ids."""
        import pyarrow.compute as pc

        columns = [self._held.column(name) for name in _DESCRIBED]
        columns.append(pc.binary_join(self._held.column("sources"), "\x1f"))
        told = pc.binary_join_element_wise(*columns, "\x1e").to_pylist()
        return hashlib.sha256("\n".join(told[at] for at in self._order).encode()).hexdigest()

    def fulltext(
        self, queries: Sequence[str], depth: int, where: str | None
    ) -> Callable[[], list[list[Hit]]]:
        """By BM25: ``(n,)`` queries -> ``n`` rankings of at most ``depth``, under way.

        LanceDB's BM25 (k1 = 1.2, b = 0.75) over titles, headings and text. Words are cut at
        everything but letters and digits, lower-cased, freed of accents, English stop words and
        words over 40 letters dropped, and stemmed as English; a chunk that holds any of the
        query's words is ranked. Texts in other languages keep their own words, unstemmed or
        stemmed by English rules, alike in query and text.
        """

        async def one(text: str) -> list[Hit]:
            search = self._table.query().nearest_to_text(text, columns=[rows.WORDS])
            at, scores = await self._found(search, "_score", depth, where)
            return self._hits(at, scores)

        async def each() -> list[list[Hit]]:
            return await asyncio.gather(*map(one, queries))

        return self._database.begin(each())

    @abstractmethod
    def dense(self, vectors: Vectors, depth: int, where: str | None) -> list[list[Hit]]:
        """By cosine: ``(n, dimension)`` unit vectors -> ``n`` rankings of at most ``depth``."""

    @property
    @abstractmethod
    def _vectors(self) -> Vectors:
        """``(chunks, dimension)`` in the order of ids."""

    @abstractmethod
    def _texts(self, ids: Sequence[str]) -> list[str]:
        """The texts of the chunks with these ids."""

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """The unit vectors of the chunks with these ids."""
        every = self._vectors
        return {key: every[self._places[key]] for key in ids}

    def chunks(self, ids: Sequence[str]) -> dict[str, Found]:
        """The chunks with these ids."""
        found, every = {}, self._vectors
        for key, text in zip(ids, self._texts(ids), strict=True):
            at = self._places[key]
            row = int(self._order[at])
            fields = {name: self._held.column(name)[row].as_py() for name in _SHOWN}
            found[key] = Found({"id": key, "text": text, **fields}, every[at])
        return found

    async def _found(
        self, search: Any, score: str, depth: int, where: str | None
    ) -> tuple[NDArray[np.int64], Vectors]:
        """The places that a search finds, and the column ``score``."""
        search = search.select([score]).with_row_id().limit(depth)
        if where:
            search = search.where(where)  # before ranking: filters never cost results
        found = await search.to_arrow()
        rows_found = found.column(_ROW).to_numpy()
        at = self._by_row[np.searchsorted(self._row_ids, rows_found, sorter=self._by_row)]
        return at, found.column(score).to_numpy()

    def _hits(self, at: NDArray[np.int64], scores: NDArray[Any]) -> list[Hit]:
        return ordered([Hit(self._ids[i], float(s)) for i, s in zip(at, scores, strict=True)])


class HeldView(View):
    """All in memory; dense search is exact."""

    def __init__(self, database: Database, table: AsyncTable, version: int, held: Table) -> None:
        super().__init__(database, table, version, held)
        self._matrix = _matrix(held)[self._order]
        self._kept: tuple[str, NDArray[np.int64]] | None = None

    @property
    def _vectors(self) -> Vectors:
        return self._matrix

    def dense(self, vectors: Vectors, depth: int, where: str | None) -> list[list[Hit]]:
        at = self._allowed(where) if where else None
        held = self._vectors if at is None else self._vectors[at]
        # Not BLAS: its threads wait for one another, 28 ms for 5,000 chunks where cores are busy.
        cosines = (np.einsum("nd,d->n", held, vector) for vector in vectors)
        return [self._nearest(each, at, depth) for each in cosines]

    def _texts(self, ids: Sequence[str]) -> list[str]:
        column = self._held.column("text")
        return [column[int(self._order[self._places[key]])].as_py() for key in ids]

    def _nearest(self, cosines: Vectors, at: NDArray[np.int64] | None, depth: int) -> list[Hit]:
        scores = np.round(cosines.astype(np.float64), DIGITS)
        best: NDArray[np.int64] = np.arange(len(scores))
        if len(scores) > depth:  # all that equal the last one stay, and their ids decide
            least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
            best = np.flatnonzero(scores >= least)
        best = best[np.argsort(-scores[best], kind="stable")][:depth]  # places follow ids
        places = best if at is None else at[best]
        return [Hit(self._ids[i], float(s)) for i, s in zip(places, scores[best], strict=True)]

    def _allowed(self, where: str) -> NDArray[np.int64]:
        """The places that meet a condition; searches of one run share theirs."""
        kept = self._kept
        if kept is None or kept[0] != where:
            query = self._table.query().where(where).select(["id"]).to_arrow()
            ids = self._database.wait(query).column("id").to_pylist()
            kept = where, np.asarray(sorted(self._places[key] for key in ids), dtype=np.int64)
            self._kept = kept
        return kept[1]


class IndexedView(View):
    """Texts on disk; dense search goes through the vector index, and reads what it does not hold
    yet.
    """

    def __init__(self, database: Database, table: AsyncTable, version: int, held: Table) -> None:
        super().__init__(database, table, version, held)
        self._reading = threading.Lock()
        self._matrix: Vectors | None = None

    @property
    def _vectors(self) -> Vectors:
        with self._reading:
            if self._matrix is None:
                self._matrix = self._database.wait(self._read())
            return self._matrix

    async def _read(self) -> Vectors:
        held = await self._table.query().select(["vector"]).with_row_id().to_arrow()
        order = np.argsort(held.column(_ROW).to_numpy())
        matrix = np.empty((len(self), held.column("vector").type.list_size), dtype=np.float32)
        matrix[self._by_row] = _matrix(held)[order]
        return matrix

    def dense(self, vectors: Vectors, depth: int, where: str | None) -> list[list[Hit]]:
        every = self._vectors

        async def one(vector: Vectors) -> list[Hit]:
            search = self._table.query().nearest_to(vector).column("vector")
            search = search.distance_type("cosine").ef(max(upkeep.EF, 2 * depth))
            at, _ = await self._found(search, "_distance", depth, where)
            # Candidates are scored again by their whole vectors: the index rounds.
            return self._hits(at, every[at] @ vector)

        async def each() -> list[list[Hit]]:
            return await asyncio.gather(*map(one, vectors))

        return self._database.wait(each())

    def _texts(self, ids: Sequence[str]) -> list[str]:
        at = [int(self._row_ids[self._places[key]]) for key in ids]
        if not at:
            return []
        query = self._table.take_row_ids(at).select(["id", "text"])
        held = self._database.wait(query.to_arrow())
        texts = dict(
            zip(held.column("id").to_pylist(), held.column("text").to_pylist(), strict=True)
        )
        return [texts[key] for key in ids]


async def opened(database: Database, table: AsyncTable) -> View:
    """The view of a table that stays at its version."""
    version = await table.version()
    await table.checkout(version)
    small = await table.count_rows() <= upkeep.FLAT
    columns = ["id", *_DESCRIBED, "sources"] + (["text", "vector"] if small else [])
    held = await table.query().select(columns).with_row_id().to_arrow()
    return (HeldView if small else IndexedView)(database, table, version, held)


def _matrix(held: Table) -> Vectors:
    """The column of vectors as ``(n, dimension)`` float32."""
    column = held.column("vector")
    flat = column.combine_chunks().flatten().to_numpy()
    return np.asarray(flat, dtype=np.float32).reshape(len(column), column.type.list_size)
