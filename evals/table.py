"""The table of an evaluation: a line per cell and metric, and differences, with intervals.

Texts of one item are not independent, so intervals and tests resample items
(:mod:`evals.statistics`). What failed or abstained is counted beside the value, never in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from evals.contract import Metric
from evals.recomputed import Samples, difference, grouped
from evals.statistics import ALPHA, holm, interval, paired
from evals.variance import components
from signatures.evaluation_results import Comparison, Direction, Finding, MetricVariance, TableRow


class Place(NamedTuple):
    """A cell of the product: a method on a backend over a dataset, under a prompt's name."""

    method: str
    backend: str
    dataset: str = ""
    prompt: str = ""


class Value(NamedTuple):
    """One score in the table.

    Attributes:
        place: Whose it is.
        metric: The metric's name in the configuration.
        item: The dataset's item it belongs to.
        part: Which text of the item; "" where one value covers all of them.
        value: None where the metric abstained or the text failed.
        problem: Why there is none, if that was a failure.
        judgements: The several judgements that ``value`` is the mean of, where there are several.
        explanation: What the metric said.
    """

    place: Place
    metric: str
    item: str
    part: str
    value: float | None
    problem: str | None = None
    judgements: tuple[float, ...] = ()
    explanation: str = ""


class Cost(NamedTuple):
    """What one text cost when it was made; ``usd`` is None where a price is unknown."""

    place: Place
    tokens: int
    calls: int
    usd: float | None
    seconds: float


class CellFigure(NamedTuple):
    """A figure over a whole cell; ``why`` it has no interval, and otherwise the samples of it, over
    so many clusters.
    """

    value: float | None
    ci: tuple[float, float] | None = None
    why: str = ""
    samples: Samples = ()
    clusters: int = 0


Whole = Mapping[tuple[Place, str], CellFigure]
"""The figures of metrics of level ``corpus``, by cell and metric."""


def table(
    places: Sequence[Place],
    metrics: Mapping[str, Metric],
    values: Iterable[Value],
    costs: Iterable[Cost],
    *,
    dataset: str = "",
    whole: Whole | None = None,
) -> list[TableRow]:
    """A row for every place and metric, in the given order; ``dataset`` names that of places that
    have none of their own.
    """
    found = grouped(values, lambda v: (v.place, v.metric))
    spent = grouped(costs, lambda c: c.place)
    rows = []
    for place in places:
        for name, metric in metrics.items():
            row = _row(place, name, metric, found.get((place, name), []), spent.get(place, []))
            if metric.level == "corpus":
                figure = (whole or {}).get((place, name), CellFigure(None))
                row = row.model_copy(update={"value": figure.value, "ci": figure.ci})
            if not place.dataset:
                row = row.model_copy(update={"dataset": dataset})
            rows.append(row)
    return rows


def comparisons(
    places: Sequence[Place],
    metrics: Mapping[str, Metric],
    values: Iterable[Value],
    *,
    reference: str,
    whole: Whole | None = None,
) -> list[Comparison]:
    """Every cell against those that differ from it in one thing: they have the reference method,
    or the first backend, or the first prompt. Paired text by text, corrected metric by metric.
    """
    scored = grouped((v for v in values if v.value is not None), lambda v: (v.place, v.metric))
    found: list[Comparison] = []
    for name, metric in metrics.items():
        family = [
            compared_whole(a, b, name, metric.direction, whole or {}, whole or {})
            if metric.level == "corpus"
            else compared(
                a, b, name, metric.direction, scored.get((a, name), ()), scored.get((b, name), ())
            )
            for a, b in _pairs(places, reference)
        ]
        found += corrected(family)
    order = {place: number for number, place in enumerate(places)}
    return sorted(found, key=lambda c: order[Place(c.a, c.backend, c.dataset, c.prompt)])


def compared(
    a: Place,
    b: Place,
    metric: str,
    direction: Direction,
    ours: Iterable[Value],
    theirs: Iterable[Value],
) -> Comparison:
    """Cell ``a`` against cell ``b``, over the texts that both have scored."""
    own = {(v.item, v.part): v.value for v in ours}
    pairs = [(own.get((v.item, v.part)), v.value, v.item) for v in theirs]
    known = [(x, y, item) for x, y, item in pairs if x is not None and y is not None]
    found = paired([x for x, _, _ in known], [y for _, y, _ in known], [i for _, _, i in known])
    return _comparison(
        a, b, metric, direction, delta=found.delta, ci=_pair(found.low, found.high), p=found.p,
        mde=found.mde, n=len(known),
    )  # fmt: skip


def compared_whole(
    a: Place, b: Place, metric: str, direction: Direction, ours: Whole, theirs: Whole
) -> Comparison:
    """Cell ``a`` against cell ``b`` by figures over whole cells; ``n`` counts their clusters."""
    x, y = (w.get((p, metric), CellFigure(None)) for w, p in ((ours, a), (theirs, b)))
    n = min(x.clusters, y.clusters)
    found = difference(x.value, y.value, x.samples, y.samples, clusters=n)
    return _comparison(
        a, b, metric, direction, delta=found.delta, ci=_pair(found.low, found.high), p=found.p,
        mde=None, n=n,
    )  # fmt: skip


def corrected(family: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with their p values corrected for one another, and what each then says."""
    return [
        c.model_copy(update={"p_holm": p, "finding": finding(c.delta, p, c.direction)})
        for c, p in zip(family, holm([c.p for c in family]), strict=True)
    ]


def finding(delta: float | None, p: float | None, direction: Direction) -> Finding:
    """What a difference says, without reading p."""
    if delta is None or p is None:
        return "undefined"
    if p >= ALPHA:
        return "not distinguishable"
    return "better" if (delta > 0) == (direction == "higher") else "worse"


def variances(metrics: Mapping[str, Metric], values: Iterable[Value]) -> list[MetricVariance]:
    """The variance components of each metric whose texts were judged several times."""
    several = [v for v in values if len(v.judgements) > 1]
    found = []
    for dataset, name in dict.fromkeys((v.place.dataset, v.metric) for v in several):
        scores: dict[Place, dict[str, tuple[float, ...]]] = {}
        for v in several:
            if (v.place.dataset, v.metric) == (dataset, name):
                scores.setdefault(v.place, {})[f"{v.item}\n{v.part}"] = v.judgements
        told = components(scores)
        if told is not None and name in metrics:
            found.append(MetricVariance(metric=name, dataset=dataset, **told.model_dump()))
    return found


def _pairs(places: Sequence[Place], reference: str) -> Iterator[tuple[Place, Place]]:
    known = set(places)
    first = places[0]
    for place in places:
        changes = (
            {"method": reference},
            {"backend": first.backend},
            {"prompt": first.prompt},
        )
        for change in changes:
            other = place._replace(**change)
            if other != place and other in known:
                yield place, other


def _row(
    place: Place, name: str, metric: Metric, values: Sequence[Value], costs: Sequence[Cost]
) -> TableRow:
    scored = [(v.value, v.item) for v in values if v.value is not None]
    numbers, clusters = [x for x, _ in scored], [item for _, item in scored]
    ends = interval(numbers, clusters)
    known = [c.usd for c in costs if c.usd is not None]
    return TableRow(
        **place._asdict(),
        metric=name,
        direction=metric.direction,
        level=metric.level,
        value=fmean(numbers) if numbers else None,
        ci=_pair(ends.low, ends.high),
        n_scored=len(numbers),
        n_failed=sum(v.problem is not None for v in values),
        n_abstained=sum(v.value is None and v.problem is None for v in values),
        texts=len(costs),
        tokens=fmean(c.tokens for c in costs) if costs else None,
        calls=fmean(c.calls for c in costs) if costs else None,
        usd=fmean(known) if costs and len(known) == len(costs) else None,
        seconds=fmean(c.seconds for c in costs) if costs else None,
    )


def _comparison(
    a: Place,
    b: Place,
    metric: str,
    direction: Direction,
    *,
    delta: float | None,
    ci: tuple[float, float] | None,
    p: float | None,
    mde: float | None,
    n: int,
) -> Comparison:
    return Comparison(
        a=a.method,
        b=b.method,
        backend=a.backend,
        b_backend=b.backend,
        dataset=a.dataset,
        prompt=a.prompt,
        b_prompt=b.prompt,
        metric=metric,
        direction=direction,
        delta=delta,
        ci=ci,
        p=p,
        p_holm=p,
        mde=mde,
        n=n,
        finding=finding(delta, p, direction),
    )


def _pair(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


__all__ = [
    "CellFigure",
    "Cost",
    "Place",
    "Value",
    "Whole",
    "compared",
    "compared_whole",
    "comparisons",
    "corrected",
    "finding",
    "table",
    "variances",
]
