"""Vectors kept on disk: the passages of an evaluation, and their sentences, are those of the one
before it. A sentence takes the default embedder some 3 ms of CPU, a passage 20, and this 0.05. The
texts themselves are not kept.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger("moot.vectors")

MOST = 200_000
"""Vectors kept: 300 MB of 384 float32 each; the oldest go first."""
WAIT_S = 10.0


class KeptVectors:
    """Vectors by text in a file that processes share. A fault of the file costs time, no more.

    Args:
        folder: Where the files are, one for each embedder.
        name: The embedder's name.
        most: How many are kept.
    """

    def __init__(self, folder: Path, name: str, *, most: int = MOST) -> None:
        self._path = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.sqlite"
        self._most = most
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._broken = False

    def get(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """Those that are kept, ``(dimension,)`` float32 each."""
        import numpy as np

        wanted = {_key(text): text for text in texts}
        if not wanted or self._broken:
            return {}
        marks = ",".join("?" * len(wanted))
        query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608 - marks only
        try:
            with self._lock:
                rows = self._open().execute(query, list(wanted)).fetchall()
        except (sqlite3.Error, OSError) as error:
            return self._gave_up(error)
        return {wanted[key]: np.frombuffer(found, dtype=np.float32) for key, found in rows}

    def put(self, found: Mapping[str, np.ndarray]) -> None:
        """Keep these too."""
        rows = [(_key(text), row.tobytes()) for text, row in found.items()]
        if not rows or self._broken:
            return
        try:
            with self._lock, self._open() as connection:
                connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
                connection.execute(
                    "DELETE FROM vectors WHERE rowid <= (SELECT max(rowid) FROM vectors) - ?",
                    [self._most],
                )
        except (sqlite3.Error, OSError) as error:
            self._gave_up(error)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            found = sqlite3.connect(self._path, timeout=WAIT_S, check_same_thread=False)
            found.execute("PRAGMA journal_mode=WAL")
            found.execute("PRAGMA synchronous=NORMAL")
            found.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB UNIQUE, vector BLOB)")
            self._connection = found
        return self._connection

    def _gave_up(self, error: Exception) -> dict[str, np.ndarray]:
        self._broken = True
        log.warning("vectors are not kept any more: %s (%s)", error, self._path)
        return {}


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


__all__ = ["KeptVectors"]
