"""Diversity: the passages that say something the ones before them do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modules.retrieval.embed import Vectors

_DIGITS = 6  # beyond these, scores depend on how a batch was padded


def diverse(relevance: NDArray[np.floating], vectors: Vectors, k: int, weight: float) -> list[int]:
    """Maximal marginal relevance (Carbonell and Goldstein 1998, section 2).

    One after the other the candidate with the largest ``weight * relevance - (1 - weight) *
    similarity`` is taken, where similarity is the largest cosine to those taken before, and 0 for
    the first. Relevance is scaled to [0, 1] over the candidates, so that ``weight`` means the
    same for cosines, BM25 and fused ranks. Equal values go to the earlier candidate.

    Args:
        relevance: ``(n,)`` scores of the candidates, best first, higher is better.
        vectors: ``(n, dimension)`` unit vectors of the candidates.
        k: How many to take.
        weight: The paper's lambda in [0, 1]; 1 keeps the order.

    Returns:
        The indices of at most ``k`` candidates in the order taken.
    """
    gain = weight * _scaled(np.asarray(relevance, dtype=np.float64))
    alike = np.asarray(vectors @ vectors.T, dtype=np.float64)
    nearest = np.zeros(len(gain))
    left = np.ones(len(gain), dtype=bool)
    taken: list[int] = []
    for _ in range(min(k, len(gain))):
        value = np.round(gain - (1 - weight) * nearest, _DIGITS)
        best = int(np.argmax(np.where(left, value, -np.inf)))
        nearest = np.maximum(nearest, alike[best]) if taken else alike[best]
        left[best] = False
        taken.append(best)
    return taken


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores moved to [0, 1]; all 1 where they do not differ."""
    spread = np.ptp(scores) if len(scores) else 0.0
    return (scores - scores.min()) / spread if spread > 0 else np.ones_like(scores)
