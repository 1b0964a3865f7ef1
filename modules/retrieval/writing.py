"""Documents that were read go into the index behind the reader's back, embedded and then written.

Embedding takes most of an ingestion's time: reading the next documents and writing the last ones
happen beside it, each in one thread, so that batches are written in the order they came.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import NamedTuple

from modules.retrieval.ledger import Entry, Ledger
from modules.retrieval.store import EvidenceStore, Prepared
from modules.retrieval.types import Chunk

_AHEAD = 2
"""Batches under way, besides the one being read: what bounds memory."""


class Read(NamedTuple):
    """A document read now, and what it means for the index."""

    entry: Entry
    chunks: list[Chunk]


class Writer:
    """Writes batches of documents; leaving its context waits for the last.

    Args:
        store: Where to.
        ledger: Of the same index.
        recorded: The sources the ledger has entries of.
    """

    def __init__(self, store: EvidenceStore, ledger: Ledger, recorded: set[str]) -> None:
        self._store = store
        self._ledger = ledger
        self._recorded = recorded
        self._embedding = ThreadPoolExecutor(1, "embedding")
        self._writing = ThreadPoolExecutor(1, "writing")
        self._pending: deque[Future[None]] = deque()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            while kind is None and self._pending:
                self._pending.popleft().result()
        finally:
            self._embedding.shutdown(cancel_futures=True)
            self._writing.shutdown(cancel_futures=True)

    def write(self, batch: list[Read]) -> None:
        """Start on a batch; waits for an earlier one where too many are under way.

        Raises:
            MootError: An earlier batch could not be embedded or written.
        """
        chunks = [piece for read in batch for piece in read.chunks]
        prepared = self._embedding.submit(self._store.prepare, chunks)
        self._pending.append(self._writing.submit(self._write, batch, prepared))
        while len(self._pending) > _AHEAD:
            self._pending.popleft().result()

    def drop(self, sources: list[str]) -> None:
        """Take sources out of index and ledger. Only before the first batch."""
        for source in sources:
            self._store.forget(source)
        self._ledger.drop(sources)
        self._recorded -= set(sources)

    def _write(self, batch: list[Read], prepared: Future[Prepared]) -> None:
        """An entry is complete only once its chunks are there.

        New sources are announced first, so that chunks of a run killed in between have an owner
        and are dropped if the file changes before the next run.
        """
        ready = prepared.result()
        entries = [read.entry for read in batch]
        new = {entry.source for entry in entries} - self._recorded
        self._ledger.announce([entry for entry in entries if entry.source in new])
        self._store.put(ready)
        for read in batch:
            if read.entry.source not in new:
                self._store.forget(read.entry.source, keep=[piece.id for piece in read.chunks])
        self._ledger.put(entries)
        self._recorded |= new
