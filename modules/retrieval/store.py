"""The evidence store: chunks, vectors and full text in LanceDB, addressed by content.

What the index holds is named by its digest (a hash over its chunk ids), and by a corpus version
such as ``v7-0123abcd`` (LanceDB's version and the digest), which can be opened again later.
"""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from modules.retrieval import database, ranking, rows
from modules.retrieval.database import Database, Row
from modules.retrieval.embed import Embedder
from modules.retrieval.ranking import Filters, Mode
from modules.retrieval.types import Chunk
from signatures.errors import EvidenceError, InputError
from signatures.types import Passage

if TYPE_CHECKING:
    from lancedb.table import Table

_TABLE = "chunks"
_BATCH = 512  # chunks per commit
# By default LanceDB deletes what is a week old, and fails on versions that carry a tag.
_FOREVER = timedelta(days=36_500)
_DEPTH = 50  # the least that each ranking contributes to a fusion


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
        self._opening = threading.Lock()
        self._digests: dict[int, str] = {}

    # --- reading ------------------------------------------------------------------------------

    @property
    def exists(self) -> bool:
        """Whether there is an index to read."""
        return self.database.has(_TABLE)

    def count(self) -> int:
        """How many chunks the index holds."""
        with self.database.reading():
            return int(self._table().count_rows())

    def rows(self) -> list[Row]:
        """Every chunk without its vector, ordered by source and position."""
        found = self._find(self._table(), columns=rows.PLAIN)
        return sorted(found, key=lambda row: (row["source"], row["position"], row["id"]))

    def digest(self) -> str:
        """sha256 over the sorted chunk ids: equal for equal contents, however they came in."""
        return self._digest(self._table())

    def corpus_version(self) -> str:
        """The readable name of what the index holds now, e.g. ``v7-0123abcd``."""
        return self.version or self._name(self._table())

    def pinned(self) -> EvidenceStore:
        """The index as it is now: what is written later is not seen."""
        return EvidenceStore(self.database.path, self.embedder, version=self.corpus_version())

    def search(
        self,
        queries: Sequence[str],
        k: int = 10,
        *,
        mode: Mode = "hybrid",
        filters: Filters | None = None,
    ) -> list[list[Passage]]:
        """The best ``k`` passages for each query, best first, equal scores by chunk id.

        ``dense`` ranks by cosine, ``fulltext`` by BM25, ``hybrid`` by both (reciprocal rank
        fusion). ``similarity`` is the cosine whatever the mode.

        Raises:
            EvidenceError: There is no index, it was built with another embedder, or is damaged.
            InputError: ``k``, ``mode`` or a filter cannot be used.
        """
        if k < 1 or mode not in ("hybrid", "dense", "fulltext"):
            raise InputError("a search cannot be run", got=f"k={k}, mode={mode!r}")
        table, where = self._table(), ranking.condition(filters)
        if not queries:
            return []
        depth = max(4 * k, _DEPTH)
        vectors = self.embedder.encode(queries)
        legs = []
        with self.database.reading():
            if mode != "fulltext":
                legs.append(ranking.dense(table, vectors, depth, where))
            if mode != "dense":
                legs.append(ranking.fulltext(table, queries, depth, where))
            fused = [ranking.fuse(each)[:k] for each in zip(*legs, strict=True)]
            return ranking.passages(table, fused, vectors)

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
        return sum(self._add(part) for part in database.parts(chunks, _BATCH))

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
        """Compact, index full text anew and tag the corpus version, if anything changed.

        The full-text index is built anew because BM25 scores from parts added over time depend
        on the order in which they came.
        """
        from lancedb.index import FTS

        with self.database.writing():
            table = self._writable()
            if database.tagged(table, self._name(table)) is not None:
                return
            table.optimize(cleanup_older_than=_FOREVER)
            table.create_index("text", config=FTS(), replace=True)
            table.tags.create(self._name(table), table.version)

    # --- inside -------------------------------------------------------------------------------

    def _add(self, chunks: list[Chunk]) -> int:
        texts = {chunk.id: chunk.text for chunk in chunks}
        new: defaultdict[str, list[rows.Place]] = defaultdict(list)
        for chunk in chunks:
            new[chunk.id].append(rows.place(chunk))
        known = self._known(list(texts)) if self.exists else set()
        vectors = self._vectors({key: text for key, text in texts.items() if key not in known})
        with self.database.writing():
            table = self._writable()
            where = database.among("id", list(texts))
            old = {row["id"]: row for row in self._find(table, where)}
            stored = old.keys() | vectors.keys()
            gone = {key: text for key, text in texts.items() if key not in stored}
            vectors |= self._vectors(gone)  # deleted by another writer since the first look
            changed = []
            for key, text in texts.items():
                before = rows.places(old[key]) if key in old else []
                after = rows.joined(before, new[key])
                if after != before:
                    vector = old[key]["vector"] if key in old else vectors[key]
                    changed.append(rows.row(key, text, vector, after))
            if changed:
                database.put(table, changed, "id")
            return len(texts) - len(old)

    def _find(
        self, table: Table, where: str | None = None, columns: list[str] | None = None
    ) -> list[Row]:
        with self.database.reading():
            return database.find(table, where, columns)

    def _known(self, ids: list[str]) -> set[str]:
        found = self._find(self._table(), database.among("id", ids), ["id"])
        return {row["id"] for row in found}

    def _vectors(self, texts: dict[str, str]) -> dict[str, object]:
        if not texts:
            return {}
        return dict(zip(texts, self.embedder.encode(list(texts.values())), strict=True))

    def _digest(self, table: Table) -> str:
        version = int(table.version)
        if version not in self._digests:
            ids = sorted(row["id"] for row in self._find(table, columns=["id"]))
            self._digests[version] = hashlib.sha256("\n".join(ids).encode()).hexdigest()
        return self._digests[version]

    def _name(self, table: Table) -> str:
        return f"v{table.version}-{self._digest(table)[:8]}"

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
        """The table, at the pinned or the newest version."""
        with self._opening, self.database.reading():
            if self._handle is None:
                self._handle = self._opened()
            elif self.version is None:
                self._handle.checkout_latest()
            return self._handle

    def _opened(self) -> Table:
        if not self.exists:
            raise EvidenceError(
                f"there is no index at {self.database.path}", remedy="run: moot ingest PATH"
            )
        table = self.database.open(_TABLE)
        self._check_embedder(table)
        if self.version is not None:
            self._pin(table, self.version)
        return table

    def _check_embedder(self, table: Table) -> None:
        stated = table.schema.metadata or {}
        made = {key.decode(): value.decode() for key, value in stated.items()}
        if made.get("embedder") != self.embedder.name:
            raise EvidenceError(
                f"the index at {self.database.path} was built with another embedder",
                expected=made.get("embedder"),
                got=self.embedder.name,
                remedy="choose that embedder, or ingest into another folder",
            )
        if made.get("dimension") != str(self.embedder.dimension):
            raise EvidenceError(
                f"the index at {self.database.path} holds vectors of another size",
                expected=made.get("dimension"),
                got=str(self.embedder.dimension),
                remedy="choose the embedder it was built with, or ingest into another folder",
            )

    def _pin(self, table: Table, version: str) -> None:
        number = database.tagged(table, version) or database.version_number(version)
        try:
            table.checkout(number if number is not None else version)
            found = self._name(table)
        except (OSError, RuntimeError, ValueError):
            found = None
        if found != version:
            raise EvidenceError(
                f"the index at {self.database.path} has no version {version}",
                remedy="ingest the same documents again, or run without a version",
            )
