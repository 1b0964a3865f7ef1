"""p-Recall and what stands beside it, from scores of all documents for all queries.

A query succeeds at k if one of its gold documents is among the first k (S3, section 2.3).
p-Recall@k is the mean over root queries of the mean success of their queries; over several tasks
it is the mean of theirs (S3's macro average). All figures are percent, all intervals
percentile bootstraps over root queries, which are what is independent here.

Undefined cases. A root with one query has nothing to compare and counts as 0, as in the released
notebook (``single="zero"``), or is left out (``single="skip"``). With fewer than two roots there is
no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evals.pir.task import Gold, Places, Task

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Single = Literal["zero", "skip"]

DIGITS = 9
"""Scores that agree this far are equal: beyond, sums depend on how a product was blocked."""


class Bootstrap(NamedTuple):
    """How intervals are drawn."""

    seed: int = 0
    resamples: int = 2000
    level: float = 0.95


class Summary(NamedTuple):
    """A figure in percent; the interval is None where there are fewer than two roots."""

    value: float
    ci: tuple[float, float] | None


def positions(scores: Floats, gold: Sequence[Places]) -> Ints:
    """``(n_queries,)``: the place, from 0 on, of each query's best gold document.

    Args:
        scores: ``(n_queries, n_documents)``; equal ones are ordered by index.
        gold: The documents of each query, at least one.
    """
    scores = np.round(scores, DIGITS)
    owners = np.repeat(np.arange(len(gold)), [len(own) for own in gold])
    flat = np.fromiter((at for own in gold for at in own), dtype=np.int64, count=len(owners))
    held = scores[owners, flat]
    # Best score first, then the least index: the first of each owner is its best document.
    order = np.lexsort((flat, -held, owners))
    best = order[np.r_[True, np.diff(owners[order]) > 0]]
    reached, where = held[best][:, None], flat[best][:, None]
    before = np.arange(scores.shape[1])[None, :] < where
    found: Ints = ((scores > reached) | ((scores == reached) & before)).sum(axis=1)
    return found


def top(scores: Floats, k: int) -> Ints:
    """``(n_queries, k)`` documents, best first, equal scores by index; fewer if there are fewer."""
    scores = np.round(scores, DIGITS)
    k = min(k, scores.shape[1])
    least = -np.partition(-scores, k - 1, axis=1)[:, k - 1 : k]
    above, level = scores > least, scores == least
    free = k - above.sum(axis=1, keepdims=True)
    chosen = above | (level & (np.cumsum(level, axis=1) <= free))
    places = np.nonzero(chosen)[1].reshape(len(scores), k)
    order = np.argsort(-np.take_along_axis(scores, places, axis=1), axis=1, kind="stable")
    return np.take_along_axis(places, order, axis=1)


def per_root(task: Task, success: NDArray[np.bool_], single: Single = "zero") -> Floats:
    """``(n_roots,)``: each root's mean success; those with one query 0, or not there."""
    owners = np.asarray(task.root_places)
    sizes = np.bincount(owners)
    means = np.bincount(owners, weights=success) / sizes
    if single == "skip":
        return np.asarray(means[sizes > 1])
    return np.where(sizes > 1, means, 0.0)


def summary(values: Floats, how: Bootstrap) -> Summary:
    """Mean and interval of one value per root, in percent."""
    return macro([values], how)


def macro(tasks: Sequence[Floats], how: Bootstrap) -> Summary:
    """The mean of the tasks' means, in percent; each task's roots are resampled by themselves."""
    value = 100 * float(np.mean([values.mean() for values in tasks]))
    if any(len(values) < 2 for values in tasks):
        return Summary(value, None)
    drawn = np.mean([_drawn(values, at, how) for at, values in enumerate(tasks)], axis=0)
    tail = (1 - how.level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Summary(value, (100 * float(low), 100 * float(high)))


def _drawn(values: Floats, stream: int, how: Bootstrap) -> Floats:
    """The means of ``resamples`` samples of the values."""
    rng = np.random.default_rng([how.seed, stream])
    places = rng.integers(len(values), size=(how.resamples, len(values)))
    means: Floats = values[places].mean(axis=1)
    return means


def p_recall(
    task: Task, at: Ints, k: int, single: Single, how: Bootstrap
) -> tuple[Summary, Floats]:
    """p-Recall@k and its value for each root, from the places of gold documents."""
    values = per_root(task, at < k, single)
    return summary(values, how), values


def by_label(task: Task, at: Ints, k: int) -> dict[str, tuple[float, int]]:
    """Label -> the share of its queries that succeed (percent), and how many it has."""
    labels = np.asarray(task.labels)
    return {
        label: (100 * float((at[labels == label] < k).mean()), int((labels == label).sum()))
        for label in dict.fromkeys(task.labels)
    }


def every_perspective(task: Task, at: Ints, k: int) -> float:
    """The share of roots with several queries whose worst query succeeds too (percent)."""
    owners, failed = np.asarray(task.root_places), at >= k
    sizes, missed = np.bincount(owners), np.bincount(owners, weights=failed)
    return 100 * float((missed[sizes > 1] == 0).mean())


def golds(task: Task, kinds: Sequence[Gold], scores: Floats) -> dict[Gold, Ints]:
    """The places of the best gold documents, by each reading of the gold."""
    return {kind: positions(scores, task.gold_of(kind)) for kind in kinds}


__all__ = [
    "Bootstrap",
    "Single",
    "Summary",
    "by_label",
    "every_perspective",
    "golds",
    "macro",
    "p_recall",
    "per_root",
    "positions",
    "summary",
    "top",
]
