"""What an evaluation's report is made of: its document, its scores, its texts, how it was run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

from evals.table_text import ordered
from signatures.evaluation_results import Comparison, EvaluationResult, TableRow

P_D = ("pd_log", "pd_paper", "pd_length_controlled", "pd_released")
"""Names of metrics of perspective diversity, the first that is there is drawn."""

D_A = ("da", "da_zero_shot", "da_builtin")
"""Names of metrics of dispute awareness."""


class Cell(NamedTuple):
    """One cell of the table: what its rows, scores and texts have in common."""

    method: str
    backend: str
    dataset: str
    prompt: str = ""

    @property
    def name(self) -> str:
        """The method, with its prompt where prompts are compared."""
        return f"{self.method} + {self.prompt}" if self.prompt else self.method


class Example(NamedTuple):
    """Texts on one item worth reading: ``texts`` are ``(cell, value, text)``."""

    title: str
    subject: str
    texts: list[tuple[Cell, float, str]]


@dataclass(frozen=True)
class Report:
    """A stored evaluation.

    Attributes:
        result: Its document.
        scores: The rows of ``scores.jsonl``.
        outputs: The rows of ``outputs.jsonl``.
        commands: What runs it again, a line each.
        facts: What it was made with, by name.
    """

    result: EvaluationResult
    scores: Sequence[Mapping[str, Any]] = ()
    outputs: Sequence[Mapping[str, Any]] = ()
    commands: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(row.dataset for row in self.result.table))

    @property
    def metrics(self) -> list[str]:
        """The primary metric first, then the paper's order."""
        names = ordered(row.metric for row in self.result.table)
        first = self.result.primary
        return [first, *(n for n in names if n != first)] if first in names else names

    @property
    def scored(self) -> list[str]:
        """The metrics that have a value anywhere."""
        known = {row.metric for row in self.result.table if row.value is not None}
        return [name for name in self.metrics if name in known]

    def rows(self, dataset: str) -> dict[Cell, dict[str, TableRow]]:
        """The table's rows of one dataset, by cell and metric; the best by the primary first."""
        found: dict[Cell, dict[str, TableRow]] = {}
        for row in self.result.table:
            if row.dataset == dataset:
                found.setdefault(cell_of(row), {})[row.metric] = row
        sign = -1 if self.direction(self.result.primary) == "higher" else 1

        def place(pair: tuple[Cell, dict[str, TableRow]]) -> tuple[bool, float, Cell]:
            own = pair[1].get(self.result.primary)
            value = None if own is None else own.value
            return (value is None, sign * (value or 0.0), pair[0])

        return dict(sorted(found.items(), key=place))

    def direction(self, metric: str) -> str:
        """Which way the metric is better."""
        found = (row.direction for row in self.result.table if row.metric == metric)
        return next(found, "higher")

    def comparisons(self, dataset: str, metric: str) -> list[Comparison]:
        return [c for c in self.result.comparisons if (c.dataset, c.metric) == (dataset, metric)]

    def axes(self) -> tuple[str, str] | None:
        """The two metrics of the scatter: P.D. against D.A. where both are there, else the two
        first that have values.
        """
        known = self.scored
        x = next((name for name in P_D if name in known), None)
        y = next((name for name in D_A if name in known), None)
        if x and y:
            return x, y
        return (known[0], known[1]) if len(known) > 1 else None

    def topics(self, dataset: str) -> tuple[list[str], dict[Cell, dict[str, float]]]:
        """The dataset's topics, and for each cell the primary metric's mean by topic."""
        values: dict[Cell, dict[str, list[float]]] = {}
        for row in self._primary(dataset):
            if row.get("topic"):
                values.setdefault(_cell(row), {}).setdefault(row["topic"], []).append(row["value"])
        means = {c: {t: fmean(v) for t, v in by.items()} for c, by in values.items()}
        return sorted({topic for by in means.values() for topic in by}), means

    def examples(self, dataset: str) -> list[Example]:
        """The best and the worst text, and the item on which cells differ most, by the primary."""
        values: dict[str, dict[Cell, list[float]]] = {}
        for row in self._primary(dataset):
            values.setdefault(row["item"], {}).setdefault(_cell(row), []).append(row["value"])
        means = {item: {c: fmean(v) for c, v in by.items()} for item, by in values.items()}
        flat = [(value, item, cell) for item, by in means.items() for cell, value in by.items()]
        if not flat:
            return []
        sign = 1 if self.direction(self.result.primary) == "higher" else -1
        flat.sort(key=lambda it: (-sign * it[0], it[1], it[2]))
        found = [
            self._example("Best", dataset, flat[0][1], {flat[0][2]: flat[0][0]}),
            self._example("Worst", dataset, flat[-1][1], {flat[-1][2]: flat[-1][0]}),
        ]
        apart = sorted(means, key=lambda i: (min(means[i].values()) - max(means[i].values()), i))
        by = means[apart[0]]
        if len(by) > 1:
            ends = sorted(by, key=lambda c: (-sign * by[c], c))
            pair = {ends[0]: by[ends[0]], ends[-1]: by[ends[-1]]}
            found.append(self._example("Most different", dataset, apart[0], pair))
        return [one for one in found if one is not None]

    def failures(self) -> list[tuple[str, list[str]]]:
        """Reasons with the units that failed for them, the most frequent first."""
        by: dict[str, list[str]] = {}
        for failure in self.result.failures:
            by.setdefault(failure.reason, []).append(failure.unit)
        return sorted(by.items(), key=lambda pair: (-len(pair[1]), pair[0]))

    def _primary(self, dataset: str) -> Iterable[Mapping[str, Any]]:
        return (
            row
            for row in self.scores
            if row["dataset"] == dataset
            and row["metric"] == self.result.primary
            and row["value"] is not None
            and row["item"]
        )

    def _example(
        self, title: str, dataset: str, item: str, values: Mapping[Cell, float]
    ) -> Example | None:
        subject = ""
        texts: list[tuple[Cell, float, str]] = []
        for row in self.outputs:
            if row.get("dataset") == dataset and row.get("id") == item and _cell(row) in values:
                cell = _cell(row)
                if any(cell == known for known, _, _ in texts):
                    continue
                subject = str(row.get("input") or row.get("question") or item)
                first = row["outputs"][0] if row.get("outputs") else row.get("generation", "")
                texts.append((cell, values[cell], str(first)))
        texts.sort(key=lambda it: list(values).index(it[0]))
        return Example(title, subject, texts) if texts else None


def cell_of(row: TableRow) -> Cell:
    """The cell that a row of the table is about."""
    return Cell(row.method, row.backend, row.dataset, row.prompt)


def _cell(row: Mapping[str, Any]) -> Cell:
    return Cell(row["method"], row["backend"], row["dataset"], row.get("prompt", ""))


__all__ = ["Cell", "Example", "Report", "cell_of"]
