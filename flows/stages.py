"""Stages as Prefect tasks: retried, persisted under our own key, counted, shown.

A stage's result is a JSON document ``{"value": ..., "usage": ...}`` in Prefect's result storage;
``usage`` is what the value cost when it was made, over all invocations it took.
"""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from prefect import task
from prefect.results import ResultRecord  # type: ignore[attr-defined]  # it has no __all__
from prefect.utilities.annotations import quote
from tqdm import tqdm

from flows.run import Run
from flows.sections import Runner
from modules.stage import Stage, key
from signatures.errors import MootError, OutageError
from signatures.types import Usage

log = logging.getLogger("moot.stages")


def outcome(state: Any) -> Any:
    """What a task left that has ended in this process: its result, or what it raised.

    ``state.result()`` asks Prefect's event loop for it, which takes a millisecond and waits for
    every thread that computes; the result is in the state already.
    """
    found = state.data
    return found.result if isinstance(found, ResultRecord) else state.result(raise_on_failure=False)


def infrastructure(task: Any, run: Any, state: Any) -> bool:
    """Outages and unforeseen faults are tried again; what we know to be final is not."""
    error = outcome(state)
    return isinstance(error, OutageError) or not isinstance(error, MootError)


@task(
    name="stage",
    task_run_name="{name}",
    cache_key_fn=lambda context, parameters: str(parameters["key"]),
    persist_result=True,
    result_serializer="json",
    result_storage_key="{parameters[key]}.json",
    retry_condition_fn=infrastructure,
)
def _stage(key: str, name: str, stage: Stage, inputs: dict[str, Any], run: Run) -> dict[str, Any]:
    with run.ledger.unit(name):
        value = stage(**inputs)
    return {
        "value": stage.returns().dump_python(value, mode="json"),
        "usage": run.ledger.usage(unit=name).model_dump(mode="json"),
    }


@functools.cache
def _retried(retries: int, delay_s: float) -> Any:
    """Made once: Prefect reads the function's source for each."""
    return _stage.with_options(retries=retries, retry_delay_seconds=delay_s)


def _arguments(name: str, stage: Stage, inputs: dict[str, Any], run: Run) -> tuple[Any, ...]:
    """The task's arguments; quoted ones are passed through without being looked into."""
    return key(name, stage, inputs), name, quote(stage), quote(inputs), quote(run)


def _final(future: Any) -> Any:
    future.wait()
    return future.state


class _Started(NamedTuple):
    """A stage under way; its value is waited for once."""

    result: Callable[[], Any]
    add_done_callback: Callable[[Callable[[Any], None]], None]


class TaskStep:
    """The step a flow passes to a method: each stage becomes a task of the flow run.

    Args:
        run: The run whose ledger counts.
        runner: Retries.
        total: How many stages are expected, for the progress bar.
        meanwhile: Called once the first stage is done: from then on the flow waits for LMs, and
            has time for what must be done beside it.
    """

    def __init__(
        self, run: Run, runner: Runner, *, total: int, meanwhile: Callable[[], object] | None = None
    ) -> None:
        self._run = run
        self._meanwhile = meanwhile
        self._task = _retried(runner.retries, runner.retry_delay_s)
        self._bar = tqdm(total=total, file=sys.stderr, disable=None, leave=False, unit="stage")
        self.reused = 0
        self.total = Usage()

    def __call__(self, name: str, stage: Stage, **inputs: Any) -> Any:
        self._bar.set_description(name)
        state = self._task(*_arguments(name, stage, inputs, self._run), return_state=True)
        return self._value(name, stage, state)

    def start(self, name: str, stage: Stage, **inputs: Any) -> _Started:
        """As a call, in a thread of the flow's task runner."""
        future = self._task.submit(*_arguments(name, stage, inputs, self._run))
        return _Started(lambda: self._value(name, stage, _final(future)), future.add_done_callback)

    def _value(self, name: str, stage: Stage, state: Any) -> Any:
        result = outcome(state)
        if isinstance(result, BaseException):
            raise result
        self.reused += state.name == "Cached"
        self.total = self.total + Usage.model_validate(result["usage"])
        if self._bar.disable:
            log.info("%s %s", name, "reused" if state.name == "Cached" else "done")
        self._bar.update()
        if self._meanwhile is not None:
            self._meanwhile()
            self._meanwhile = None
        return stage.returns().validate_python(result["value"])

    def close(self) -> None:
        """Remove the progress bar."""
        self._bar.close()

    def usage(self) -> Usage:
        """What this invocation spent."""
        spent = self._run.ledger.usage(invocation=self._run.ledger.invocation)
        return spent.model_copy(update={"units_reused": self.reused})


__all__ = ["TaskStep", "infrastructure", "outcome"]
