"""Refused writes, said plainly."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signatures.errors import StorageError

_SPACE = "free some space, then `moot resume`"
_ELSEWHERE = "set MOOT_ARTIFACTS to a folder that can be written"
_REMEDIES = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EROFS: _ELSEWHERE,
    errno.EACCES: _ELSEWHERE,
    errno.EPERM: _ELSEWHERE,
}


def refusal(error: OSError, path: Path | str | None = None) -> StorageError | None:
    """Our error for a disk's refusal (full, read-only, forbidden); None for other faults."""
    if error.errno not in _REMEDIES:
        return None
    return StorageError(
        f"cannot write {path or error.filename or 'a file'}",
        got=error.strerror,
        remedy=_REMEDIES[error.errno],
    )


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turn a refused write inside the block into a :class:`StorageError`.

    Raises:
        StorageError: The disk is full, read-only or forbidden.
    """
    try:
        yield
    except OSError as error:
        found = refusal(error, path)
        if found is None:
            raise
        raise found from error


__all__ = ["refusal", "storage"]
