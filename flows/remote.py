"""An evaluation's units on other machines: what travels is JSON, and the unit is rebuilt from it.

A worker process makes the evaluation's cells once, from the run's own configuration, and keeps
them. It counts what it spends in a ledger file of its own in the run's folder, line by line, so
that what a killed worker spent is known, and its traces likewise; the folder must be one that all
can reach.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect import task

from flows.stages import infrastructure
from signatures.errors import MootError

if TYPE_CHECKING:
    from flows.cells import Cells
    from flows.units import Unit

Errand = str
"""A unit as JSON: its kind, its place, and what it works on."""


def errand(unit: Unit) -> Errand:
    """What a worker needs to rebuild a unit of an evaluation."""
    return json.dumps(_told(unit), ensure_ascii=False)


def _told(unit: Unit) -> dict[str, Any]:
    from flows.cell_scoring import ScoreOf
    from flows.cell_writing import TextOf

    about = unit.about
    if isinstance(about, TextOf):
        own = {"kind": "text", "replicate": about.replicate, "tokens": about.tokens}
    elif isinstance(about, ScoreOf):
        own = {"kind": "score", "metrics": list(about.metrics), "judgement": about.judgement}
    else:
        return {
            "kind": "whole", "metric": about.metric, "place": list(about.place),
            "given": unit.given,
        }  # fmt: skip
    return {**own, "item": about.item.id, "place": list(about.place), "given": unit.given}


def rebuilt(cells: Cells, sent: Errand) -> Unit:
    """The unit that was sent, over cells of one's own."""
    from evals.table import Place
    from flows.cell_scoring import ScoreOf, WholeOf
    from flows.cell_writing import TextOf

    told = json.loads(sent)
    place = Place(*told["place"])
    if told["kind"] == "whole":
        return cells.scoring.whole_unit(WholeOf(place, told["metric"]), told["given"], "")
    item = next(i for i in cells.items[place.dataset] if i.id == told["item"])
    if told["kind"] == "score":
        about = ScoreOf(item, place, tuple(told["metrics"]), told["judgement"])
        return cells.scoring.unit(about, told["given"], "")
    return cells.text(TextOf(item, place, told["replicate"], told["tokens"]))


class Workplace:
    """The cells of one run in a process that works for it.

    Args:
        folder: The run's folder.
        invocation: Which invocation of the run wants the work.
    """

    def __init__(self, folder: Path, invocation: int) -> None:
        from flows.launch import prepared
        from flows.run import load

        flow, plain = load(folder)
        settings = prepared(flow, plain)
        from flows.cells import Cells
        from flows.runtime import lm_cache
        from flows.tracing import Tracing
        from modules.lm.ledger import Ledger

        lm_cache(settings.paths)
        me = f"{socket.gethostname()}-{os.getpid()}.jsonl"
        self.ledger = Ledger(folder / f"ledger-{me}", settings.budget, invocation=invocation)
        self.cells = Cells(settings, self.ledger)
        self.tracing = Tracing(folder / f"traces-{me}", settings.tracking)
        self.tracing.expect(self.cells.expected)

    def done(self, key: str, name: str, sent: Errand) -> dict[str, Any]:
        """The unit's document, as :func:`flows.units.document` makes it.

        Raises:
            MootError: This process would do something else under the same configuration.
        """
        import dspy

        from flows.units import document

        unit = replace(rebuilt(self.cells, sent), name=name)
        if unit.key != key:
            raise MootError(
                f"the worker on {socket.gethostname()} would do another unit than {name}",
                expected=key,
                got=unit.key,
                remedy="give all workers the same version of moot, corpus and environment",
            )
        self.ledger.catch_up()
        with dspy.context(disable_history=True):
            return document(self.ledger, name, self.tracing.watching(unit).work)


_lock = threading.Lock()
_workplaces: dict[tuple[str, int], Workplace] = {}


def workplace(folder: str, invocation: int) -> Workplace:
    """The process's workplace for a run, made when it is first needed; the latest one is kept."""
    with _lock:
        if (folder, invocation) not in _workplaces:
            made = Workplace(Path(folder), invocation)
            _workplaces.clear()
            _workplaces[folder, invocation] = made
        return _workplaces[folder, invocation]


@task(
    name="unit",
    task_run_name="{name}",
    cache_key_fn=lambda context, parameters: str(parameters["key"]),
    persist_result=True,
    result_serializer="json",
    result_storage_key="{parameters[key]}.json",
    retry_condition_fn=infrastructure,
)
def remote_unit(key: str, name: str, sent: Errand, folder: str, invocation: int) -> dict[str, Any]:
    """A unit as a task that any process can run; parameters and result are JSON."""
    return workplace(folder, invocation).done(key, name, sent)


def lost(future: Any) -> BaseException | None:
    """Why no state came back for a unit that was sent: its workers died, or the cluster did."""
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as Cancelled

    try:
        error: BaseException | None = future.wrapped_future.exception()
    except (CancelledError, Cancelled) as cancelled:
        return cancelled
    return error


__all__ = ["errand", "lost", "rebuilt", "remote_unit"]
