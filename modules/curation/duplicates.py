"""Near-duplicate questions: a greedy vertex cover of their similarity graph (S4 appendix A.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from modules.vectors import Embedder


class Duplicate(NamedTuple):
    """A question that goes, and the nearest one that stays; both by place."""

    place: int
    of: int
    cosine: float


def without_duplicates(
    questions: Sequence[str], embedder: Embedder, threshold: float
) -> tuple[list[int], list[Duplicate]]:
    """The places of the questions that stay, and those that go.

    Questions are vertices, with an edge between those whose cosine reaches ``threshold``. While
    there are edges, the vertex with the most of them goes; of equals, the last. What is left holds
    no two that are alike, and whatever went is like something that stays.
    """
    if not questions:
        return [], []
    vectors = np.asarray(embedder.encode(list(questions)), dtype=np.float64)
    cosines = np.round(vectors @ vectors.T, 6)
    edges = cosines >= threshold
    np.fill_diagonal(edges, False)
    left = edges.copy()
    gone: list[int] = []
    while left.any():
        degrees = left.sum(axis=1)
        place = int(len(degrees) - 1 - np.argmax(degrees[::-1]))
        left[place, :] = left[:, place] = False
        gone.append(place)
    kept = [place for place in range(len(questions)) if place not in set(gone)]
    # A cover can take a vertex whose neighbours all go after it: then it may stay.
    for place in sorted(gone):
        if not edges[place, kept].any():
            kept.append(place)
    kept.sort()
    dropped = [p for p in sorted(gone) if p not in set(kept)]
    return kept, [_nearest(place, kept, cosines) for place in dropped]


def _nearest(place: int, kept: Sequence[int], cosines: np.ndarray) -> Duplicate:
    of = max(kept, key=lambda k: (cosines[place, k], -k))
    return Duplicate(place, of, float(cosines[place, of]))


__all__ = ["Duplicate", "without_duplicates"]
