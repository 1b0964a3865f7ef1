"""Intervals and paired comparisons that respect what belongs together.

Several values of one proposition (its replicates, its outputs) are not independent: they form a
cluster, and clusters, not values, are resampled. The statistic is always the mean over values.

Undefined cases: with fewer than two clusters nothing can be said about the spread between them,
so interval and p are None; a delta over nothing is None. None values never reach this module:
callers leave out what was not scored and say how much that was.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signatures.types import Record

EXACT = 12
"""Up to this many clusters all sign flips are enumerated (2**12), beyond it they are drawn."""

BLOCK = 2_000_000
"""Numbers drawn at a time, which bounds memory."""

Floats = NDArray[np.float64]


class Interval(Record):
    """The ends of a confidence interval; None where it is undefined."""

    low: float | None
    high: float | None


class Difference(Record):
    """``mean(a) - mean(b)``, its interval, and the p value of no difference (two-sided)."""

    delta: float | None
    low: float | None
    high: float | None
    p: float | None


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
    return Difference(delta=delta, low=ends.low, high=ends.high, p=p)


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


__all__ = ["Difference", "Interval", "interval", "paired"]
