"""Documents into the store: what was taken, what was refused and why, what was a duplicate.

Work is written in batches: a killed run loses a few, and the same command finishes it with the
same digest. A second run over unchanged files reads and writes nothing new.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from modules.retrieval.chunk import CHUNK_VERSION, LIMITS, Limits, chunk
from modules.retrieval.ledger import Entry, Ledger
from modules.retrieval.neardup import Twins, signature
from modules.retrieval.partition import MAX_BYTES, PARTITION_VERSION, load, partition
from modules.retrieval.sources import discover, names
from modules.retrieval.store import EvidenceStore
from modules.retrieval.types import Candidate, Chunk, Origin
from modules.retrieval.web.fetch import Fetcher
from modules.retrieval.web.pages import fetched
from modules.retrieval.web.settings import FetchSettings
from modules.retrieval.writing import Read, Writer
from signatures.errors import InputError, MootError
from signatures.results import Duplicate, IngestResult, Refused, Taken

Progress = Callable[[int, str], None]
"""Called after each document with the number done and its source."""

BATCH = 512
"""Chunks per write; a killed run can lose those of four: read, embedded, written, and waiting."""


def ingest(
    paths: Iterable[str | Path],
    store: EvidenceStore,
    *,
    max_bytes: int = MAX_BYTES,
    progress: Progress | None = None,
    prune: bool = False,
    limits: Limits = LIMITS,
    batch: int = BATCH,
    fetcher: Fetcher | None = None,
) -> IngestResult:
    """Bring the store up to date with the documents below ``paths``.

    A source whose text has changed replaces its earlier chunks. An exact duplicate adds its
    source to the chunks that are there; a near duplicate is only reported.

    Args:
        paths: Files, folders, globs, ``.jsonl`` files, http(s) addresses, lists of them.
        store: Where to.
        max_bytes: The largest file (or row) to read.
        progress: See :data:`Progress`.
        prune: Drop every source of the store that is not below ``paths`` now.
        limits: How large chunks are.
        batch: See :data:`BATCH`.
        fetcher: Fetches pages; by default one with the default limits.

    Raises:
        InputError: Nothing could be taken.
        EvidenceError: The store was built with another embedder.
        StorageError: The disk refuses, or another writer does not end.
    """
    start = time.monotonic()
    paths = list(paths)
    pages = fetcher or Fetcher(FetchSettings())
    with _ingesting(store, max_bytes, limits, batch) as run:
        if prune:
            run.prune(discover(paths, max_bytes))
        for number, found in enumerate(fetched(discover(paths, max_bytes), pages), 1):
            run.take(found)
            if progress:
                progress(number, _source(found))
    if not run.taken and not run.duplicates:
        raise _nothing(run.refused)
    store.finish()
    return IngestResult(
        taken=run.taken,
        refused=run.refused,
        duplicates=run.duplicates,
        chunks=store.count(),
        corpus_version=store.corpus_version(),
        seconds=round(time.monotonic() - start, 3),
    )


class Absorbed(NamedTuple):
    """What became of each document."""

    taken: list[Taken]
    refused: list[Refused]
    duplicates: list[Duplicate]


def absorb(found: Iterable[Candidate | Refused], store: EvidenceStore) -> Absorbed:
    """As :func:`ingest`, of documents already found; nothing taken is no error here."""
    with _ingesting(store, MAX_BYTES, LIMITS, BATCH) as run:
        for item in found:
            run.take(item)
    if run.taken or run.duplicates:
        store.finish()
    return Absorbed(run.taken, run.refused, run.duplicates)


@contextmanager
def _ingesting(store: EvidenceStore, max_bytes: int, limits: Limits, batch: int) -> Iterator[_Run]:
    """An ingestion; all it took is written once the context is left."""
    ledger = Ledger(store.database)
    entries = ledger.load() if store.exists else {}
    with Writer(store, ledger, set(entries)) as writer:
        run = _Run(store, writer, entries, max_bytes, limits, batch)
        yield run
        run.flush()


class _Run:
    """One ingestion under way."""

    def __init__(
        self,
        store: EvidenceStore,
        writer: Writer,
        entries: dict[str, Entry],
        max_bytes: int,
        limits: Limits,
        batch: int,
    ) -> None:
        self.taken: list[Taken] = []
        self.refused: list[Refused] = []
        self.duplicates: list[Duplicate] = []
        self._store = store
        self._max_bytes = max_bytes
        self._limits = limits
        self._batch = batch
        self._writer = writer
        self._entries: dict[str, Entry] = {}
        self._named: set[str] = set()
        self._twins = Twins()
        for entry in entries.values():
            if entry.complete and not entry.same_as:
                self._twins.add(entry.source, entry.kept)
            self._entries[entry.source] = entry.light
        self._waiting: list[Read] = []
        self._recipe = f"{PARTITION_VERSION} {CHUNK_VERSION} {limits} {store.embedder.name}"

    def prune(self, found: Iterable[Candidate | Refused]) -> None:
        """Drop the sources that are no longer found; nothing, if no document is."""
        found = list(found)
        if not any(isinstance(item, Candidate) for item in found):
            return
        # A name that becomes free goes to the next root's document, which leaves its own.
        while gone := sorted(set(self._entries) - self._names(found)):
            self._writer.drop(gone)
            for source in gone:
                del self._entries[source]
                self._twins.drop(source)

    def take(self, found: Candidate | Refused) -> None:
        """Read one document and queue it for writing; a failure becomes a refusal."""
        if isinstance(found, Refused):
            self.refused.append(found)
            return
        source = self._name(found.origin, self._named)
        found = replace(found, origin=replace(found.origin, source=source))
        try:
            read = self._read(found)
        except MootError as error:
            self.refused.append(Refused(source=found.origin.source, reason=error.line()))
        # The boundary: parsers of foreign formats raise whatever they like on hostile input.
        except Exception as error:
            reason = f"cannot be parsed: {type(error).__name__}: {error}".split("\n", 1)[0]
            self.refused.append(Refused(source=found.origin.source, reason=reason[:300]))
        else:
            self._report(read.entry)
            if read.entry is not self._entries.get(read.entry.source):
                self._queue(read)

    def flush(self) -> None:
        """Hand on what is queued."""
        if self._waiting:
            self._writer.write(self._waiting)
            self._waiting = []

    def _names(self, found: list[Candidate | Refused]) -> set[str]:
        named: set[str] = set()
        refused = {item.source for item in found if isinstance(item, Refused)}
        for item in found:
            if isinstance(item, Candidate):
                self._name(item.origin, named)
        return named | refused

    def _name(self, origin: Origin, named: set[str]) -> str:
        """The first name that is free in this run and that no other root holds in the index."""
        for name in names(origin):
            known = self._entries.get(name)
            if name not in named and (known is None or known.root == origin.root):
                named.add(name)
                return name
        raise AssertionError  # names do not end

    def _read(self, found: Candidate) -> Read:
        raw = load(found, self._max_bytes)
        fingerprint = _hash(raw, repr(found.origin.plain()).encode(), self._recipe.encode())
        known = self._entries.get(found.origin.source)
        if known and known.fingerprint == fingerprint and self._stands(known):
            return Read(known, [])
        document = partition(found, raw)
        embedder = self._store.embedder
        chunks = chunk(
            document,
            embedder.token_count,
            embedder.window,
            self._limits,
            adds_up=getattr(embedder, "adds_up", False),
        )
        marks = signature(block.text for block in document.blocks)
        entry = Entry(
            document.origin.source,
            document.origin.root,
            fingerprint,
            document.hash,
            document.origin.title,
            len(chunks),
            marks.astype("<u4").tobytes(),
        )
        return self._judged(entry, chunks)

    def _judged(self, entry: Entry, chunks: list[Chunk]) -> Read:
        """The entry, marked where it repeats another document."""
        exact = self._twins.exact(entry.source, entry.document)
        near = None if exact else self._twins.near(entry.source, entry.kept.signature)
        same_as = exact or near
        if same_as is None:
            return Read(entry, chunks)
        same_document = self._entries[same_as].document
        entry = replace(entry, same_as=same_as, same_document=same_document)
        return Read(entry, chunks) if exact else Read(replace(entry, chunks=0), [])

    def _stands(self, known: Entry) -> bool:
        """Whether what a duplicate repeats is still there, unchanged."""
        original = self._entries.get(known.same_as)
        return not known.same_as or (
            original is not None and original.document == known.same_document
        )

    def _report(self, entry: Entry) -> None:
        if entry.same_as:
            self.duplicates.append(Duplicate(source=entry.source, same_as=entry.same_as))
        else:
            taken = Taken(source=entry.source, title=entry.title, chunks=entry.chunks)
            self.taken.append(taken)

    def _queue(self, read: Read) -> None:
        entry = read.entry
        self._entries[entry.source] = entry.light
        if entry.same_as:
            self._twins.drop(entry.source)
        else:
            self._twins.add(entry.source, entry.kept)
        self._waiting.append(read)
        if sum(len(waiting.chunks) for waiting in self._waiting) >= self._batch:
            self.flush()


def _source(found: Candidate | Refused) -> str:
    return found.source if isinstance(found, Refused) else found.origin.source


def _hash(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _nothing(refused: list[Refused]) -> InputError:
    first = "; ".join(f"{item.source} {item.reason}" for item in refused[:3])
    more = f" (and {len(refused) - 3} more)" if len(refused) > 3 else ""
    return InputError(
        "nothing could be ingested",
        got=(first + more) or "no documents",
        remedy="give a folder or file of md, html, txt, csv, docx, pptx, eml, pdf or jsonl",
    )
