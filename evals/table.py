"""The table of an evaluation: a line per method and metric, and differences, with intervals.

Texts of one proposition are not independent, so intervals and tests resample propositions
(:mod:`evals.statistics`). What failed or abstained is counted beside the value, never in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple, TypeVar

from evals.contract import Metric
from evals.statistics import interval, paired
from signatures.results import Comparison, TableRow

T = TypeVar("T")
K = TypeVar("K")

S1_ORDER = ("relevance", "quality", "self_bleu", "self_emb", "opinion_diversity")
"""The columns of S1's Table 1, in its order; other metrics follow."""

SURE = 0.05
"""The p below which a difference is called one. With five propositions or fewer, none can be."""

ARROWS = {"higher": "↑", "lower": "↓"}


class Place(NamedTuple):
    """A cell of the product: one method on one backend."""

    method: str
    backend: str


class Value(NamedTuple):
    """One score in the table.

    Attributes:
        place: Whose it is.
        metric: The metric's name in the configuration.
        item: The proposition it belongs to.
        part: Which text of the proposition; "" where one value covers all of them.
        value: None where the metric abstained or the text failed.
        problem: Why there is none, if that was a failure.
    """

    place: Place
    metric: str
    item: str
    part: str
    value: float | None
    problem: str | None = None


class Cost(NamedTuple):
    """What one text cost when it was made; ``usd`` is None where a price is unknown."""

    place: Place
    tokens: int
    calls: int
    usd: float | None
    seconds: float


def table(
    places: Sequence[Place],
    metrics: Mapping[str, Metric],
    values: Iterable[Value],
    costs: Iterable[Cost],
    *,
    dataset: str,
) -> list[TableRow]:
    """A row for every place and metric, in the given order."""
    found = _grouped(values, lambda v: (v.place, v.metric))
    spent = _grouped(costs, lambda c: c.place)
    return [
        _row(place, name, metric, found.get((place, name), []), spent.get(place, []), dataset)
        for place in places
        for name, metric in metrics.items()
    ]


def comparisons(
    places: Sequence[Place],
    metrics: Mapping[str, Metric],
    values: Iterable[Value],
    *,
    reference: str,
) -> list[Comparison]:
    """Every method against the reference on the same backend, paired text by text."""
    scored = _grouped((v for v in values if v.value is not None), lambda v: (v.place, v.metric))
    return [
        _compared(place, reference, name, metric, scored)
        for place in places
        if place.method != reference
        for name, metric in metrics.items()
    ]


def markdown(
    title: str, rows: Sequence[TableRow], differences: Sequence[Comparison], notes: Sequence[str]
) -> str:
    """The table in S1's layout (its Table 1), one for each backend, and the differences."""
    parts = [f"# {title}", *(f"> {note}" for note in notes)]
    for backend in dict.fromkeys(row.backend for row in rows):
        parts += [f"## {backend}", _layout([row for row in rows if row.backend == backend])]
        told = [d for d in differences if d.backend == backend]
        if told:
            parts += [f"Differences from `{told[0].b}`, paired by proposition:", _deltas(told)]
    parts.append(
        "Values with their 95 % interval over propositions; ↑ higher is better, ↓ lower. "
        "Tokens, USD and seconds are means per text, as they were when it was made."
    )
    return "\n\n".join(parts) + "\n"


def _row(
    place: Place,
    name: str,
    metric: Metric,
    values: Sequence[Value],
    costs: Sequence[Cost],
    dataset: str,
) -> TableRow:
    scored = [(v.value, v.item) for v in values if v.value is not None]
    numbers, clusters = [x for x, _ in scored], [item for _, item in scored]
    ends = interval(numbers, clusters)
    known = [c.usd for c in costs if c.usd is not None]
    return TableRow(
        method=place.method,
        backend=place.backend,
        dataset=dataset,
        metric=name,
        direction=metric.direction,
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


def _compared(
    place: Place,
    reference: str,
    name: str,
    metric: Metric,
    scored: Mapping[tuple[Place, str], Sequence[Value]],
) -> Comparison:
    own = {(v.item, v.part): v.value for v in scored.get((place, name), ())}
    base = scored.get((place._replace(method=reference), name), ())
    pairs = [(own[v.item, v.part], v.value, v.item) for v in base if (v.item, v.part) in own]
    found = paired(
        [a for a, _, _ in pairs if a is not None],
        [b for _, b, _ in pairs if b is not None],
        [item for _, _, item in pairs],
    )
    return Comparison(
        a=place.method,
        b=reference,
        backend=place.backend,
        metric=name,
        direction=metric.direction,
        delta=found.delta,
        ci=_pair(found.low, found.high),
        p=found.p,
        n=len(pairs),
    )


def _layout(rows: Sequence[TableRow]) -> str:
    """One line for each method, a column for each metric."""
    names = _ordered(dict.fromkeys(row.metric for row in rows))
    arrows = {row.metric: ARROWS[row.direction] for row in rows}
    head = ["method", *(f"{name} {arrows[name]}" for name in names)]
    lines = [[*head, "texts", "tokens", "USD", "s"]]
    for method in dict.fromkeys(row.method for row in rows):
        own = {row.metric: row for row in rows if row.method == method}
        any_row = next(iter(own.values()))
        usd = "unpriced" if any_row.usd is None else f"{any_row.usd:.4f}"
        tokens = "–" if any_row.tokens is None else f"{any_row.tokens:.0f}"
        seconds = "–" if any_row.seconds is None else f"{any_row.seconds:.1f}"
        if not any_row.texts:
            usd = "–"
        lines.append(
            [method, *(_value(own[n]) for n in names), str(any_row.texts), tokens, usd, seconds]
        )
    return _pipes(lines)


def _deltas(differences: Sequence[Comparison]) -> str:
    lines = [["method", "metric", "difference", "p", "n", ""]]
    for d in differences:
        if d.delta is not None:
            p = "–" if d.p is None else f"{d.p:.3f}"
            lines.append([d.a, d.metric, _number(d.delta, d.ci, sign="+"), p, str(d.n), _said(d)])
    return _pipes(lines) if len(lines) > 1 else "Nothing was scored on both sides."


def _said(d: Comparison) -> str:
    """What a difference says, without reading p."""
    if d.p is None or d.p >= SURE:
        return "not distinguishable"
    return "better" if ((d.delta or 0) > 0) == (d.direction == "higher") else "worse"


def _value(row: TableRow) -> str:
    counts = [
        f"{count} {what}"
        for count, what in ((row.n_failed, "failed"), (row.n_abstained, "abstained"))
        if count
    ]
    aside = f" ({', '.join(counts)})" if counts else ""
    return ("–" if row.value is None else _number(row.value, row.ci)) + aside


def _number(value: float, ci: tuple[float, float] | None, sign: str = "") -> str:
    ends = "" if ci is None else f" [{ci[0]:{sign}.2f}, {ci[1]:{sign}.2f}]"
    return f"{value:{sign}.2f}{ends}"


def _pipes(lines: Sequence[Sequence[str]]) -> str:
    head, *body = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([head, f"|{'---|' * len(lines[0])}", *body])


def _ordered(names: Iterable[str]) -> list[str]:
    known = list(names)
    first = [name for name in S1_ORDER if name in known]
    return [*first, *(name for name in known if name not in first)]


def _pair(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


__all__ = ["Cost", "Place", "Value", "comparisons", "markdown", "table"]
