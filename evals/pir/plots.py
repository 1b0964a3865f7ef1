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
    several = len({row.retriever for row in result.rows}) > 1
    for by, task, k in dict.fromkeys((r.retriever, r.task, r.k) for r in result.bias.places):
        name = f"places_{by}_{task}_at{k}" if several else f"places_{task}_at{k}"
        drawn[name] = places(result, by, task, k)
    if result.differences:
        drawn["differences"] = differences(result)
    if result.extraction:
        drawn["extraction"] = extraction(result)
    return drawn


def _systems(result: RetrievalResult) -> dict[tuple[str, str], str]:
    """Each retriever with each operation, and how it is called."""
    found = list(dict.fromkeys((row.retriever, row.operation) for row in result.rows))
    many = len({retriever for retriever, _ in found}) > 1
    return {at: " ".join(at).removesuffix(" none") if many else at[1] for at in found}


def recalls(result: RetrievalResult, gold: str, k: int) -> Figure:
    """p-Recall of each operation, by task."""
    rows = [row for row in result.rows if (row.gold, row.k) == (gold, k)]
    held = {(row.retriever, row.operation, row.task): Bar(row.p_recall, row.ci) for row in rows}
    tasks = list(dict.fromkeys(row.task for row in rows))
    systems = _systems(result)
    series = {
        "average" if task == "all" else task: [held[*each, task] for each in systems]
        for task in tasks
    }
    title = f"p-Recall@{k}, {gold} gold: {result.retriever} on {result.dataset}"
    return _bars(title, list(systems.values()), series, "p-Recall, 95 % interval")


def differences(result: RetrievalResult) -> Figure:
    """How far each system is above the first, by task, by the first reading of the gold."""
    gold, k = result.differences[0].gold, result.differences[0].k
    rows = [row for row in result.differences if (row.gold, row.k) == (gold, k)]
    held = {(row.retriever, row.operation, row.task): Bar(row.delta, row.ci) for row in rows}
    systems = {at: name for at, name in _systems(result).items() if (*at, rows[0].task) in held}
    series = {
        "average" if task == "all" else task: [held[*each, task] for each in systems]
        for task in dict.fromkeys(row.task for row in rows)
    }
    first = next(iter(_systems(result).values()))
    title = f"p-Recall@{k}, {gold} gold, above that of {first}"
    ends = [abs(end) for row in rows for end in (row.ci or (row.delta,))]
    reach = 1.05 * max(5.0, *ends)
    return _bars(title, list(systems.values()), series, "difference", (-reach, reach))


def extraction(result: RetrievalResult) -> Figure:
    """How well perspectives were found, by task."""
    rows = result.extraction
    series = {
        "QA-F1": [Bar(row.qa_f1) for row in rows],
        "Jaccard, as printed": [Bar(row.qa_jaccard) for row in rows],
    }
    return _bars("Perspectives found in raw queries", [row.task for row in rows], series, "%")


def labels(result: RetrievalResult, task: str, gold: str, k: int) -> Figure:
    """Recall by kind of perspective, by operation."""
    rows = [row for row in result.labels if (row.task, row.gold, row.k) == (task, gold, k)]
    held = {(row.retriever, row.operation, row.label): Bar(row.recall) for row in rows}
    systems = _systems(result)
    series = {
        label: [held[*each, label] for each in systems]
        for label in dict.fromkeys(row.label for row in rows)
    }
    title = f"Recall@{k} by kind of perspective: {task}, {gold} gold"
    return _bars(title, list(systems.values()), series, "recall")


def roots(result: RetrievalResult, k: int) -> Figure:
    """Recall of root queries beside that of queries with perspectives."""
    rows = [row for row in result.recall_root if row.k == k]
    series = {
        "root queries": [Bar(row.value, row.ci) for row in rows],
        "with perspectives": [Bar(row.queries) for row in rows],
    }
    names = _by([(row.retriever, row.task) for row in rows])
    return _bars(f"Recall@{k} without and with perspectives", names, series, "%")


def sides(result: RetrievalResult, task: str, k: int) -> Figure:
    """Each side's share of the relevant documents, beside what chance would give."""
    rows = [row for row in result.bias.stances if (row.task, row.k) == (task, k)]
    series = {
        "share of hits": [Bar(row.share) for row in rows],
        "expected by chance": [Bar(row.expected) for row in rows],
    }
    title = f"Sides that root queries favour: {task}, first {k}"
    return _bars(title, _by([(row.retriever, row.label) for row in rows]), series, "%")


def places(result: RetrievalResult, retriever: str, task: str, k: int) -> Figure:
    """For each label of documents, how often what is asked for is found and brought."""
    at = (retriever, task, k)
    rows: list[PlaceBias] = [r for r in result.bias.places if (r.retriever, r.task, r.k) == at]
    rows.sort(key=lambda row: (-(row.recall or -1), row.label))
    series = {
        f"recall@{k} of queries that ask for it": [Bar(row.recall) for row in rows],
        "share of what they bring from there": [Bar(row.desired) for row in rows],
    }
    title = f"By label of documents: {retriever}, {task}"
    return _bars(title, [row.label for row in rows], series, "%")


def _by(rows: Sequence[tuple[str, str]]) -> list[str]:
    """What each (retriever, name) is called: by its name alone where there is one retriever."""
    many = len({retriever for retriever, _ in rows}) > 1
    return [" ".join(row) if many else row[1] for row in rows]


def _bars(
    title: str, names: Sequence[str], series: dict[str, list[Bar]], said: str,
    ends: Ends = (0, 100),
) -> Figure:  # fmt: skip
    """Groups of bars along the side, so that names are read without turning the head."""
    figure, axes = _figure(title, 0.9 + len(names) * (0.16 * len(series) + 0.14))
    width = 0.8 / len(series)
    at = np.arange(len(names))
    for place, (name, bars) in enumerate(series.items()):
        lengths = [bar.value if bar.value is not None else 0.0 for bar in bars]
        spread = [
            [length - bar.ci[0], bar.ci[1] - length] if bar.ci else [0.0, 0.0]
            for length, bar in zip(lengths, bars, strict=True)
        ]
        axes.barh(
            at + place * width - 0.4 + width / 2, lengths, width,
            xerr=np.asarray(spread).T, label=name, color=COLOURS[place % len(COLOURS)],
            error_kw={"lw": 0.8},
        )  # fmt: skip
    axes.set_yticks(at, names, fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel=said, xlim=ends)
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


__all__ = [
    "COLOURS", "differences", "draw", "extraction", "labels", "places", "recalls", "roots",
    "sides",
]  # fmt: skip
