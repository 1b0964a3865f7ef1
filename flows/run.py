"""One run: its folder, its ledger, and the files that make it readable and resumable."""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol, TypeVar

import filelock
import yaml

from modules.disk import storage
from modules.lm.ledger import Budget, Ledger
from signatures.errors import InputError

CONFIG_FILE = "config.yaml"
RESULT_FILE = "result.json"
LEDGER_FILE = "ledger.jsonl"
STATE_FILE = "state.json"
LOCK_FILE = "run.lock"


class _Closable(Protocol):
    def close(self) -> object: ...


T = TypeVar("T", bound=_Closable)


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
        self._remembering = threading.Lock()
        self._held = ExitStack()
        if (folder / RESULT_FILE).exists():
            raise InputError(
                f"the run folder {folder} holds a finished run",
                remedy="start a new run; results are never overwritten",
            )
        with storage(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self._lock = filelock.FileLock(folder / LOCK_FILE, timeout=0, thread_local=False)
        self._claim(plain)
        kept = {"flow": flow, **plain}
        self.write(CONFIG_FILE, _dumped(kept))
        self.ledger = Ledger(folder / LEDGER_FILE, budget)

    def _claim(self, plain: dict[str, Any]) -> None:
        """Hold the folder for this invocation alone, and for this subject alone."""
        try:
            self._lock.acquire()
        except filelock.Timeout:
            raise InputError(
                f"the run {self.id} is under way in another process",
                remedy="wait for it, or start a new run",
            ) from None
        if (self.folder / CONFIG_FILE).exists():
            _, earlier = load(self.folder)
            if earlier.get("subject") != plain.get("subject"):
                self.close()
                raise InputError(
                    f"the run folder {self.folder} belongs to another subject",
                    got=repr(earlier.get("subject"))[:80],
                    remedy="start a new run",
                )

    def holding(self, thing: T) -> T:
        """Have something closed with the run."""
        self._held.callback(thing.close)
        return thing

    def close(self) -> None:
        """Close what the run holds, and let go of its folder."""
        try:
            self._held.close()
        finally:
            self._lock.release()

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
        """Add to :meth:`state`; the record's thread does so beside the flow's."""
        with self._remembering:
            self.write(STATE_FILE, json.dumps({**self.state(), **values}, indent=2))


def _dumped(plain: dict[str, Any]) -> str:
    """As YAML, by the C library: the other takes a hundred times as long."""
    return str(yaml.dump(plain, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False))


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
    matches = [p for p in matches if p.name == name] or matches
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


__all__ = ["RESULT_FILE", "Run", "every", "find", "load", "new_id"]
