"""A plot for each table of a retrieval benchmark; whoever asks for them saves them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from signatures.retrieval_results import Ends, PlaceBias, RetrievalResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
"""Told apart by readers who see few colours, too."""


class Bar(NamedTuple):
    """A bar's length, and its interval if it has one."""

    value: float | None
    ci: Ends | None = None


def draw(result: RetrievalResult) -> dict[str, Figure]:
    """All plots by name."""
    drawn = {}
    for gold, k in dict.fromkeys((row.gold, row.k) for row in result.rows):
        drawn[f"p_recall_{gold}_at{k}"] = recalls(result, gold, k)
        for task in dict.fromkeys(row.task for row in result.labels):
            if len({row.label for row in result.labels if row.task == task}) > 1:
                drawn[f"labels_{task}_{gold}_at{k}"] = labels(result, task, gold, k)
    for k in dict.fromkeys(row.k for row in result.recall_root):
        drawn[f"roots_at{k}"] = roots(result, k)
    for task, k in dict.fromkeys((row.task, row.k) for row in result.bias.stances):
        drawn[f"sides_{task}_at{k}"] = sides(result, task, k)
    for task, k in dict.fromkeys((row.task, row.k) for row in result.bias.places):
        drawn[f"places_{task}_at{k}"] = places(result, task, k)
    return drawn


def recalls(result: RetrievalResult, gold: str, k: int) -> Figure:
    """p-Recall of each operation, by task."""
    rows = [row for row in result.rows if (row.gold, row.k) == (gold, k)]
    held = {(row.operation, row.task): Bar(row.p_recall, row.ci) for row in rows}
    tasks = list(dict.fromkeys(row.task for row in rows))
    operations = list(dict.fromkeys(row.operation for row in rows))
    series = {
        "average" if task == "all" else task: [held[each, task] for each in operations]
        for task in tasks
    }
    title = f"p-Recall@{k}, {gold} gold: {result.retriever} on {result.dataset}"
    return _bars(title, operations, series, "p-Recall, 95 % interval")


def labels(result: RetrievalResult, task: str, gold: str, k: int) -> Figure:
    """Recall by kind of perspective, by operation."""
    rows = [row for row in result.labels if (row.task, row.gold, row.k) == (task, gold, k)]
    operations = list(dict.fromkeys(row.operation for row in rows))
    held = {(row.operation, row.label): Bar(row.recall) for row in rows}
    series = {
        label: [held[each, label] for each in operations]
        for label in dict.fromkeys(row.label for row in rows)
    }
    title = f"Recall@{k} by kind of perspective: {task}, {gold} gold"
    return _bars(title, operations, series, "recall")


def roots(result: RetrievalResult, k: int) -> Figure:
    """Recall of root queries beside that of queries with perspectives."""
    rows = [row for row in result.recall_root if row.k == k]
    series = {
        "root queries": [Bar(row.value, row.ci) for row in rows],
        "with perspectives": [Bar(row.queries) for row in rows],
    }
    return _bars(f"Recall@{k} without and with perspectives", [r.task for r in rows], series, "%")


def sides(result: RetrievalResult, task: str, k: int) -> Figure:
    """Each side's share of the relevant documents, beside what chance would give."""
    rows = [row for row in result.bias.stances if (row.task, row.k) == (task, k)]
    series = {
        "share of hits": [Bar(row.share) for row in rows],
        "expected by chance": [Bar(row.expected) for row in rows],
    }
    title = f"Sides that root queries favour: {task}, first {k}"
    return _bars(title, [row.label for row in rows], series, "%")


def places(result: RetrievalResult, task: str, k: int) -> Figure:
    """For each label of documents, how often what is asked for is found and brought."""
    rows: list[PlaceBias] = [r for r in result.bias.places if (r.task, r.k) == (task, k)]
    rows.sort(key=lambda row: (-(row.recall or -1), row.label))
    series = {
        f"recall@{k} of queries that ask for it": [Bar(row.recall) for row in rows],
        "share of what they bring from there": [Bar(row.desired) for row in rows],
    }
    return _bars(f"By label of documents: {task}", [row.label for row in rows], series, "%")


def _bars(title: str, names: Sequence[str], series: dict[str, list[Bar]], said: str) -> Figure:
    """Groups of bars along the side, so that names are read without turning the head."""
    figure, axes = _figure(title, 0.9 + len(names) * (0.16 * len(series) + 0.14))
    width = 0.8 / len(series)
    at = np.arange(len(names))
    for place, (name, bars) in enumerate(series.items()):
        ends = [bar.value if bar.value is not None else 0.0 for bar in bars]
        spread = [
            [end - bar.ci[0], bar.ci[1] - end] if bar.ci else [0.0, 0.0]
            for end, bar in zip(ends, bars, strict=True)
        ]
        axes.barh(
            at + place * width - 0.4 + width / 2, ends, width,
            xerr=np.asarray(spread).T, label=name, color=COLOURS[place % len(COLOURS)],
            error_kw={"lw": 0.8},
        )  # fmt: skip
    axes.set_yticks(at, names, fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel=said, xlim=(0, 100))
    axes.grid(axis="x", lw=0.3)
    axes.set_axisbelow(True)
    if len(series) > 1:
        figure.legend(fontsize=8, loc="outside lower center", ncols=min(len(series), 4))
    return figure


def _figure(title: str, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, max(2.4, height)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=10)
    return figure, axes


__all__ = ["COLOURS", "draw", "labels", "places", "recalls", "roots", "sides"]
