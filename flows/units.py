"""Units as Prefect tasks: one persisted, retried, counted piece of work for one item.

A flow over many items persists units, never the stages inside them: a unit's result is one JSON
document under the unit's key. Units that fail are counted with their reason, and are the only
ones that run again in a later invocation.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from prefect import task
from prefect.utilities.annotations import quote
from pydantic_core import to_jsonable_python

from flows.progress import QUIET_S, Progress
from flows.remote import errand, lost, remote_unit
from flows.run import Run
from flows.sections import Runner
from flows.settled import settled
from flows.stages import infrastructure, outcome
from modules.disk import refusal
from modules.lm.ledger import Ledger
from signatures.errors import BudgetReached, MootError, StorageError, TooManyFailures
from signatures.types import Usage

HEADROOM = 1.5
"""Units under way for each call that may run at once: while one prepares its next call or checks
its citations, another has its call out."""

STOPS = (BudgetReached, StorageError)
"""What is no unit's fault, and would meet all that follow: no further one is begun."""


@dataclass(frozen=True)
class Unit:
    """One piece of work.

    Attributes:
        name: Readable, and no other unit of the run has it: what it spends is counted under it.
        key: Of its result, from everything the result depends on (:func:`unit_key`).
        work: Does it; returns JSON.
        about: What it is for, for whoever gets its outcome.
        given: What rebuilding it in another process takes besides ``about``, as JSON.
    """

    name: str
    key: str
    work: Callable[[], Any]
    about: Any = None
    given: Any = None


class Outcome(NamedTuple):
    """What became of a unit: ``value`` is JSON, or ``reason`` says why there is none.

    ``usage`` is what the value cost when it was made, over all invocations it took; ``seconds``
    how long the invocation that made it took over it.
    """

    unit: Unit
    value: Any
    reason: str | None
    usage: Usage
    seconds: float
    reused: bool


class Canonical(str):
    """JSON in the form that keys are made from."""


def canonical(content: Any) -> Canonical:
    """What many keys have in common, written once for all of them."""
    found = json.dumps(to_jsonable_python(content), sort_keys=True, ensure_ascii=False)
    return Canonical(found)


def unit_key(kind: str, **content: Any) -> str:
    """The key of a unit's result: a hash over everything it depends on, as canonical JSON."""
    parts = [
        f"{canonical(name)}: {it if isinstance(it, Canonical) else canonical(it)}"
        for name, it in sorted(content.items())
    ]
    text = "{" + ", ".join(parts) + "}"
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


@task(
    name="unit",
    task_run_name="{name}",
    cache_key_fn=lambda context, parameters: str(parameters["key"]),
    persist_result=True,
    result_serializer="json",
    result_storage_key="{parameters[key]}.json",
    retry_condition_fn=infrastructure,
)
def _unit(key: str, name: str, work: Callable[[], Any], run: Run) -> dict[str, Any]:
    return document(run.ledger, name, work)


def document(ledger: Ledger, name: str, work: Callable[[], Any]) -> dict[str, Any]:
    """Do a unit's work; its value, what it cost over all invocations, and its seconds, as JSON."""
    started = time.monotonic()
    with ledger.unit(name):
        value = work()
    return {
        "value": value,
        "usage": ledger.usage(unit=name).model_dump(mode="json"),
        "seconds": round(time.monotonic() - started, 3),
    }


def kept_at(unit: Unit) -> Path:
    """Where Prefect keeps a unit's result."""
    return Path(os.environ["PREFECT_RESULTS_LOCAL_STORAGE_PATH"]) / f"{unit.key}.json"


def kept(unit: Unit) -> Outcome | None:
    """What earlier work made of a unit, as Prefect persisted it, or None.

    A task would find the same, in twenty times as long.
    """
    try:
        found = json.loads(json.loads(kept_at(unit).read_bytes())["result"])
        usage = Usage.model_validate(found["usage"])
        return Outcome(unit, found["value"], None, usage, found["seconds"], True)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # absent, or torn: made anew


class UnitPool:
    """Runs units side by side in the flow's threads, and keeps count.

    Args:
        run: The run whose ledger counts.
        runner: Retries, and how many calls may run at once.
        expected: How many units there will be, for the progress bar and the limit of failures.
        max_failed: The share of them that may fail before no more are begun.
    """

    def __init__(self, run: Run, runner: Runner, *, expected: int, max_failed: float) -> None:
        self._run = run
        self._elsewhere = runner.kind == "dask"
        self._task = (remote_unit if self._elsewhere else _unit).with_options(
            retries=runner.retries, retry_delay_seconds=runner.retry_delay_s
        )
        self._slots = max(1, round(HEADROOM * runner.concurrency))
        self._expected = expected
        self._allowed = max_failed * expected
        self._progress = Progress(expected, self._said)
        self._failed: list[Outcome] = []
        self.reused = 0
        self.total = Usage()
        self.stopped: MootError | None = None

    @settled()
    def run(
        self, units: Iterable[Unit], then: Callable[[Outcome], Iterable[Unit]] = lambda _: ()
    ) -> None:
        """Run units in order, and before the rest those that ``then`` makes of an outcome.

        When the budget is reached, the disk is full or too many have failed, no further unit is
        begun, those under way are waited for, and :attr:`stopped` says why.
        """
        waiting = iter(units)
        next_up: deque[Unit] = deque()
        done: queue.SimpleQueue[tuple[Unit, Any]] = queue.SimpleQueue()
        under_way = 0
        try:
            while True:
                while under_way < self._slots and self.stopped is None:
                    unit = next_up.popleft() if next_up else next(waiting, None)
                    if unit is None:
                        break
                    if (there := kept(unit)) is not None:
                        self._settle(there, then, next_up)
                        continue
                    self._submit(unit, done)
                    under_way += 1
                if not under_way:
                    return
                finished, future = self._next(done)
                under_way -= 1
                self._settle(self._outcome(finished, future), then, next_up)
        except BaseException:
            # Ctrl-C: what is under way ends at its next call, not after all of them.
            self._run.ledger.halt()
            raise

    def close(self) -> None:
        """Remove the progress bar."""
        self._progress.close()

    def usage(self) -> Usage:
        """What this invocation spent."""
        spent = self._run.ledger.usage(invocation=self._run.ledger.invocation)
        return spent.model_copy(update={"units_reused": self.reused})

    def _settle(
        self, outcome: Outcome, then: Callable[[Outcome], Iterable[Unit]], next_up: deque[Unit]
    ) -> None:
        next_up.extend(then(outcome))
        self._count(outcome)

    def _submit(self, unit: Unit, done: queue.SimpleQueue[tuple[Unit, Any]]) -> None:
        # Quoted arguments are passed through without being looked into.
        given: tuple[Any, ...] = (quote(unit.work), quote(self._run))
        if self._elsewhere:
            place = (str(self._run.folder), self._run.ledger.invocation)
            given = (errand(unit), *place)
        future = self._task.submit(unit.key, unit.name, *given)
        future.add_done_callback(lambda finished: done.put((unit, finished)))

    def _outcome(self, unit: Unit, future: Any) -> Outcome:
        future.wait()
        state, found = None, lost(future) if self._elsewhere else None
        if found is None:
            state = future.state
            found = outcome(state)
        if self._elsewhere:
            self._run.ledger.catch_up()
        if isinstance(found, OSError):
            found = refusal(found) or found
        if isinstance(found, BaseException):
            if isinstance(found, STOPS):
                self.stopped = self.stopped or found
            spent = self._run.ledger.usage(unit=unit.name)
            return Outcome(unit, None, _reason(found), spent, 0, False)
        usage = Usage.model_validate(found["usage"])
        reused = state is not None and state.name == "Cached"
        return Outcome(unit, found["value"], None, usage, found["seconds"], reused)

    def _count(self, outcome: Outcome) -> None:
        self.total = self.total + outcome.usage
        self.reused += outcome.reused
        if outcome.reason is not None and not isinstance(self.stopped, STOPS):
            self._failed.append(outcome)
            if self.stopped is None and len(self._failed) > self._allowed:
                self.stopped = self._too_many()
        self._progress.step(made=not outcome.reused)

    def _too_many(self) -> TooManyFailures:
        first = self._failed[0]
        return TooManyFailures(
            f"{len(self._failed)} of {self._expected} units failed",
            expected=f"at most {int(self._allowed)} (max_failed)",
            got=f"{first.unit.name}: {first.reason}",
            remedy="see failures.jsonl; `moot resume` runs the failed ones again",
        )

    def _next(self, done: queue.SimpleQueue[tuple[Unit, Any]]) -> tuple[Unit, Any]:
        """The next unit that ends, waited for."""
        while True:
            try:
                return done.get(timeout=QUIET_S)
            except queue.Empty:
                self._progress.still()

    def _said(self) -> str:
        spent = self._run.ledger.usage(invocation=self._run.ledger.invocation)
        money = "unpriced" if spent.usd is None else f"${spent.usd:.2f}"
        return (
            f"{spent.calls} calls, {spent.input_tokens + spent.output_tokens} tokens, {money}, "
            f"{self.reused} reused, {len(self._failed)} failed"
        )


def _reason(error: BaseException) -> str:
    return error.line() if isinstance(error, MootError) else f"{type(error).__name__}: {error}"


__all__ = ["Outcome", "Unit", "UnitPool", "document", "kept", "kept_at", "settled", "unit_key"]
