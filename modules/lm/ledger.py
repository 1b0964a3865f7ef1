"""Counting at the LM: every call, token and dollar, attributed to the unit that spent it.

A ledger belongs to one run. It is appended to as calls happen, so that what a killed process
spent is still known when the run is resumed.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Literal

from pydantic import Field

from modules.disk import storage
from signatures.errors import BudgetReached, MootError
from signatures.types import Record, Usage

FILES = "ledger*.jsonl"

_unit: ContextVar[str] = ContextVar("moot_unit", default="")


class Budget(Record):
    """Hard caps on what a run may spend over all its invocations; None is no cap.

    ``tokens`` counts input and output together; ``calls`` counts those that reached a backend.
    """

    usd: float | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)


class Entry(Record):
    """One line of the ledger: one attempt at a backend, or one answer from the cache."""

    kind: Literal["call", "cached", "failed"]
    unit: str
    role: str
    model: str
    invocation: int
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0

    def usage(self) -> Usage:
        """The line as usage."""
        return Usage(
            calls=int(self.kind == "call"),
            cached_calls=int(self.kind == "cached"),
            failed_attempts=int(self.kind == "failed"),
            input_tokens=self.input_tokens,
            cached_input_tokens=self.cached_input_tokens,
            output_tokens=self.output_tokens,
            usd=self.usd,
        )


class Ledger:
    """Thread-safe record of what was spent, optionally kept in a JSON Lines file.

    Processes that work on one run have a file each, all in one folder (``ledger*.jsonl``); each
    reads the others' with :meth:`catch_up`.

    Args:
        path: Where to append; None keeps the ledger in memory.
        budget: Caps that :meth:`check` enforces over all invocations found in the files.
        invocation: Which invocation of the run this is; by default the next one.
    """

    def __init__(
        self,
        path: Path | None = None,
        budget: Budget | None = None,
        *,
        invocation: int | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._path = path
        # Running totals, by unit and invocation; None stands for all of them.
        self._sums: defaultdict[tuple[str | None, int | None], Usage] = defaultdict(Usage)
        self._known_usd = 0.0
        self._halted = False
        self._under_way = 0
        self.budget = budget or Budget()
        self._read_to: dict[Path, int] = {}
        self._latest = 0
        if path is not None and path.exists():
            self._take_in(_read(path))
            _mend(path)
        self.catch_up()
        self.invocation = invocation or self._latest + 1

    def record(
        self,
        kind: Literal["call", "cached", "failed"],
        *,
        role: str,
        model: str,
        usage: Usage | None = None,
    ) -> None:
        """Append one line for the current unit.

        Args:
            kind: ``call`` reached a backend, ``cached`` did not, ``failed`` tried and failed.
            role: The role that asked.
            model: The model that was asked.
            usage: Tokens and money of the call; its counts are ignored.

        Raises:
            StorageError: The disk refuses the line.
        """
        spent = usage or Usage()
        entry = Entry(
            kind=kind,
            unit=_unit.get(),
            role=role,
            model=model,
            invocation=self.invocation,
            input_tokens=spent.input_tokens,
            cached_input_tokens=spent.cached_input_tokens,
            output_tokens=spent.output_tokens,
            usd=spent.usd,
        )
        with self._lock:
            self._under_way -= kind != "cached" and self._under_way > 0
            self._add(entry)
            if self._path is not None:
                with storage(self._path), self._path.open("a", encoding="utf-8") as file:
                    file.write(entry.model_dump_json() + "\n")

    def catch_up(self) -> None:
        """Take in what other processes have written since."""
        if self._path is None:
            return
        with self._lock:
            for other in sorted(self._path.parent.glob(FILES)):
                if other != self._path:
                    entries, self._read_to[other] = _more(other, self._read_to.get(other, 0))
                    self._take_in(entries)

    def usage(self, *, unit: str | None = None, invocation: int | None = None) -> Usage:
        """What was spent, over everything or over one unit or invocation."""
        with self._lock:
            return self._sums.get((unit, invocation), Usage())

    def check(self) -> None:
        """Begin a call, or refuse it once a cap is reached.

        A call counts against ``budget.calls`` from here on, until it is recorded or given up:
        calls side by side do not pass the cap together. What they cost is known afterwards only.

        Raises:
            BudgetReached: A cap has been met by what is already spent.
            MootError: The run is being stopped.
        """
        self.go_on()
        with self._lock:
            total = self._sums.get((None, None), Usage())
            known, under_way = self._known_usd, self._under_way
            self._under_way += 1
        spent = {
            "usd": known,
            "tokens": total.input_tokens + total.output_tokens,
            "calls": total.calls + under_way,
        }
        for name, value in spent.items():
            cap = getattr(self.budget, name)
            if cap is not None and value >= cap:
                self.give_up()
                raise BudgetReached(
                    f"budget.{name} is reached",
                    expected=f"less than {cap:g}",
                    got=f"{value:g}",
                    remedy=f"resume the run with a higher budget.{name}",
                )

    def _take_in(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._add(entry)
            self._latest = max(self._latest, entry.invocation)

    def _add(self, entry: Entry) -> None:
        spent = entry.usage()
        for unit in (entry.unit, None):
            for invocation in (entry.invocation, None):
                self._sums[unit, invocation] += spent
        # An unpriced call hides the sum, not the dollars that are known.
        self._known_usd += entry.usd or 0.0

    def give_up(self) -> None:
        """A call that was begun came to nothing that could be recorded."""
        with self._lock:
            self._under_way -= self._under_way > 0

    def go_on(self) -> None:
        """Raise MootError if the run is being stopped."""
        if self._halted:
            raise MootError("the run is being stopped", remedy="finish it: moot resume")

    def halt(self) -> None:
        """Let no further call begin: the run is being stopped."""
        self._halted = True

    @contextmanager
    def unit(self, name: str) -> Iterator[None]:
        """Attribute what is spent inside the block to ``name``."""
        token = _unit.set(name)
        try:
            yield
        finally:
            _unit.reset(token)


def _mend(path: Path) -> None:
    """End a line torn by a kill, so that the next entry starts on a line of its own."""
    if not path.read_bytes().endswith(b"\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")


def _read(path: Path) -> list[Entry]:
    """The lines of a ledger; a last line torn by a kill is dropped."""
    return _entries(path.read_text(encoding="utf-8"))


def _more(path: Path, start: int) -> tuple[list[Entry], int]:
    """The whole lines from a byte on, and the byte after them."""
    with path.open("rb") as file:
        file.seek(start)
        found = file.read()
    whole = found[: found.rfind(b"\n") + 1]
    return _entries(whole.decode()), start + len(whole)


def _entries(text: str) -> list[Entry]:
    entries = []
    for line in text.splitlines():
        try:
            entries.append(Entry.model_validate(json.loads(line)))
        except json.JSONDecodeError:
            continue
    return entries


__all__ = ["Budget", "Entry", "Ledger"]
