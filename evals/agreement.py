"""Agreement between annotators: Krippendorff's alpha, Fleiss' kappa, nDFU.

All take items with the ratings each was given; None is a missing rating and is left out. Which
annotator gave which rating plays no part.

Undefined cases, decided here; each value is then None, never 0 or 1:

- fewer than two ratings say nothing about agreement: such an item is left out of alpha and kappa,
  and has no nDFU; with no item left there is no figure;
- where every rating is the same, alpha and kappa are 0 / 0: without variation nobody can tell
  agreement from a habit (nltk says 1 there, statsmodels NaN).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Distance = Literal["nominal", "ordinal", "interval"]
"""How far two ratings are apart: different or not, ranks between them, or their difference."""

Ratings = Sequence[float | None]
Floats = NDArray[np.float64]


def krippendorff_alpha(items: Sequence[Ratings], distance: Distance = "ordinal") -> float | None:
    """1 - observed / expected disagreement over all pairable ratings, at most 1.

    Krippendorff, Content Analysis (2004), section 11.3, by way of the coincidence matrix.

    Args:
        items: For each item its ratings, in any order.
        distance: The squared difference between two values: nominal 1 or 0; interval
            ``(c - k)**2``; ordinal the ratings between them, half of their own counted.
    """
    counts = _counts(items)
    if counts.size == 0 or counts.shape[1] < 2:
        return None
    values = _values(items)
    # Every ordered pair of an item's ratings counts 1 / (the item's ratings - 1).
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    observed = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    totals = counts.sum(axis=0)
    n = totals.sum()
    expected = (np.outer(totals, totals) - np.diag(totals)) / (n - 1)
    apart = _apart(values, totals, distance)
    return float(1 - (observed * apart).sum() / (expected * apart).sum())


def fleiss_kappa(items: Sequence[Ratings]) -> float | None:
    """(observed - chance) / (1 - chance) agreement, at most 1.

    Fleiss (1971). Where ratings are missing, an item's observed agreement is the share of agreeing
    pairs among the ratings it has, and chance agreement comes from all of these; with equally many
    ratings for every item that is Fleiss' own formula. (statsmodels would count a missing rating
    as a category of its own.)
    """
    counts = _counts(items)
    if counts.size == 0 or counts.shape[1] < 2:
        return None
    sizes = counts.sum(axis=1)
    observed = ((counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))).mean()
    chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return float((observed - chance) / (1 - chance))


def ndfu(ratings: Ratings, low: int, high: int) -> float | None:
    """Normalized distance from unimodality: 0 for one peak, 1 for two equal ones apart.

    Pavlopoulos and Likas (2024): in the histogram over the fixed scale, the greatest rise between
    neighbours on the way down from the highest bin, over the height of that bin. Of several highest
    bins the lowest counts, as in the authors' code.

    Args:
        ratings: Whole numbers from ``low`` to ``high``; None where one is missing.
        low: The scale's least value.
        high: Its greatest.
    """
    heights = histogram(ratings, low, high)
    if sum(heights) < 2:
        return None
    peak = heights.index(max(heights))
    right = [b - a for a, b in pairwise(heights[peak:])]
    left = [a - b for a, b in pairwise(heights[: peak + 1])]
    return max([0, *right, *left]) / heights[peak]


def histogram(ratings: Ratings, low: int, high: int) -> list[int]:
    """How often each value of the scale was given, ``high - low + 1`` counts.

    Raises:
        ValueError: A rating is no whole number on the scale.
    """
    counts = [0] * (high - low + 1)
    for value in ratings:
        if value is None:
            continue
        if value != int(value) or not low <= value <= high:
            raise ValueError(f"the rating {value:g} is no whole number from {low} to {high}")
        counts[int(value) - low] += 1
    return counts


def pair_agreement(ratings: Ratings) -> float | None:
    """The share of an item's pairs of ratings that are equal; None below two ratings."""
    given = Counter(value for value in ratings if value is not None)
    n = given.total()
    return None if n < 2 else sum(c * (c - 1) for c in given.values()) / (n * (n - 1))


def _pairable(items: Sequence[Ratings]) -> list[list[float]]:
    given = [[float(value) for value in ratings if value is not None] for ratings in items]
    return [ratings for ratings in given if len(ratings) > 1]


def _values(items: Sequence[Ratings]) -> list[float]:
    return sorted({value for ratings in _pairable(items) for value in ratings})


def _counts(items: Sequence[Ratings]) -> Floats:
    """``(n_items, n_values)``: how often each item with two ratings or more was given a value."""
    values = _values(items)
    rows = [Counter(ratings) for ratings in _pairable(items)]
    return np.array([[row[value] for value in values] for row in rows], dtype=np.float64)


def _apart(values: Sequence[float], totals: Floats, distance: Distance) -> Floats:
    """``(n_values, n_values)``: the squared difference between every two values."""
    if distance == "nominal":
        return 1 - np.eye(len(values))
    if distance == "interval":
        numbers = np.asarray(values, dtype=np.float64)
    else:
        # A rank in the middle of its ties: two ranks differ by the ratings between, half of each.
        numbers = np.cumsum(totals) - totals / 2
    squared: Floats = (numbers[:, None] - numbers[None, :]) ** 2
    return squared


__all__ = [
    "Distance",
    "Ratings",
    "fleiss_kappa",
    "histogram",
    "krippendorff_alpha",
    "ndfu",
    "pair_agreement",
]
