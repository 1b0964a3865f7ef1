"""One run: its folder, its ledger, and the files that make it readable and resumable."""

from __future__ import annotations

import errno
import json
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from modules.lm.ledger import Budget, Ledger
from signatures.errors import InputError, StorageError

CONFIG_FILE = "config.yaml"
RESULT_FILE = "result.json"
LEDGER_FILE = "ledger.jsonl"
STATE_FILE = "state.json"


def new_id(subject: str) -> str:
    """A readable id that no other run has: time, words of the subject, chance."""
    slug = re.sub(r"[^a-z0-9]+", "-", subject.lower()).strip("-")[:40].strip("-")
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return "-".join(part for part in (stamp, slug, secrets.token_hex(3)) if part)


class Run:
    """A run folder and what is kept in it.

    Args:
        folder: The run's folder; it may exist, but must hold no finished result.
        flow: The flow's name.
        plain: The resolved configuration, kept so that the run can be resumed.
        budget: Caps over all invocations of the run.
    """

    def __init__(
        self, folder: Path, flow: str, plain: dict[str, Any], budget: Budget | None = None
    ) -> None:
        self.folder = folder
        self.flow = flow
        self.id = folder.name
        self.started = time.monotonic()
        if (folder / RESULT_FILE).exists():
            raise InputError(
                f"the run folder {folder} holds a finished run",
                remedy="start a new run; results are never overwritten",
            )
        with storage(folder):
            folder.mkdir(parents=True, exist_ok=True)
        kept = {"flow": flow, **plain}
        self.write(CONFIG_FILE, yaml.safe_dump(kept, allow_unicode=True, sort_keys=False))
        self.ledger = Ledger(folder / LEDGER_FILE, budget)

    @property
    def seconds(self) -> float:
        """Seconds since this invocation began."""
        return round(time.monotonic() - self.started, 3)

    def write(self, name: str, text: str) -> Path:
        """Write a file of the run, whole or not at all.

        Raises:
            StorageError: The disk refused.
        """
        path = self.folder / name
        with storage(path):
            draft = path.with_suffix(path.suffix + ".part")
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
        return path

    def state(self) -> dict[str, Any]:
        """What earlier invocations of this run left for later ones."""
        path = self.folder / STATE_FILE
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}

    def remember(self, **values: Any) -> None:
        """Add to :meth:`state`."""
        self.write(STATE_FILE, json.dumps({**self.state(), **values}, indent=2))


def load(folder: Path) -> tuple[str, dict[str, Any]]:
    """The flow and the plain configuration of a run folder.

    Raises:
        InputError: The folder is no run.
    """
    path = folder / CONFIG_FILE
    if not path.exists():
        raise InputError(
            f"{folder} is not a run",
            expected=f"a folder with {CONFIG_FILE}",
            remedy="`moot runs` lists the runs there are",
        )
    plain = yaml.safe_load(path.read_text(encoding="utf-8"))
    return plain.pop("flow"), plain


def find(runs: Path, name: str | None) -> Path:
    """The run folder that ``name`` means: a path, an id, the start of one; or the latest.

    Raises:
        InputError: No run, or several, are meant.
    """
    if name and (Path(name) / CONFIG_FILE).exists():
        return Path(name).absolute()
    known = every(runs)
    matches = [p for p in known if name is None or p.name.startswith(name)]
    if name is None and matches:
        return matches[-1]
    if len(matches) != 1:
        raise InputError(
            f"{len(matches)} runs match {name!r}" if name else "there are no runs yet",
            expected="one run",
            remedy="`moot runs` lists the runs there are",
        )
    return matches[0]


def every(runs: Path) -> list[Path]:
    """All run folders, oldest first."""
    found = runs.glob(f"*/**/{CONFIG_FILE}") if runs.exists() else ()
    return sorted(
        (p.parent for p in found if p.parent.name != ".hydra"),
        key=lambda folder: ((folder / CONFIG_FILE).stat().st_mtime_ns, folder.name),
    )


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Say a refused write plainly.

    Raises:
        StorageError: The block met a full, read-only or forbidden disk.
    """
    try:
        yield
    except OSError as error:
        remedies = {
            errno.ENOSPC: "free some space, then `moot resume`",
            errno.EDQUOT: "free some space, then `moot resume`",
            errno.EROFS: "set MOOT_ARTIFACTS to a folder that can be written",
            errno.EACCES: "set MOOT_ARTIFACTS to a folder that can be written",
        }
        if error.errno not in remedies:
            raise
        raise StorageError(
            f"cannot write {path}",
            got=error.strerror or type(error).__name__,
            remedy=remedies[error.errno],
        ) from error


__all__ = ["RESULT_FILE", "Run", "every", "find", "load", "new_id", "storage"]
