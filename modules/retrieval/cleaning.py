"""Files of versions that nothing names any more, deleted.

LanceDB deletes old versions too, but through Python it refuses once one of them carries a tag, and
here every finished corpus does. A version is one manifest, and a manifest names its data files and
holds the identifiers of its indexes: what no kept manifest holds serves nobody.
"""

from __future__ import annotations

import re
import shutil
import time
import uuid
from collections.abc import Iterable
from pathlib import Path

NEWEST = 4
"""Versions that stay in any case."""

RECENT = 86_400.0
"""Seconds that a version without a tag stays: a run may have opened it before it was tagged."""

_MANIFEST = re.compile(r"(\d{20})\.manifest")
_LAST = 2**64 - 1


def clean(folder: Path, tagged: Iterable[int], fragments: int) -> int:
    """Delete versions that carry no tag, and the files that were theirs alone.

    Only under the writer's lock. Manifests go first: a version is whole or not there at all, and
    files that a killed clean-up left are deleted by the next.

    Args:
        folder: Of the table.
        tagged: The versions that carry a tag; none of them is touched.
        fragments: How many the newest version has. Where fewer are found in its manifest, the
            files are laid out otherwise than is known here, and nothing is deleted.

    Returns:
        How many versions were deleted.
    """
    every = _versions(folder)
    if not every:
        return 0
    newest = sorted(every)[-NEWEST:]
    then = time.time() - RECENT
    kept = {*tagged, *newest, *(v for v, path in every.items() if path.stat().st_mtime > then)}
    held = b"\0".join(every[version].read_bytes() for version in sorted(kept & every.keys()))
    data = _files(folder / "data")
    current = every[newest[-1]].read_bytes()
    if sum(path.name.encode() in current for path in data) < fragments:
        return 0
    gone = sorted(every.keys() - kept)
    for version in gone:
        every[version].unlink()
    for path in [*data, *_files(folder / "_transactions")]:
        if path.name.encode() not in held:
            path.unlink()
    for path in _files(folder / "_indices"):
        name = _identifier(path.name)
        if name is not None and name not in held:
            shutil.rmtree(path)
    return len(gone)


def _versions(folder: Path) -> dict[int, Path]:
    """Version -> manifest; nothing where one is named otherwise than is known here."""
    found = {}
    for path in _files(folder / "_versions"):
        if path.suffix == ".manifest":
            name = _MANIFEST.fullmatch(path.name)
            if name is None:
                return {}
            found[_LAST - int(name[1])] = path
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _identifier(name: str) -> bytes | None:
    """The bytes of an index's identifier; None if the folder is something else."""
    try:
        return uuid.UUID(name).bytes
    except ValueError:
        return None


__all__ = ["NEWEST", "RECENT", "clean"]
