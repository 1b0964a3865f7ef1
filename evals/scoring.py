"""One metric over many rows: what became of each row, and the figure over all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from evals.contract import Metric, Row, Score, Tools
from evals.recomputed import grouped, spread
from evals.rows import Loaded, cluster, subject
from evals.statistics import interval
from modules.stage import Stage
from signatures.errors import (
    BudgetReached,
    ConfigError,
    InputError,
    MootError,
    StorageError,
)
from signatures.results import ScoredItem

STOPS = (BudgetReached, ConfigError, StorageError)
"""What is no row's fault, and ends the whole."""

SHARED = ("id", "stance", "method", "writer", "partial_answers")
"""The fields of a text's row that a row of several texts has too."""


class Figure(NamedTuple):
    """The figure over all rows, its interval where one is defined, and what there is to say."""

    value: float | None
    ci: tuple[float, float] | None
    notes: list[str]


class RowScore(Stage):
    """The score of one row by a metric, as a stage: its identity is its key.

    A bad row is a result, and kept; an LM that fails raises, and is asked again another time.
    """

    def __init__(self, metric: Metric, tools: Tools) -> None:
        kind = type(metric)
        embedder = tools.embedder.name if metric.embeds and tools.embedder else None
        own = {"evaluator": tools.evaluate().name} if metric.evaluates else {}
        super().__init__(
            metric=f"{kind.__module__}.{kind.__qualname__}",
            metric_version=metric.version,
            code=metric.version,
            options=metric.model_dump(mode="json"),
            embedder=embedder,
            **own,
        )
        asked = metric.program()
        self.program = None if asked is None else tools.bind(asked)
        self.metric = metric
        self.tools = tools

    def forward(self, *, name: str, row: dict[str, Any]) -> ScoredItem:
        """The item called ``name``.

        Raises:
            ReplyError: The judge's replies stayed unusable.
            BackendError: The judge's backend failed.
        """
        try:
            return _item(name, self.metric.score(row, self.tools))
        except InputError as error:
            return failed(name, error.line())


def failed(name: str, reason: str) -> ScoredItem:
    """A row that could not be scored."""
    return ScoredItem(id=name, status="failed", value=None, explanation=reason)


def scored(name: str, score: Callable[[], Score]) -> ScoredItem:
    """What becomes of a row when ``score`` scores it.

    Raises:
        BudgetReached, ConfigError, StorageError: No row's fault.
    """
    try:
        return _item(name, score())
    except STOPS:
        raise
    except MootError as error:
        return failed(name, error.line())
    except Exception as error:  # whatever a metric trips over in one row must not cost the others
        return failed(name, f"{type(error).__name__}: {error}")


def parted(
    metric: Metric, rows: Sequence[dict[str, Any]], field: str
) -> list[tuple[str, dict[str, Any]]]:
    """The rows a metric scores, of several texts on one subject, each with its part's name.

    A metric that compares texts gets all of them in one row, any other each on its own; so do
    rows that hold several texts themselves, as a debate its turns.

    Args:
        metric: The metric.
        rows: A row for each text.
        field: The field that holds a row's text.
    """
    if "outputs" not in metric.fields or "outputs" in rows[0]:
        return [(str(number), row) for number, row in enumerate(rows, start=1)]
    shared = {name: rows[0][name] for name in SHARED if name in rows[0]}
    outputs = [row[field] for row in rows]
    return [("", {**shared, "input": subject(rows[0]), "outputs": outputs})]


def filled(loaded: Sequence[Loaded], known: Mapping[str, Row]) -> list[Loaded]:
    """The rows with fields they lack taken from the dataset's row of the same id, else subject.

    ``known`` goes by ids and by subjects in lower case: an essay's id is that of its run.
    """
    found = []
    for one in loaded:
        if one.row is not None:
            about = known.get(one.id) or known.get(cluster(one.row, "").casefold(), {})
            one = one._replace(row={**about, **one.row})
        found.append(one)
    return found


def figure(
    metric: Metric,
    loaded: Sequence[Loaded],
    items: Sequence[ScoredItem],
    tools: Tools,
    *,
    seed: int,
    resamples: int,
    level: float,
) -> Figure:
    """The metric's figure: the mean of its items, or its own over all rows that did not fail."""
    if metric.level == "corpus":
        return _corpus_figure(
            metric, loaded, items, tools, seed=seed, resamples=resamples, level=level
        )
    pairs = [
        (item.value, cluster(one.row or {}, str(place)))
        for place, (one, item) in enumerate(zip(loaded, items, strict=True))
        if item.value is not None
    ]
    if not pairs:
        return Figure(None, None, ["nothing was scored"])
    values = [value for value, _ in pairs]
    ends = interval(
        values, [name for _, name in pairs], seed=seed, resamples=resamples, level=level
    )
    mean = math.fsum(values) / len(values)
    if ends.low is None or ends.high is None:
        return Figure(mean, None, ["no interval: all that was scored is on one subject"])
    return Figure(mean, (ends.low, ends.high), [])


def _corpus_figure(
    metric: Metric,
    loaded: Sequence[Loaded],
    items: Sequence[ScoredItem],
    tools: Tools,
    *,
    seed: int,
    resamples: int,
    level: float,
) -> Figure:
    pairs = zip(loaded, items, strict=True)
    good = [
        (one.row, cluster(one.row, str(place)))
        for place, (one, item) in enumerate(pairs)
        if one.row is not None and item.status != "failed"
    ]
    if not good:
        return Figure(None, None, ["nothing was scored"])
    rows = [row for row, _ in good]
    score = metric.over(rows, tools)
    groups = [[row for row, _ in group] for group in grouped(good, lambda pair: pair[1]).values()]
    found = spread(metric, tools, groups, score.value, seed=seed, resamples=resamples, level=level)
    notes = [score.explanation, *([] if found.ci else [f"no interval: {found.why}"])]
    return Figure(score.value, found.ci, notes)


def _item(name: str, score: Score) -> ScoredItem:
    if score.value is None:
        return ScoredItem(id=name, status="abstained", value=None, explanation=score.explanation)
    if not math.isfinite(score.value):
        return failed(name, f"the metric returned {score.value}")
    return ScoredItem(id=name, status="scored", value=score.value, explanation=score.explanation)


__all__ = ["Figure", "RowScore", "failed", "figure", "filled", "parted", "scored"]
