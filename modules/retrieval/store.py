"""The evidence store: chunks, vectors and full text in LanceDB, addressed by content.

What the index holds is named by its digest (a hash over its chunk ids), and by a corpus version
such as ``v7-0123abcd`` (LanceDB's version and the digest), which can be opened again later.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from modules.retrieval import database, rows, searching
from modules.retrieval.aiming import UNSTEERED, Aim, Steering
from modules.retrieval.database import Database, Row
from modules.retrieval.embed import Embedder, Vectors
from modules.retrieval.ranking import DEPTH, Filters, Fusion, Mode
from modules.retrieval.rerank import Reranker
from modules.retrieval.searching import Search
from modules.retrieval.types import Chunk
from modules.retrieval.upkeep import keep_up
from modules.retrieval.view import View, opened
from signatures.errors import EvidenceError
from signatures.types import Passage

if TYPE_CHECKING:
    from lancedb.table import AsyncTable, Table
    from pyarrow import Schema

_TABLE = "chunks"
_BATCH = 512  # chunks per commit


class Prepared(NamedTuple):
    """Chunks ready to be written, by id: texts, where they stand, vectors of those not held."""

    texts: dict[str, str]
    places: Mapping[str, list[rows.Place]]
    vectors: dict[str, Vectors]


class EvidenceStore:
    """An index in the folder ``path``.

    Reads see the newest version, unless ``version`` pins a corpus version. Reads are safe from
    many threads; writers, in any process, take turns.

    Args:
        path: The folder; created by the first write.
        embedder: Must be the one the index was built with.
        version: A corpus version to read; such a store cannot be written.
        lock_timeout: Seconds to wait for another writer.
    """

    def __init__(
        self,
        path: str | Path,
        embedder: Embedder,
        *,
        version: str | None = None,
        lock_timeout: float = 600.0,
    ) -> None:
        self.database = Database(Path(path), lock_timeout)
        self.embedder = embedder
        self.version = version
        self._handle: Table | None = None
        self._view: View | None = None
        self._opening = threading.Lock()

    # --- reading ------------------------------------------------------------------------------

    @property
    def exists(self) -> bool:
        """Whether there is an index to read."""
        return self.database.has(_TABLE)

    def count(self) -> int:
        """How many chunks the index holds."""
        return len(self.view())

    def rows(self) -> list[Row]:
        """Every chunk without its vector, ordered by source and position."""
        found = self.view().rows(rows.PLAIN)
        return sorted(found, key=lambda row: (row["source"], row["position"], row["id"]))

    def digest(self) -> str:
        """sha256 over the sorted chunk ids: equal for equal contents, however they came in."""
        return self.view().digest

    def corpus_version(self) -> str:
        """The readable name of what the index holds now, e.g. ``v7-0123abcd``."""
        return self.version or self.view().name

    def pinned(self) -> EvidenceStore:
        """The index as it is now: what is written later is not seen."""
        view = self.view()
        store = EvidenceStore(self.database.path, self.embedder, version=view.name)
        store.database, store._view = self.database, view
        return store

    def search(
        self,
        queries: Sequence[str | Aim],
        k: int = 10,
        *,
        mode: Mode = "hybrid",
        filters: Filters | None = None,
        depth: int = DEPTH,
        mmr: float | None = None,
        reranker: Reranker | None = None,
        fusion: Fusion = "score",
        steering: Steering = UNSTEERED,
    ) -> list[list[Passage]]:
        """The best ``k`` passages for each query, best first, equal scores by chunk id.

        Args:
            queries: What is looked for; a batch costs less than its queries one by one.
            k: How many passages for each.
            mode: ``hybrid``, ``dense`` or ``fulltext``. More on all of these in
                :class:`modules.retrieval.searching.Search`.
            filters: Which documents count.
            depth: Candidates of each ranking.
            mmr: The weight of relevance against novelty; None ranks by relevance alone.
            reranker: Scores the candidates anew.
            fusion: How ``hybrid`` joins its halves: by ``score`` or by ``rank``.
            steering: What is done with the perspectives of aims.

        Raises:
            EvidenceError: There is no index, it was built with another embedder, or is damaged.
            InputError: ``k``, an option or a filter cannot be used.
        """
        how = Search(mode, filters, depth, mmr, reranker, fusion, steering)
        how.check(k)
        return searching.run(self.view(), self.embedder, list(queries), k, how)

    def view(self) -> View:
        """The index at the pinned or the newest version, as searches read it."""
        with self._opening:
            if self._view is None or self.version is None:
                self._view = self.database.wait(self._newest(self._view))
            return self._view

    # --- writing ------------------------------------------------------------------------------

    def upsert(self, chunks: Iterable[Chunk]) -> int:
        """Add chunks and make them searchable; returns how many were new.

        A chunk that is there is not embedded again: its new source is added to its sources.

        Raises:
            EvidenceError: The index was built with another embedder.
            StorageError: The disk refuses, or another writer does not end.
        """
        new = self.add(chunks)
        self.finish()
        return new

    def add(self, chunks: Iterable[Chunk]) -> int:
        """As :meth:`upsert`, but full text waits for :meth:`finish`: for many small batches."""
        return sum(self.put(self.prepare(part)) for part in database.parts(chunks, _BATCH))

    def prepare(self, chunks: Sequence[Chunk]) -> Prepared:
        """Embed what the index does not hold; the first half of :meth:`add`, without a lock."""
        texts = {chunk.id: chunk.text for chunk in chunks}
        places: defaultdict[str, list[rows.Place]] = defaultdict(list)
        for chunk in chunks:
            places[chunk.id].append(rows.place(chunk))
        known = self.database.wait(self._known(list(texts))) if self.exists else set()
        new = {key: text for key, text in texts.items() if key not in known}
        return Prepared(texts, places, self._vectors(new))

    def put(self, ready: Prepared) -> int:
        """Write what was prepared; the second half of :meth:`add`."""
        texts, places, vectors = ready
        with self.database.writing():
            table = self._writable()
            where = database.among("id", list(texts))
            old = {row["id"]: row for row in self._find(table, where)} if texts else {}
            stored = old.keys() | vectors.keys()
            gone = {key: text for key, text in texts.items() if key not in stored}
            vectors = vectors | self._vectors(gone)  # deleted by another writer in between
            changed = []
            for key, text in texts.items():
                before = rows.places(old[key]) if key in old else []
                after = rows.joined(before, places[key])
                if after != before:
                    vector = old[key]["vector"] if key in old else vectors[key]
                    changed.append(rows.row(key, text, vector, after))
            if changed:
                database.put(table, changed, "id")
            return len(texts) - len(old)

    def forget(self, source: str, keep: Iterable[str] = ()) -> None:
        """Take ``source`` off all its chunks but ``keep``; a chunk without source is deleted."""
        with self.database.writing():
            table = self._writable()
            kept = set(keep)
            held = self._find(table, database.any_of("sources", [source]))
            left = {
                row["id"]: (row, [where for where in rows.places(row) if where["source"] != source])
                for row in held
                if row["id"] not in kept
            }
            changed = [
                rows.row(key, row["text"], row["vector"], where)
                for key, (row, where) in left.items()
                if where
            ]
            if changed:
                database.put(table, changed, "id")
            orphans = [key for key, (_, where) in left.items() if not where]
            for part in database.parts(orphans, _BATCH):
                table.delete(database.among("id", part))

    def finish(self) -> None:
        """Bring the indexes up to date and tag the corpus version, if anything changed."""
        with self.database.writing():
            table = self._writable()
            if table.version in database.tagged(table):
                return
            keep_up(table)
            table.tags.create(self.view().name, table.version)

    # --- inside -------------------------------------------------------------------------------

    def _find(
        self, table: Table, where: str | None = None, columns: list[str] | None = None
    ) -> list[Row]:
        with self.database.reading():
            return database.find(table, where, columns)

    async def _known(self, ids: list[str]) -> set[str]:
        """Those of the ids that the newest version holds."""
        table = await self.database.reader(_TABLE)
        self._check(await table.schema())
        query = table.query().where(database.among("id", ids)).select(["id"])
        return set((await query.to_arrow()).column("id").to_pylist())

    def _vectors(self, texts: dict[str, str]) -> dict[str, Vectors]:
        if not texts:
            return {}
        return dict(zip(texts, self.embedder.encode(list(texts.values())), strict=True))

    def _writable(self) -> Table:
        """The table at its newest version, created if need be. Only under the writer's lock."""
        if self.version is not None:
            raise EvidenceError(
                f"the index is opened at {self.version}, for reading",
                remedy="open it without a version to write",
            )
        if not self.exists:
            columns = rows.schema(self.embedder.name, self.embedder.dimension)
            self.database.create(_TABLE, columns)
        return self._table()

    def _table(self) -> Table:
        """The table at its newest version, for writing. Only under the writer's lock."""
        with self.database.reading():
            if self._handle is None:
                table = self.database.open(_TABLE)
                self._check(table.schema)
                self._handle = table
            self._handle.checkout_latest()
            return self._handle

    async def _newest(self, known: View | None) -> View:
        """A view of the pinned or the newest version; ``known`` if it is that one."""
        if not self.exists:
            raise EvidenceError(
                f"there is no index at {self.database.path}", remedy="run: moot ingest PATH"
            )
        table = await self.database.reader(_TABLE)
        if known is not None and known.version == await table.version():
            return known
        self._check(await table.schema())
        if self.version is not None:
            await self._pin(table, self.version)
        view = await opened(self.database, table)
        if self.version not in (None, view.name):
            raise self._no_version()
        return view

    async def _pin(self, table: AsyncTable, name: str) -> None:
        tag = (await table.tags.list()).get(name)
        number = tag["version"] if tag else database.version_number(name)
        if number is None:
            raise self._no_version()
        try:
            await table.checkout(number)
        except (OSError, RuntimeError, ValueError) as error:
            raise self._no_version() from error

    def _check(self, schema: Schema) -> None:
        """Refuse an index of another embedder, or of an older layout."""
        stated = schema.metadata or {}
        made = {key.decode(): value.decode() for key, value in stated.items()}
        if made.get("embedder") != self.embedder.name:
            raise self._foreign(
                "was built with another embedder", made.get("embedder"), self.embedder.name
            )
        if made.get("dimension") != str(self.embedder.dimension):
            raise self._foreign(
                "holds vectors of another size", made.get("dimension"), str(self.embedder.dimension)
            )
        if made.get("layout") != rows.LAYOUT:
            raise EvidenceError(
                f"the index at {self.database.path} was made by another version of Moot",
                remedy="delete that folder and run: moot ingest PATH",
            )

    def _foreign(self, what: str, expected: str | None, got: str) -> EvidenceError:
        return EvidenceError(
            f"the index at {self.database.path} {what}",
            expected=expected,
            got=got,
            remedy="choose the embedder it was built with, or ingest into another folder",
        )

    def _no_version(self) -> EvidenceError:
        return EvidenceError(
            f"the index at {self.database.path} has no version {self.version}",
            remedy="ingest the same documents again, or run without a version",
        )
