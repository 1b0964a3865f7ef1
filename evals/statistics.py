"""Intervals and paired comparisons that respect what belongs together.

Several values of one proposition (its replicates, its outputs) are not independent: they form a
cluster, and clusters, not values, are resampled. The statistic is always the mean over values.

Undefined cases: with fewer than two clusters nothing can be said about the spread between them,
so interval and p are None; a delta over nothing is None. None values never reach this module:
callers leave out what was not scored and say how much that was.

Several tests at once are corrected after Holm, and the smallest effect that a comparison could have
shown is told beside it (both by statsmodels): "not distinguishable" then says how much that means.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signatures.types import Record

EXACT = 12
"""Up to this many clusters all sign flips are enumerated (2**12), beyond it they are drawn."""

ALPHA = 0.05
"""The p below which a difference is called one."""

POWER = 0.8
"""How often an effect of the least detectable size is found."""

BLOCK = 2_000_000
"""Numbers drawn at a time, which bounds memory."""

Floats = NDArray[np.float64]


class Interval(Record):
    """The ends of a confidence interval; None where it is undefined."""

    low: float | None
    high: float | None


class Difference(Record):
    """``mean(a) - mean(b)``, its interval, and the p value of no difference (two-sided).

    ``mde`` is the least difference that so many clusters, scattered as these are, would show as
    one in 8 of 10 repetitions (a paired t test at 0.05, two-sided).
    """

    delta: float | None
    low: float | None
    high: float | None
    p: float | None
    mde: float | None = None


class _Grouped(NamedTuple):
    """Per cluster, in order of first appearance: sum and number of its values, ``(n,)`` each."""

    sums: Floats
    sizes: Floats


def interval(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of the mean.

    Args:
        values: The scores.
        clusters: For each value what it belongs to; by default each stands alone.
        seed: Of the resampling.
        resamples: How many samples are drawn.
        level: The share of them inside the interval.

    Returns:
        The interval, undefined with fewer than two clusters.
    """
    grouped = _grouped(values, clusters)
    if len(grouped.sums) < 2:
        return Interval(low=None, high=None)
    return _ends(_bootstrap(grouped, seed, resamples), level)


def paired(
    a: Sequence[float],
    b: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
) -> Difference:
    """How much ``a`` exceeds ``b``, paired by position.

    The interval is the clustered percentile bootstrap's; p comes from a permutation test that
    exchanges a and b in whole clusters (their differences change sign), counting the observed
    one among the draws, so it is never 0; up to 12 clusters it is exact.

    Args:
        a: One score for each pair.
        b: The other.
        clusters: For each pair what it belongs to; by default each stands alone.
        seed: Of the resampling.
        resamples: How many samples, and how many permutations, are drawn.
        level: The share of samples inside the interval.

    Returns:
        The difference; interval and p are None with fewer than two clusters.
    """
    if len(a) != len(b):
        raise ValueError(f"pairs are wanted, got {len(a)} and {len(b)} values")
    if not a:
        return Difference(delta=None, low=None, high=None, p=None)
    differences = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    delta = float(differences.mean())
    grouped = _grouped(differences, clusters)
    if len(grouped.sums) < 2:
        return Difference(delta=delta, low=None, high=None, p=None)
    ends = _ends(_bootstrap(grouped, seed, resamples), level)
    p = _permuted(grouped.sums, seed, resamples)
    mde = _least_effect(len(grouped.sums)) * _standard_error(grouped)
    return Difference(delta=delta, low=ends.low, high=ends.high, p=p, mde=mde)


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """The p values corrected for being several (Holm 1979), in their order; None stays None."""
    known = [p for p in ps if p is not None]
    if not known:
        return list(ps)
    from statsmodels.stats.multitest import multipletests

    corrected = iter(multipletests(known, method="holm")[1])
    return [None if p is None else float(next(corrected)) for p in ps]


def _standard_error(grouped: _Grouped) -> float:
    """Of the mean over values, clusters being what varies: its linearization (Cochran 1977, 3.12).

    With clusters of one size it is the standard deviation of their means over the root of n.
    """
    n, total = len(grouped.sums), grouped.sizes.sum()
    rest = grouped.sums - grouped.sums.sum() / total * grouped.sizes
    return float(np.sqrt(n / (n - 1) * (rest**2).sum()) / total)


@cache
def _least_effect(n: int) -> float:
    """In standard errors: what a paired t test of ``n`` clusters finds at 0.05 with power 0.8."""
    from statsmodels.stats.power import TTestPower

    size = TTestPower().solve_power(nobs=n, alpha=ALPHA, power=POWER)
    return float(np.squeeze(size)) * math.sqrt(n)


def _grouped(values: Sequence[float] | Floats, clusters: Sequence[Hashable] | None) -> _Grouped:
    array = np.asarray(values, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError("only finite values can be summarized")
    if clusters is None:
        return _Grouped(array, np.ones(len(array)))
    if len(clusters) != len(array):
        raise ValueError(f"{len(array)} values, but {len(clusters)} cluster names")
    index: dict[Hashable, int] = {}
    places = [index.setdefault(cluster, len(index)) for cluster in clusters]
    owners = np.asarray(places, dtype=np.intp)
    sums = np.zeros(len(index))
    np.add.at(sums, owners, array)
    return _Grouped(sums, np.bincount(owners, minlength=len(index)).astype(float))


def _bootstrap(grouped: _Grouped, seed: int, resamples: int) -> Floats:
    """The mean over values of each sample of clusters, ``(resamples,)``."""
    rng = np.random.default_rng(seed)
    n = len(grouped.sums)
    means = []
    for count in _blocks(resamples, n):
        drawn = rng.integers(n, size=(count, n))
        means.append(grouped.sums[drawn].sum(axis=1) / grouped.sizes[drawn].sum(axis=1))
    return np.concatenate(means)


def _permuted(sums: Floats, seed: int, resamples: int) -> float:
    """The share of sign flips, by cluster, whose sum is at least as far from 0."""
    n = len(sums)
    observed = abs(sums.sum())
    # Equal up to rounding counts as equal: flips of a tie must not fall to either side by chance.
    limit = observed - 1e-12 * max(1.0, float(np.abs(sums).sum()))
    if n <= EXACT:
        bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return float((np.abs((1 - 2 * bits) @ sums) >= limit).mean())
    rng = np.random.default_rng([seed, 1])
    extreme = 0
    for count in _blocks(resamples, n):
        signs = rng.integers(2, size=(count, n)) * 2 - 1
        extreme += int((np.abs(signs @ sums) >= limit).sum())
    return (extreme + 1) / (resamples + 1)


def _ends(samples: Floats, level: float) -> Interval:
    tail = (1 - level) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    return Interval(low=float(low), high=float(high))


def _blocks(total: int, width: int) -> list[int]:
    """``total`` rows of ``width`` numbers in blocks of bounded size."""
    rows = max(1, BLOCK // width)
    return [rows] * (total // rows) + ([total % rows] if total % rows else [])


__all__ = ["ALPHA", "Difference", "Interval", "holm", "interval", "paired"]
