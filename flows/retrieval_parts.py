"""The roots and perspectives that a benchmark's queries are searched by: as its data gives them,
or as they are found in the raw queries (S3, section 3.4).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from evals.matching import f1, jaccard
from evals.pir import benchmark
from evals.pir.task import Task
from flows.retrieval_config import RetrievalConfig
from flows.run import Run
from flows.runtime import lm_cache, roles_of
from flows.units import Outcome, Unit, UnitPool
from modules.perspectives import PerspectiveExtraction
from modules.retrieval.exhaustive import Asked
from modules.stage import key
from signatures.retrieval_results import ExtractionRow
from signatures.types import Usage

_Found = dict[str, tuple[str, str] | None]
"""Query -> root and perspective, or None where no model took it apart."""


class Parts(NamedTuple):
    """How each task's queries are searched, and what it took to know.

    Args:
        asked: A task's searches.
        rows: How well perspectives were found; empty where they were given.
        models: The models that were asked.
        usage: What this invocation spent.
        total: What all invocations spent.
        notes: What could not be had.
    """

    asked: Callable[[Task], Asked]
    rows: list[ExtractionRow]
    models: dict[str, str]
    usage: Usage
    total: Usage
    notes: list[str]


def given_parts(tasks: Sequence[Task]) -> Parts:
    """As the data gives them."""
    held = {task.name: benchmark.asked(task) for task in tasks}
    return Parts(lambda task: held[task.name], [], {}, Usage(), Usage(), [])


def found_parts(settings: RetrievalConfig, run: Run, tasks: Sequence[Task]) -> Parts:
    """As a model finds them in the queries alone; each distinct query is a unit.

    A query that no model took apart is searched as it stands, and enters no mean.

    Raises:
        BudgetReached: Asking on would spend more than the budget allows.
        TooManyFailures: More than ``max_failed`` of the queries could not be taken apart.
    """
    lm_cache(settings.paths)
    roles = roles_of(settings, run)
    extract = roles.bind(PerspectiveExtraction())
    queries = sorted({query for task in tasks for query in task.queries})
    units = [_unit(extract, at, query) for at, query in enumerate(queries)]
    outcomes: list[Outcome] = []

    def kept(outcome: Outcome) -> tuple[Unit, ...]:
        outcomes.append(outcome)
        return ()

    pool = UnitPool(run, settings.runner, expected=len(units), max_failed=settings.max_failed)
    try:
        pool.run(units, kept)
    finally:
        pool.close()
    if pool.stopped is not None:
        raise pool.stopped
    found: _Found = {o.unit.about: None if o.reason else (o.value[0], o.value[1]) for o in outcomes}
    reasons = sorted({o.reason for o in outcomes if o.reason is not None})
    held = {task.name: _asked(task, found) for task in tasks}
    return Parts(
        lambda task: held[task.name],
        [_row(task, found) for task in tasks],
        roles.models(),
        pool.usage(),
        pool.total,
        [f"queries not taken apart: {reason}" for reason in reasons[:3]],
    )


def _unit(extract: PerspectiveExtraction, at: int, query: str) -> Unit:
    given = {"query": query}
    return Unit(
        name=f"query {at}",
        key=key("taken-apart", extract, given),
        work=functools.partial(_work, extract, given),
        about=query,
    )


def _work(extract: PerspectiveExtraction, given: dict[str, str]) -> Any:
    aim = extract(**given)
    return [aim.root, aim.perspective]


def _asked(task: Task, found: _Found) -> Asked:
    parts = [found[query] or (query, "") for query in task.queries]
    roots, perspectives = zip(*parts, strict=True)
    return Asked(task.queries, roots, perspectives, task.by_difference)


def _row(task: Task, found: _Found) -> ExtractionRow:
    said = [(found[query], own) for query, own in zip(task.queries, task.perspectives, strict=True)]
    pairs = [(each[1], own) for each, own in said if each is not None]
    means = [
        100 * float(np.mean([measure(*pair) for pair in pairs])) if pairs else None
        for measure in (f1, jaccard)
    ]
    return ExtractionRow(
        task=task.name,
        n_queries=len(task.queries),
        n_failed=len(said) - len(pairs),
        n_without=sum(not perspective for perspective, _ in pairs),
        qa_f1=means[0],
        qa_jaccard=means[1],
    )


__all__ = ["Parts", "found_parts", "given_parts"]
