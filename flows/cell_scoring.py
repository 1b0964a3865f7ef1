"""The scoring half of an evaluation's units: figures over the texts that were written.

The scores of an item's texts are units of their own, so that no judgement is repeated. A metric
that asks an LM is a unit for each item, and for each judgement where several are wanted; those
that ask none are cheap, and one unit together. A metric over all rows is one unit for the cell.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from evals.contract import Metric, Score
from evals.datasets import Item
from evals.recomputed import RESAMPLES, spread
from evals.scoring import RowScore, failed, parted, scored
from evals.table import CellFigure, Place, Value
from flows.cell_writing import Writing
from flows.evaluation_config import EvaluationConfig
from flows.units import Outcome, Unit, unit_key
from signatures.errors import InputError
from signatures.results import ScoredItem

Row = dict[str, Any]


class ScoreOf(NamedTuple):
    """What a unit scores: the texts of one item, by metrics of one price."""

    item: Item
    place: Place
    metrics: tuple[str, ...]
    judgement: int = 0


class WholeOf(NamedTuple):
    """What a unit scores: all texts of a cell, by one metric."""

    place: Place
    metric: str


class Scoring:
    """Makes the units that score, and keeps what they found.

    Args:
        settings: The evaluation's configuration.
        writing: What wrote the texts, for the LMs that judge them.

    Attributes:
        values: The table's values so far.
        whole: The figures of metrics over whole cells so far.
    """

    def __init__(self, settings: EvaluationConfig, writing: Writing) -> None:
        self.values: list[Value] = []
        self.whole: dict[tuple[Place, str], CellFigure] = {}
        self._metrics = settings.metrics
        self._field = writing.text_kind.field
        metrics = settings.metrics.items()
        self._wholes = [name for name, metric in metrics if metric.level == "corpus"]
        single = {name: metric for name, metric in metrics if metric.level == "item"}
        asking = [name for name, metric in single.items() if _asks(metric)]
        measures = tuple(name for name in single if name not in asking)
        self._groups = [
            *(((name,), j) for name in asking for j in range(settings.judgements)),
            *([(measures, 0)] if measures else []),
        ]
        self._scorers = {
            (column, name, judgement): RowScore(metric, writing.tools(column, judgement))
            for column in writing.columns
            for name, metric in metrics
            for judgement in range(settings.judgements if name in asking else 1)
        }
        self._judgements = {name: settings.judgements if name in asking else 1 for name in single}
        self._half: dict[tuple[str, Place, str], list[list[ScoredItem] | str]] = {}
        self._rows: dict[Place, list[tuple[Item, list[Row] | None]]] = {}

    def per_item(self) -> int:
        """How many units score the texts of one item."""
        return len(self._groups)

    def per_place(self) -> int:
        """How many units score a whole cell."""
        return len(self._wholes)

    def identities(self) -> dict[str, Any]:
        """What each metric's scores depend on, by ``backend/metric``."""
        return {
            f"{column}/{name}": stage.identity()
            for (column, name, judgement), stage in self._scorers.items()
            if judgement == 0
        }

    def units(
        self, item: Item, place: Place, rows: Sequence[Row | None], name: str
    ) -> Iterator[Unit]:
        """The units that score an item's texts, once all of them are written."""
        written = [row for row in rows if row is not None]
        missing = len(rows) - len(written)
        for names, judgement in self._groups:
            about = ScoreOf(item, place, names, judgement)
            if missing:
                # A figure over fewer texts is another figure: the whole group counts as failed.
                self._lost(about, f"{missing} of {len(rows)} texts failed")
            else:
                yield self.unit(about, written, name)

    def whole_units(
        self, place: Place, items: int, item: Item, rows: Sequence[Row | None], name: str
    ) -> Iterator[Unit]:
        """The units that score a cell, once the last of its ``items`` items is written."""
        if not self._wholes:
            return
        kept = self._rows.setdefault(place, [])
        good = [row for row in rows if row is not None]
        kept.append((item, good if len(good) == len(rows) else None))
        if len(kept) < items:
            return
        found = sorted(self._rows.pop(place), key=lambda pair: pair[0].id)
        given = [(i.id, rows) for i, rows in found]
        for metric in self._wholes:
            yield self.whole_unit(WholeOf(place, metric), given, name)

    def whole_unit(
        self, about: WholeOf, given: Sequence[tuple[str, list[Row] | None]], name: str
    ) -> Unit:
        """The unit that scores all texts of a cell by one metric."""
        stage = self._scorers[about.place.backend, about.metric, 0]
        key = unit_key("whole", stage=stage.identity(), rows=given, samples=RESAMPLES)
        work = functools.partial(_over, stage, given)
        return Unit(f"{name}/{about.metric}", key, work, about, given)

    def take(self, about: ScoreOf | WholeOf, outcome: Outcome) -> None:
        """Take in what became of a unit."""
        if isinstance(about, WholeOf):
            self._taken_whole(about, outcome)
        elif outcome.reason is not None:
            self._lost(about, outcome.reason)
        else:
            for name, rows in outcome.value.items():
                self._keep(about, name, [ScoredItem.model_validate(row) for row in rows])

    def _taken_whole(self, about: WholeOf, outcome: Outcome) -> None:
        place, name = about
        if outcome.reason is not None:
            self.values.append(Value(place, name, "", "", None, outcome.reason))
            return
        told = outcome.value
        ends = tuple(told["ci"]) if told["ci"] else None
        self.whole[place, name] = CellFigure(
            told["figure"], ends, told["why"], told["samples"], told["clusters"]
        )
        for item, rows in outcome.value["items"]:
            for row in map(ScoredItem.model_validate, rows):
                self.values.append(_value(place, name, item, row))

    def _lost(self, about: ScoreOf, reason: str) -> None:
        for name in about.metrics:
            self._keep(about, name, reason)

    def _keep(self, about: ScoreOf, name: str, found: list[ScoredItem] | str) -> None:
        """Keep one judgement of an item's texts; with the last of them, the values are told."""
        half = self._half.setdefault((about.item.id, about.place, name), [])
        half.append(found)
        if len(half) < self._judgements[name]:
            return
        half = self._half.pop((about.item.id, about.place, name))
        reasons = [one for one in half if isinstance(one, str)]
        if reasons:
            value = Value(about.place, name, about.item.id, "", None, reasons[0])
            self.values.append(value)
            return
        judged = [one for one in half if not isinstance(one, str)]
        for same in zip(*judged, strict=True):
            self.values.append(_mean(about.place, name, about.item.id, same))

    def unit(self, about: ScoreOf, texts: list[Row], name: str) -> Unit:
        """The unit that scores the texts of one item."""
        work = {
            metric: (
                self._scorers[about.place.backend, metric, about.judgement],
                parted(self._metrics[metric], texts, self._field),
            )
            for metric in about.metrics
        }
        asks = _asks(self._metrics[about.metrics[0]])
        label = about.metrics[0] if asks else "measures"
        again = f"/{about.judgement + 1}" if about.judgement else ""
        return Unit(
            f"{name}/{label}{again}",
            unit_key(
                "score", of={n: [stage.identity(), rows] for n, (stage, rows) in work.items()}
            ),
            lambda: {n: _scored(stage, rows, asks) for n, (stage, rows) in work.items()},
            about,
            texts,
        )


def _asks(metric: Metric) -> bool:
    """Whether a model is asked, of any kind: such scores are worth keeping one by one."""
    return metric.program() is not None or metric.evaluates


def _scored(stage: RowScore, rows: list[tuple[str, Row]], asks: bool) -> list[Any]:
    """The rows' scores as JSON. An LM that fails fails the unit, which is then run again; a
    measure that breaks on a row fails that row.
    """
    found = [_one(stage, part, row, asks) for part, row in rows]
    return [item.model_dump(mode="json") for item in found]


def _one(stage: RowScore, part: str, row: Row, asks: bool) -> ScoredItem:
    if asks:
        item: ScoredItem = stage(name=part, row=row)
        return item
    return scored(part, functools.partial(stage.metric.score, row, stage.tools))


def _over(stage: RowScore, given: Sequence[tuple[str, list[Row] | None]]) -> dict[str, Any]:
    """One figure over all rows that did not fail, and what became of each row."""
    asks = _asks(stage.metric)
    items: list[tuple[str, list[Any]]] = []
    groups: list[list[Row]] = []
    for item, rows in given:
        if rows is None:
            items.append((item, [failed("", "a text of the item failed").model_dump(mode="json")]))
            groups.append([])
            continue
        found = [_one(stage, str(n), row, asks) for n, row in enumerate(rows, start=1)]
        groups.append([r for r, one in zip(rows, found, strict=True) if one.status != "failed"])
        items.append((item, [one.model_dump(mode="json") for one in found]))
    good = [row for group in groups for row in group]
    try:
        figure = stage.metric.over(good, stage.tools) if good else Score(value=None, explanation="")
    except InputError as error:
        figure = Score(value=None, explanation=error.line())
    wide = spread(stage.metric, stage.tools, groups, figure.value)
    return {
        "items": items, "figure": figure.value, "said": figure.explanation,
        "ci": wide.ci, "why": wide.why, "samples": wide.samples,
        "clusters": wide.clusters,
    }  # fmt: skip


def _value(place: Place, name: str, item: str, row: ScoredItem) -> Value:
    problem = row.explanation if row.status == "failed" else None
    return Value(place, name, item, row.id, row.value, problem, (), row.explanation)


def _mean(place: Place, name: str, item: str, same: tuple[ScoredItem, ...]) -> Value:
    """The several judgements of one text as one value: their mean, if all of them gave one."""
    if len(same) == 1:
        return _value(place, name, item, same[0])
    lacking = [one for one in same if one.value is None]
    if lacking:
        lost = next((one for one in lacking if one.status == "failed"), lacking[0])
        return _value(place, name, item, lost)
    numbers = tuple(one.value for one in same if one.value is not None)
    said = "; ".join(one.explanation for one in same)
    return Value(place, name, item, same[0].id, fmean(numbers), None, numbers, said)


__all__ = ["ScoreOf", "Scoring", "WholeOf"]
