"""The benchmark over tasks: every operation by every reading of the gold, and the tables beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evals.pir import bias, measures
from evals.pir.measures import Bootstrap, Single
from evals.pir.task import Gold, Task
from modules.retrieval.exhaustive import Asked, Exhaustive
from modules.retrieval.operations import Operation
from signatures.errors import ConfigError
from signatures.retrieval_results import (
    Bias,
    DifferenceRow,
    LabelRow,
    PlaceBias,
    RecallRow,
    RootRow,
    StanceBias,
    TaskFigures,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALL = "all"
"""The task of the macro average's rows."""


@dataclass(frozen=True)
class Settings:
    """What is measured.

    Args:
        operations: What is done with perspectives, each with ``alpha``.
        retriever: Its name in the tables.
        alpha: Their strength.
        golds: The readings of the gold.
        ks: How many documents count, each.
        single: How roots with one query count.
        bootstrap: How intervals are drawn.
    """

    operations: tuple[Operation, ...]
    alpha: float
    golds: tuple[Gold, ...]
    ks: tuple[int, ...]
    single: Single = "zero"
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    retriever: str = "-"


@dataclass
class Figures:
    """All tables of a benchmark, in the order of retrievers, tasks, operations, readings, k."""

    rows: list[RecallRow] = field(default_factory=list)
    roots: list[RootRow] = field(default_factory=list)
    labels: list[LabelRow] = field(default_factory=list)
    stances: list[StanceBias] = field(default_factory=list)
    places: list[PlaceBias] = field(default_factory=list)
    tasks: list[TaskFigures] = field(default_factory=list)
    per_root: dict[tuple[Operation, Gold, int], list[Floats]] = field(default_factory=dict)
    """(operation, gold, k) -> per task the value of each root, for macro averages and pairing."""

    @property
    def bias(self) -> Bias:
        """Both tables of bias."""
        return Bias(stances=self.stances, places=self.places)


def run(
    tasks: Sequence[Task],
    opened: Callable[[Task], Exhaustive],
    settings: Settings,
    parts: Callable[[Task], Asked] | None = None,
) -> Figures:
    """Rank every task and measure.

    Args:
        tasks: The tasks.
        opened: The ranker over a task's documents.
        settings: What is measured.
        parts: A task's searches; by default with the roots and perspectives that it gives.

    Raises:
        ConfigError: The ranker cannot do an operation that is asked for.
    """
    figures = Figures()
    for task in tasks:
        ranker = opened(task)
        _able(ranker, settings.operations)
        _task(task, ranker, (parts or asked)(task), settings, figures)
    if len(tasks) > 1:
        _average(settings, figures)
    return figures


def asked(task: Task) -> Asked:
    """A task's searches."""
    return Asked(task.queries, task.roots, task.perspectives, task.by_difference)


def root_asked(task: Task) -> Asked:
    """A task's distinct root queries, for ``root``: each beside the first perspective it has.

    Nothing is made of that but whether the task is one of sides at all.
    """
    names = task.root_names
    firsts = dict(zip(reversed(task.roots), reversed(task.perspectives), strict=True))
    return Asked(names, names, tuple(firsts[name] for name in names), False)


def together(found: Mapping[str, Figures], tasks: Sequence[Task]) -> Figures:
    """The tables of several retrievers, by name, on the same tasks, as one."""
    every = found.values()
    return Figures(
        rows=[row for each in every for row in each.rows],
        roots=[row for each in every for row in each.roots],
        labels=[row for each in every for row in each.labels],
        stances=[row for each in every for row in each.stances],
        places=[row for each in every for row in each.places],
        tasks=[_described(task) for task in tasks],
    )


def differences(
    found: Mapping[str, Figures], tasks: Sequence[Task], how: Bootstrap
) -> list[DifferenceRow]:
    """Each system less the first, paired by root query: for each task, and on average."""
    firsts: dict[tuple[Gold, int], list[Floats]] = {}
    rows = []
    held = [(name, *at) for name, figures in found.items() for at in figures.per_root.items()]
    for retriever, (operation, gold, k), values in held:
        base = firsts.setdefault((gold, k), values)
        if base is values:
            continue
        gains = [own - other for own, other in zip(values, base, strict=True)]
        told = {task.name: [gain] for task, gain in zip(tasks, gains, strict=True)}
        told |= {ALL: gains} if len(tasks) > 1 else {}
        for name, each in told.items():
            gain = measures.macro(each, how)
            rows.append(
                DifferenceRow(
                    retriever=retriever, operation=operation, gold=gold, task=name, k=k,
                    delta=gain.value, ci=gain.ci,
                )
            )  # fmt: skip
    return rows


def _able(ranker: Exhaustive, wanted: Sequence[Operation]) -> None:
    missing = [operation for operation in wanted if operation not in ranker.operations]
    if missing:
        raise ConfigError(
            f"this retriever has no operation {missing[0]!r}",
            expected=f"of {', '.join(ranker.operations)}",
            remedy="operations on vectors need retriever=dense or hybrid",
        )


def _task(
    task: Task, ranker: Exhaustive, searches: Asked, settings: Settings, figures: Figures
) -> None:
    figures.tasks.append(_described(task))
    for operation in settings.operations:
        scores = ranker.scores(searches, operation, settings.alpha)
        for gold, at in measures.golds(task, settings.golds, scores).items():
            for k in settings.ks:
                _recall(task, operation, gold, k, at, settings, figures)
    _neutral(task, ranker, searches, settings, figures)


def _recall(
    task: Task, operation: Operation, gold: Gold, k: int, at: Ints, settings: Settings,
    figures: Figures,
) -> None:  # fmt: skip
    found, values = measures.p_recall(task, at, k, settings.single, settings.bootstrap)
    name = settings.retriever
    figures.per_root.setdefault((operation, gold, k), []).append(values)
    figures.rows.append(
        RecallRow(
            retriever=name, operation=operation, alpha=settings.alpha, gold=gold,
            task=task.name, k=k, p_recall=found.value, ci=found.ci,
            every=measures.every_perspective(task, at, k),
        )
    )  # fmt: skip
    held = measures.by_label(task, at, k)
    least = min(recall for recall, _ in held.values())
    figures.labels += [
        LabelRow(
            retriever=name, operation=operation, gold=gold, task=task.name, k=k, label=label,
            recall=recall, n_queries=n, worst=recall == least and len(held) > 1,
        )
        for label, (recall, n) in held.items()
    ]  # fmt: skip


def _neutral(
    task: Task, ranker: Exhaustive, searches: Asked, settings: Settings, figures: Figures
) -> None:
    """Root queries: how often they succeed, and what they favour."""
    scores = ranker.scores(root_asked(task), "root", settings.alpha)
    at = measures.positions(scores, task.root_gold)
    plain = ranker.scores(searches, "none", settings.alpha)
    own = measures.positions(plain, task.gold)
    deepest = max(settings.ks)
    best = measures.top(scores, deepest)
    queries = measures.top(plain, deepest) if task.document_labels else best[:0]
    for k in settings.ks:
        found = measures.summary(np.asarray(at < k, dtype=np.float64), settings.bootstrap)
        figures.roots.append(
            RootRow(
                retriever=settings.retriever, task=task.name, k=k, value=found.value, ci=found.ci,
                queries=100 * float((own < k).mean()),
            )
        )  # fmt: skip
        figures.stances += bias.stances(settings.retriever, task, best, k)
        figures.places += bias.places(settings.retriever, task, best, queries, own, k)


def _average(settings: Settings, figures: Figures) -> None:
    """The macro average over tasks, for each operation, reading and k."""
    for (operation, gold, k), values in figures.per_root.items():
        found = measures.macro(values, settings.bootstrap)
        figures.rows.append(
            RecallRow(
                retriever=settings.retriever, operation=operation, alpha=settings.alpha, gold=gold,
                task=ALL, k=k, p_recall=found.value, ci=found.ci, every=None,
            )
        )  # fmt: skip


def _described(task: Task) -> TaskFigures:
    return TaskFigures(
        task=task.name,
        n_queries=len(task.queries),
        n_roots=len(task.root_names),
        n_single_roots=len(task.single_roots),
        n_documents=len(task.documents),
        n_distinct_documents=len(set(task.documents)),
    )


__all__ = [
    "ALL", "Figures", "Settings", "asked", "differences", "root_asked", "run", "together",
]  # fmt: skip
