"""Traces: what each unit asked its models, kept in the run's folder until MLflow has them.

Units are chosen by their names, so the same ones are traced whichever thread or process runs them
and however often the run is resumed. Lines are written as units end, by each process to a file of
its own; nothing waits in a queue that could be full. What was kept, of how many, is said in the
record.
"""

from __future__ import annotations

import functools
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from flows.sections import Tracking
from flows.units import Unit
from modules.disk import storage

TRACES_FILE = "traces.jsonl"

ALL_FILES = "traces*.jsonl"
"""The files of all processes that worked on a run, by pattern."""

SAMPLING = ("temperature", "top_p", "max_tokens", "seed", "rollout_id", "response_format")
"""What is kept of an LM call's settings: these names only, so that no key can be among them."""

Span = dict[str, Any]

_spans: ContextVar[list[Span] | None] = ContextVar("moot_spans", default=None)


class Tracing:
    """Records the calls of units: of all, of a sample, or of none.

    Args:
        path: The file that this process writes its traces to.
        tracking: Which units are traced.
        elsewhere: Whether units run in other processes, which then trace them.
    """

    def __init__(self, path: Path, tracking: Tracking, *, elsewhere: bool = False) -> None:
        self.path = path
        self._mode = "none" if tracking.kind == "none" else tracking.traces
        self._sampled = tracking.sampled
        self._elsewhere = elsewhere
        self._before = traces_in(path.parent) if elsewhere else 0
        self._rate = 1.0
        self._torn = _torn(path)
        self._lock = threading.Lock()
        self._made = 0
        self._kept = 0

    def expect(self, units: int) -> None:
        """How many units there will be: a sample is ``sampled`` of them, on average."""
        if self._mode == "sample":
            self._rate = min(1.0, self._sampled / max(1, units))

    @property
    def active(self) -> bool:
        """Whether anything is traced."""
        return self._mode != "none" and not self._elsewhere

    def watched(self, units: Iterable[Unit]) -> Iterator[Unit]:
        """The units, those that are chosen with their calls recorded as they run."""
        if not self.active:
            yield from units
            return
        yield from map(self.watching, units)

    def watching(self, unit: Unit) -> Unit:
        """The unit, its calls recorded as it runs if it is chosen."""
        return replace(unit, work=self._watched(unit)) if self.active else unit

    def said(self) -> str:
        """What was traced, in one line."""
        if self._mode == "none":
            return "none (tracking.traces=none)"
        what = "sampled" if self._mode == "sample" else "complete"
        if self._elsewhere:
            kept = traces_in(self.path.parent) - self._before
            return f"{what}: {kept} kept by the cluster's workers in this invocation"
        return f"{what}: {self._kept} of the {self._made} units that this invocation ran"

    def _watched(self, unit: Unit) -> Callable[[], Any]:
        def work() -> Any:
            with self._lock:
                self._made += 1
            if not self._chosen(unit.name):
                return unit.work()
            spans: list[Span] = []
            token, started = _spans.set(spans), time.time_ns()
            error = ""
            try:
                with _recorded():
                    return unit.work()
            except BaseException as problem:
                error = f"{type(problem).__name__}: {problem}"
                raise
            finally:
                _spans.reset(token)
                self._write(unit, spans, started, error)

        return work

    def _chosen(self, name: str) -> bool:
        if self._rate >= 1.0:
            return True
        drawn = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        return drawn < self._rate * 2**64

    def _write(self, unit: Unit, spans: list[Span], started: int, error: str) -> None:
        place = getattr(unit.about, "place", None)
        trace = {
            "unit": unit.name,
            "cell": [] if place is None else list(place),
            "start": started,
            "end": time.time_ns(),
            "error": error,
            "spans": sorted(spans, key=lambda span: int(span["start"])),
        }
        line = json.dumps(to_jsonable_python(trace, fallback=str), ensure_ascii=False)
        with self._lock, storage(self.path), self.path.open("a", encoding="utf-8") as file:
            # A line torn by a kill must not take the next one with it.
            file.write("\n" * self._torn + line + "\n")
            self._torn = False
            self._kept += 1


def read_traces(path: Path, skip: int = 0) -> Iterator[dict[str, Any]]:
    """The traces in a file after the first ``skip`` lines; a line torn by a kill is left out."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number < skip:
                continue
            try:
                yield dict(json.loads(line))
            except ValueError:
                continue


def lines_in(path: Path) -> int:
    """How many lines a file has."""
    with path.open("rb") as file:
        return sum(1 for _ in file)


def traces_in(folder: Path) -> int:
    """How many traces all processes have written of the run in ``folder``."""
    return sum(map(lines_in, folder.glob(ALL_FILES)))


def _torn(path: Path) -> bool:
    """Whether the file's last line was cut off by a kill."""
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() != b"\n"


@contextmanager
def _recorded() -> Iterator[None]:
    """DSPy tells of each predictor and each LM call inside the block, and only there: for every
    call of a module it would otherwise work out what to tell to nobody.
    """
    import dspy

    with dspy.context(callbacks=[*dspy.settings.get("callbacks", []), _callback()]):
        yield


@functools.cache
def _callback() -> Any:
    from dspy import Predict
    from dspy.utils.callback import ACTIVE_CALL_ID, BaseCallback

    class Recorder(BaseCallback):
        """Adds a span for each predictor and each LM call to the trace under way, if one is."""

        def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            spans = _spans.get()
            if spans is not None and isinstance(instance, Predict):
                kept = {k: v for k, v in (inputs.get("kwargs") or {}).items() if k != "config"}
                name = instance.signature.__name__
                spans.append(_opened(call_id, ACTIVE_CALL_ID.get(), name, "CHAIN", kept))

        def on_module_end(
            self, call_id: str, outputs: Any | None, exception: Exception | None = None
        ) -> None:
            _close(call_id, _prediction(outputs), exception)

        def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            spans = _spans.get()
            if spans is None:
                return
            given = {**getattr(instance, "kwargs", {}), **(inputs.get("kwargs") or {})}
            asked = {
                "model": getattr(instance, "model", ""),
                "messages": inputs.get("messages") or inputs.get("prompt"),
                **{k: given[k] for k in SAMPLING if given.get(k) is not None},
            }
            spans.append(_opened(call_id, ACTIVE_CALL_ID.get(), "LM", "LLM", asked))

        def on_lm_end(
            self, call_id: str, outputs: Any | None, exception: Exception | None = None
        ) -> None:
            _close(call_id, outputs, exception)

    return Recorder()


def _opened(call_id: str, parent: str | None, name: str, kind: str, inputs: Any) -> Span:
    return {
        "id": call_id,
        "parent": None if parent == call_id else parent,
        "name": name,
        "kind": kind,
        "start": time.time_ns(),
        "inputs": to_jsonable_python(inputs, fallback=str),
    }


def _close(call_id: str, outputs: Any, exception: BaseException | None) -> None:
    for span in reversed(_spans.get() or ()):
        if span["id"] == call_id:
            span["end"] = time.time_ns()
            span["outputs"] = to_jsonable_python(outputs, fallback=str)
            span["error"] = "" if exception is None else f"{type(exception).__name__}: {exception}"
            return


def _prediction(outputs: Any) -> Any:
    """A prediction as its fields."""
    return outputs.toDict() if hasattr(outputs, "toDict") else outputs


__all__ = ["ALL_FILES", "TRACES_FILE", "Tracing", "lines_in", "read_traces"]
