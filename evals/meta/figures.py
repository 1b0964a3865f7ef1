"""The figures of a meta-evaluation: Elo ratings, rank correlations, binary verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau, rankdata, spearmanr

from evals.meta.rows import Preference

START, SCALE, STEP = 1000.0, 400.0, 4.0
"""Everyone's first rating; the difference of odds 10 to 1; how much one comparison moves."""

ORDERS = 200
"""Random orders over which ratings are averaged: Elo depends on the order, preferences do not."""


class Binary(NamedTuple):
    """Accuracy, F1 of label 1, area under the ROC curve, Matthews correlation; None: undefined."""

    accuracy: float | None
    f1: float | None
    auroc: float | None
    mcc: float | None


def elo(preferences: Sequence[Preference], *, seed: int = 0) -> dict[str, float]:
    """Elo ratings of the models compared, averaged over random orders of the comparisons.

    A comparison moves both ratings by 4 times what was unexpected of it. Models come sorted.
    """
    models = sorted({name for p in preferences for name in (p.first, p.second)})
    place = {model: n for n, model in enumerate(models)}
    pairs = sorted((place[p.first], place[p.second], p.share) for p in preferences)
    rng = np.random.default_rng(seed)
    total = np.zeros(len(models))
    for _ in range(ORDERS):
        ratings = [START] * len(models)
        for n in rng.permutation(len(pairs)):
            one, two, share = pairs[n]
            expected = 1 / (1 + 10 ** ((ratings[two] - ratings[one]) / SCALE))
            moved = STEP * (share - expected)
            ratings[one] += moved
            ratings[two] -= moved
        total += ratings
    return {model: float(total[n] / ORDERS) for model, n in place.items()}


def correlations(a: Sequence[float], b: Sequence[float]) -> tuple[float | None, float | None]:
    """Spearman's rho and Kendall's tau-b; None where one side is constant or has one value."""
    if len(a) < 2 or len(set(a)) < 2 or len(set(b)) < 2:
        return None, None
    return float(spearmanr(a, b).statistic), float(kendalltau(a, b).statistic)


def ranks(values: Mapping[str, float], *, lower: bool) -> dict[str, float]:
    """Ranks from 1, the best; ties share the mean."""
    signed = [value if lower else -value for value in values.values()]
    return dict(zip(values, map(float, rankdata(signed)), strict=True))


def binary(values: Sequence[float], labels: Sequence[int]) -> Binary:
    """Verdicts (``value >= 0.5``) against labels; AUROC takes the values as they are.

    F1 is 0 where nothing is right; MCC and AUROC need both labels, MCC both verdicts too.
    """
    if not labels:
        return Binary(None, None, None, None)
    said = [int(value >= 0.5) for value in values]
    pairs = list(zip(said, labels, strict=True))
    tp, fp = pairs.count((1, 1)), pairs.count((1, 0))
    fn, tn = pairs.count((0, 1)), pairs.count((0, 0))
    f1 = 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None
    spread = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    mcc = (tp * tn - fp * fn) / spread if spread else None
    return Binary((tp + tn) / len(pairs), f1, _auroc(values, labels), mcc)


def z_norm(values: Mapping[str, float]) -> dict[str, float]:
    """Values less their mean, by their standard deviation; all 0 where they are equal."""
    told = np.asarray(list(values.values()), dtype=float)
    spread = told.std()
    scaled = (told - told.mean()) / spread if spread > 0 else np.zeros(len(told))
    return dict(zip(values, map(float, scaled), strict=True))


def _auroc(values: Sequence[float], labels: Sequence[int]) -> float | None:
    """The chance that a row labelled 1 has the higher value than one labelled 0, ties half."""
    ones = sum(labels)
    zeros = len(labels) - ones
    if not ones or not zeros:
        return None
    placed = rankdata(values)
    above = float(sum(rank for rank, label in zip(placed, labels, strict=True) if label))
    return (above - ones * (ones + 1) / 2) / (ones * zeros)


__all__ = ["Binary", "binary", "correlations", "elo", "ranks", "z_norm"]
