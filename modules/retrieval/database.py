"""One LanceDB folder with one writer at a time. All that touches LanceDB's handles is here.

LanceDB runs threads of its own: never fork after opening a database.
"""

from __future__ import annotations

import errno
import functools
import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from filelock import FileLock, Timeout

from signatures.errors import EvidenceError, MootError, StorageError

if TYPE_CHECKING:
    from lancedb import Session
    from lancedb.db import AsyncConnection, DBConnection
    from lancedb.table import AsyncTable, Table
    from pyarrow import Schema

Row = dict[str, Any]
Item = TypeVar("Item")

_REFUSALS = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.ENOTDIR,  # a file stands where the folder should be, or one above it
    errno.EEXIST,
}
# LanceDB passes the system's own words on in a RuntimeError.
_REFUSED = re.compile("no space left|quota exceeded|read-only|permission denied", re.IGNORECASE)
_UNREADABLE = re.compile(
    "lance|invalid input|table .* was not found|rust .* panicked", re.IGNORECASE
)
_SOUND = re.compile("too many open files|cannot allocate|invalid user input", re.IGNORECASE)
"""LanceDB's failures on an index that is whole."""


_METADATA = 16_000_000
"""Bytes of LanceDB's own notes on files that stay in memory."""


class Database:
    """Tables under ``path``; nothing is read, imported or created before it is needed.

    Args:
        path: A folder of its own.
        lock_timeout: Seconds to wait for another writer.
    """

    def __init__(self, path: Path, lock_timeout: float = 600.0) -> None:
        self.path = path
        self._lock_timeout = lock_timeout
        self._reads: AsyncConnection | None = None

    def has(self, name: str) -> bool:
        """Whether the table exists; does not import LanceDB."""
        return (self.path / f"{name}.lance").is_dir()

    def open(self, name: str) -> Table:
        """The table at its newest version."""
        return self._connection.open_table(name)

    async def reader(self, name: str) -> AsyncTable:
        """The table at its newest version, for reads that overlap. Awaited by :meth:`wait`."""
        import lancedb

        if self._reads is None:
            self._reads = await lancedb.connect_async(str(self.path), session=self._session)
        return await self._reads.open_table(name)

    def begin(self, work: Coroutine[Any, Any, Item]) -> Callable[[], Item]:
        """Start reads on LanceDB's own event loop, whatever loop or thread the caller is in.

        Returns:
            What waits for the outcome; it fails as :meth:`reading` does.
        """
        import asyncio

        from lancedb.background_loop import LOOP

        started = asyncio.run_coroutine_threadsafe(work, LOOP.loop)

        def outcome() -> Item:
            with self.reading():
                return started.result()

        return outcome

    def wait(self, work: Coroutine[Any, Any, Item]) -> Item:
        """As :meth:`begin`, and wait for the outcome."""
        return self.begin(work)()

    def create(self, name: str, schema: Schema) -> Table:
        """A new, empty table. Only under :meth:`writing`."""
        return self._connection.create_table(name, schema=schema)

    def replace(self, name: str, held: Any) -> Table:
        """A table of these rows in place of the one there is. Only under :meth:`writing`."""
        mode = "overwrite" if self.has(name) else "create"
        return self._connection.create_table(name, data=held, mode=mode)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock, across threads and processes.

        Raises:
            StorageError: Another writer holds it for too long, or the disk refuses.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path / "writer.lock", timeout=self._lock_timeout):
                yield
        except Timeout as error:
            raise StorageError(
                f"the index at {self.path} is being written by another process",
                remedy="wait for it to end and try again",
            ) from error
        except (OSError, RuntimeError) as error:
            if not _refused(error):
                raise
            raise StorageError(
                f"the index at {self.path} cannot be written",
                got=str(error).split("\n", 1)[0],
                remedy="free some space or check the folder's permissions; finished work is kept",
            ) from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Name the index where LanceDB cannot read it. Nothing but LanceDB is called inside.

        Raises:
            EvidenceError: Its files are damaged, or may not be read.
        """
        try:
            yield
        except MootError:
            raise
        # LanceDB fails on foreign bytes with many types, a panic's among them; its words tell.
        except Exception as error:
            if not _UNREADABLE.search(str(error)) or _SOUND.search(str(error)):
                raise
            if _refused(error):
                what, remedy = "cannot be read", "check the folder's permissions"
            else:
                what, remedy = "is damaged", "delete that folder and run: moot ingest PATH"
            raise EvidenceError(
                f"the index at {self.path} {what}",
                got=str(error).split("\n", 1)[0][:300],
                remedy=remedy,
            ) from error

    @functools.cached_property
    def _connection(self) -> DBConnection:
        import lancedb

        return lancedb.connect(str(self.path), session=self._session)

    @functools.cached_property
    def _session(self) -> Session:
        """LanceDB's caches. By default a gigabyte of manifests and footers stays in memory, most of
        them of versions that no one reads again.
        """
        from lancedb import Session

        return Session(metadata_cache_size_bytes=_METADATA)


def _refused(error: Exception) -> bool:
    """Whether the disk refused, rather than something else going wrong."""
    number = error.errno if isinstance(error, OSError) else None
    return number in _REFUSALS or _REFUSED.search(str(error)) is not None


def parts(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of at most ``size``."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def put(table: Table, rows: list[Row], key: str) -> None:
    """Insert rows, and replace those whose ``key`` is there, in one commit."""
    merge = table.merge_insert(key).when_matched_update_all().when_not_matched_insert_all()
    merge.execute(rows)


def find(table: Table, where: str | None = None, columns: list[str] | None = None) -> list[Row]:
    """Every row that meets ``where``."""
    query = table.search().limit(None)
    if where:
        query = query.where(where)
    if columns:
        query = query.select(columns)
    found: list[Row] = query.to_arrow().to_pylist()
    return found


def quoted(value: str) -> str:
    """A string as a literal of LanceDB's SQL."""
    return "'" + value.replace("'", "''") + "'"


def among(column: str, values: list[str]) -> str:
    """The condition that ``column`` holds one of ``values``."""
    return f"{column} IN ({', '.join(map(quoted, values))})" if values else "false"


def any_of(column: str, values: list[str]) -> str:
    """The condition that the list in ``column`` holds one of ``values``."""
    return " OR ".join(f"array_has({column}, {quoted(value)})" for value in values) or "false"


def below(column: str, domains: list[str]) -> str:
    """The condition that the host in ``column`` is one of ``domains`` or lies below one."""
    parts = [
        f"{column} = {quoted(name)} OR ends_with({column}, {quoted('.' + name)})"
        for name in domains
    ]
    return " OR ".join(parts) or "false"


def every(conditions: Mapping[str, str]) -> str | None:
    """All conditions at once, or None where there is none."""
    return " AND ".join(f"({condition})" for condition in conditions.values()) or None


def tagged(table: Table) -> set[int]:
    """The versions that carry a tag."""
    return {int(tag["version"]) for tag in table.tags.list().values()}


def version_number(name: str) -> int | None:
    """The 7 of a corpus version ``v7-0123abcd``; None if the name has another form."""
    match = re.fullmatch(r"v(\d+)-[0-9a-f]{8}", name)
    return int(match.group(1)) if match else None
