"""What has been ingested: one entry per source, so that known files are not read again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from modules.retrieval import database
from modules.retrieval.database import Database
from modules.retrieval.neardup import Kept, Signature

if TYPE_CHECKING:
    from lancedb.table import Table
    from pyarrow import Schema

_TABLE = "documents"
TIDY = 64
"""Writes between two compactions."""

RECENT = timedelta(hours=1)
"""How long a replaced version stays: readers open the newest and read it at once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A source as it was last ingested.

    ``fingerprint`` hashes the file, what is known of it, and how it was cut; it is empty until
    the chunks are written. ``document`` hashes the text. A duplicate names the source it repeats
    and that source's text at the time; ``chunks`` is 0 for a near duplicate, whose own text is
    not in the index.
    """

    source: str
    root: str
    fingerprint: str
    document: str
    title: str
    chunks: int
    signature: bytes
    same_as: str = ""
    same_document: str = ""

    @property
    def complete(self) -> bool:
        """Whether its chunks were written to the end."""
        return bool(self.fingerprint)

    @property
    def light(self) -> Entry:
        """Without the signature, a kilobyte."""
        return replace(self, signature=b"")

    @property
    def kept(self) -> Kept:
        """What tells later duplicates."""
        minima: Signature = np.frombuffer(self.signature, dtype="<u4").astype(np.uint32)
        return Kept(self.document, minima)


class Ledger:
    """The entries of an index, in a table beside it."""

    def __init__(self, home: Database) -> None:
        self._home = home

    def load(self) -> dict[str, Entry]:
        """Every entry by source."""
        if not self._home.has(_TABLE):
            return {}
        with self._home.reading():
            rows = database.find(self._home.open(_TABLE))
        return {row["source"]: Entry(**row) for row in sorted(rows, key=lambda row: row["source"])}

    def put(self, entries: list[Entry]) -> None:
        """Write entries, each in place of an earlier one of its source."""
        if not entries:
            return
        with self._home.writing():
            table = self._table()
            database.put(table, [asdict(entry) for entry in entries], "source")
            _tidy(table)

    def announce(self, entries: list[Entry]) -> None:
        """Add entries of sources that have none yet, as not complete."""
        if not entries:
            return
        with self._home.writing():
            table = self._table()
            table.add([asdict(replace(entry, fingerprint="")) for entry in entries])
            _tidy(table)

    def drop(self, sources: list[str]) -> None:
        """Forget sources."""
        if sources and self._home.has(_TABLE):
            with self._home.writing():
                table = self._home.open(_TABLE)
                for part in database.parts(sources, 512):
                    table.delete(database.among("source", part))

    def _table(self) -> Table:
        """The table, created if need be. Only under the writer's lock."""
        if not self._home.has(_TABLE):
            return self._home.create(_TABLE, _schema())
        return self._home.open(_TABLE)


def _tidy(table: Table) -> None:
    if table.version % TIDY == 0:
        table.optimize(cleanup_older_than=RECENT)


def _schema() -> Schema:
    import pyarrow as pa

    names = ("source", "root", "fingerprint", "document", "title", "same_as", "same_document")
    fields = [pa.field(name, pa.string()) for name in names]
    return pa.schema([*fields, pa.field("chunks", pa.int32()), pa.field("signature", pa.binary())])
