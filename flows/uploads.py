"""Documents that a reader of the page brings along: an index of their own, for one run.

They go through the same ingestion as any others, from memory: no file of a stranger's naming is
ever written, and an address in one is not followed.
"""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from flows.compose import composed
from flows.config import DebateConfig, typed
from flows.environment import artifacts
from flows.runtime import embedder_of
from modules.disk import storage
from modules.markup import one_line
from modules.retrieval import EvidenceStore
from modules.retrieval.ingestion import Absorbed, absorb
from modules.retrieval.sniff import KINDS
from modules.retrieval.types import Candidate, Origin
from signatures.results import Refused

FILES = 20
MEGABYTES = 5
TOGETHER_MEGABYTES = 20
"""At most so many files, so large each, so large together."""

ENDINGS = tuple(sorted({ending.removeprefix(".") for ending in KINDS}))
INDEX = "index"
"""Where a run keeps the index of its own documents."""

_MB = 1_000_000
_ROOT = "uploaded"
_LONGEST = 120
_FORGOTTEN_S = 24 * 3600.0


class Upload(NamedTuple):
    """A file as it was sent."""

    name: str
    raw: bytes


class Documents(NamedTuple):
    """What became of the files: an index in ``folder`` of those taken."""

    folder: Path
    absorbed: Absorbed

    @property
    def taken(self) -> int:
        """How many documents can be drawn on."""
        return len(self.absorbed.taken)


def take_in(files: Sequence[Upload]) -> Documents:
    """An index of the files; those that cannot be used are refused by name, with the reason.

    Raises:
        StorageError: The disk refuses.
    """
    place = artifacts() / "uploads"
    with storage(place):
        place.mkdir(parents=True, exist_ok=True)
        _forget(place)
    folder = place / secrets.token_hex(8)
    config = typed(DebateConfig, composed("debate", "uploads", {}))
    return Documents(folder, absorb(_checked(files), EvidenceStore(folder, embedder_of(config))))


def give_to(documents: Documents, run: Path) -> Path:
    """Move the index into the run's folder; where it is now.

    Raises:
        StorageError: The disk refuses.
    """
    index = run / INDEX
    with storage(index):
        run.mkdir(parents=True, exist_ok=True)
        documents.folder.rename(index)
    return index


def drop(documents: Documents) -> None:
    """Forget documents that no run was given."""
    shutil.rmtree(documents.folder, ignore_errors=True)


def _checked(files: Sequence[Upload]) -> Iterator[Candidate | Refused]:
    size = 0
    for number, (given, raw) in enumerate(files, start=1):
        name = _name(given)
        kind = KINDS.get(PurePosixPath(name).suffix.lower())
        size += len(raw)
        if number > FILES:
            yield Refused(source=name, reason=f"is one too many: at most {FILES} files")
        elif kind is None:
            yield Refused(
                source=name, reason=f"is of a type that cannot be read: {', '.join(ENDINGS)}"
            )
        elif len(raw) > MEGABYTES * _MB:
            yield Refused(source=name, reason=f"is larger than {MEGABYTES} MB")
        elif size > TOGETHER_MEGABYTES * _MB:
            reason = f"is too much: at most {TOGETHER_MEGABYTES} MB together"
            yield Refused(source=name, reason=reason)
        else:
            yield Candidate(Origin(name, _ROOT, kind=kind), raw=raw)


def _name(given: str) -> str:
    """The last part of the name, as it can be shown; its ending is kept."""
    path = PurePosixPath(one_line(given.replace("\\", "/")) or "document")
    return f"{path.stem[:_LONGEST]}{path.suffix}"


def _forget(place: Path) -> None:
    """Remove what was uploaded a day ago and given to no run."""
    for old in place.iterdir():
        if time.time() - old.stat().st_mtime > _FORGOTTEN_S:
            shutil.rmtree(old, ignore_errors=True)


__all__ = [
    "ENDINGS", "FILES", "INDEX", "MEGABYTES", "TOGETHER_MEGABYTES", "Documents", "Upload",
    "drop", "give_to", "take_in",
]  # fmt: skip
