"""Intervals of figures that are no means: an alpha, a ratio, computed anew over resampled clusters.

Clusters (items, questions) are drawn with replacement by their position, under one seed: samples of
two systems over the same clusters are paired, so what their figures differ by, sample by sample, is
a sample of the difference.

Undefined cases: with fewer than two clusters nothing varies. A figure that changes when rows are
repeated (a count of different words) says so (``Metric.resampled``), or lies outside of its own
interval. One that many samples do not have has none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from evals.contract import Metric, Row, Tools
from evals.statistics import Difference
from signatures.errors import InputError

RESAMPLES = 1000
LEAST = 200
"""Samples at least, however many rows there are."""

WORK = 2_000_000
"""Rows that all samples of a figure may read together."""

LACKING = 0.05
"""The share of samples that may have no figure."""

REPEATED = "rows that are repeated change the figure, so resampled ones tell nothing of it"

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Samples = Sequence[float | None]


class Spread(NamedTuple):
    """The interval of a figure, or why there is none; the samples behind it, and of how many
    clusters they are.
    """

    ci: tuple[float, float] | None
    why: str
    samples: list[float | None]
    clusters: int = 0


def spread(
    metric: Metric,
    tools: Tools,
    groups: Sequence[Sequence[Row]],
    value: float | None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Spread:
    """How far a metric's figure over all rows could have come out otherwise.

    Args:
        metric: Of level ``corpus``.
        tools: Its tools.
        groups: The rows of each cluster, in an order that other systems' share; a cluster whose
            rows failed is empty.
        value: The figure over all of them.
        seed: Of the resampling.
        resamples: How many samples are drawn at most; fewer where there are many rows.
        level: The share of them inside the interval.
    """
    if metric.program() is not None or metric.evaluates:
        return Spread(None, "a model would have to be asked anew for each sample", [])
    if not metric.resampled:
        return Spread(None, REPEATED, [])
    if value is None:
        return Spread(None, "there is no figure", [])
    if sum(map(bool, groups)) < 2:
        return Spread(None, "all that was scored is on one subject", [])
    rows = sum(map(len, groups))
    count = min(resamples, max(LEAST, WORK // rows))

    def over(drawn: list[Row]) -> float | None:
        try:
            return metric.over(drawn, tools).value if drawn else None
        except InputError:
            return None

    found = _drawn(groups, over, seed, count)
    known = [x for x in found if x is not None]
    if len(known) < (1 - LACKING) * count:
        return Spread(None, f"{count - len(known)} of {count} samples have no figure", [])
    low, high = _ends(known, level)
    if not low <= value <= high:
        return Spread(None, REPEATED, [])
    return Spread((low, high), "", found, sum(map(bool, groups)))


def difference(
    a: float | None, b: float | None, ours: Samples, theirs: Samples, *, clusters: int
) -> Difference:
    """How much figure ``a`` exceeds figure ``b``, from their paired samples.

    p is the least level at which the interval leaves out 0, but no less than a permutation test
    could come to if all ``clusters`` differed the same way, ``2 ** (1 - clusters)``: samples of few
    clusters are much alike.
    """
    delta = None if a is None or b is None else a - b
    pairs = zip(ours, theirs, strict=False)
    apart = [x - y for x, y in pairs if x is not None and y is not None]
    if delta is None or len(apart) < LEAST / 2:
        return Difference(delta=delta, low=None, high=None, p=None)
    low, high = _ends(apart, 0.95)
    side = min(sum(d <= 0 for d in apart), sum(d >= 0 for d in apart))
    p = min(1.0, max(2 * (side + 1) / (len(apart) + 1), 2.0 ** (1 - clusters)))
    return Difference(delta=delta, low=low, high=high, p=p)


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The rows of each key, in the order in which they first appear."""
    found: dict[K, list[T]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _drawn(
    groups: Sequence[Sequence[Row]],
    over: Callable[[list[Row]], float | None],
    seed: int,
    count: int,
) -> list[float | None]:
    rng = np.random.default_rng(seed)
    n = len(groups)
    return [over([row for i in rng.integers(n, size=n) for row in groups[i]]) for _ in range(count)]


def _ends(values: Sequence[float], level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


__all__ = ["RESAMPLES", "Samples", "Spread", "difference", "grouped", "spread"]
