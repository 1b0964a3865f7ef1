"""Whether texts take the side that was asked for: S3's downstream measure (section 3.3).

Texts are written for and against each of several claims. S3 correlates the polarity of their words
(TextBlob) with the side asked for; words say how something is said more than what is claimed, so
the same is computed with a reader of stance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EXACT = 1e-12
"""Correlations this near are equal: flips of a tie must not fall to either side by rounding."""


class Correlation(NamedTuple):
    """Pearson's r in percent, its interval over claims, and p of no relation.

    All are None where one side alone was written for, or all texts have one polarity.
    """

    r: float | None
    ci: tuple[float, float] | None
    p: float | None


def word_polarity(text: str) -> float:
    """TextBlob's polarity of a text, in [-1, 1] (S3, section 3.3); 0 without a word it knows."""
    from textblob import TextBlob

    return float(TextBlob(text).sentiment.polarity)


def correlation(
    sides: Sequence[int],
    polarities: Sequence[float],
    claims: Sequence[str],
    *,
    seed: int = 0,
    resamples: int = 2000,
) -> Correlation:
    """How far polarities follow the sides asked for.

    The interval resamples claims with all of their texts. p exchanges the sides within claims, as
    the texts of a claim were written under either, and counts the observed order among the draws.

    Args:
        sides: 1 for a text that was to support its claim, -1 for one that was to refute it.
        polarities: One for each text.
        claims: What each text is about.
        seed: Of the draws.
        resamples: How many.
    """
    x, y = np.asarray(sides, dtype=np.float64), np.asarray(polarities, dtype=np.float64)
    found = _pearson(x, y)
    if found is None:
        return Correlation(None, None, None)
    names = {claim: at for at, claim in enumerate(dict.fromkeys(claims))}
    owners = np.asarray([names[claim] for claim in claims])
    rng = np.random.default_rng(seed)
    flips = rng.integers(2, size=(resamples, len(names))) * 2 - 1
    others = [_pearson(x * flip[owners], y) or 0.0 for flip in flips]
    extreme = sum(abs(other) >= abs(found) - EXACT for other in others)
    p = (extreme + 1) / (resamples + 1)
    if len(names) < 2:
        return Correlation(100 * found, None, p)
    places = [np.flatnonzero(owners == at) for at in range(len(names))]
    drawn = []
    for sample in rng.integers(len(names), size=(resamples, len(names))):
        rows = np.concatenate([places[at] for at in sample])
        drawn.append(_pearson(x[rows], y[rows]))
    known = [value for value in drawn if value is not None]
    low, high = np.quantile(known, [0.025, 0.975])
    return Correlation(100 * found, (100 * float(low), 100 * float(high)), p)


def _pearson(x: Floats, y: Floats) -> float | None:
    """Pearson's r; None where either does not vary."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


__all__ = ["Correlation", "correlation", "word_polarity"]
