"""Ranking texts by claim and side: calibrated chances of relevance and side, then coverage.

A pool of texts is ranked for a claim in three steps. The texts nearest to the claim by meaning are
candidates. A logistic regression over what is known of each - cosine, BM25, how its neighbours in
the pool do, and what networks and cues read, smoothed over near-paraphrases - gives the chance that
the text argues the asked side of that claim. Last, texts are taken one by one by the chance that
they say something that none before them has said.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from modules.retrieval.embed import Embedder, Vectors
from modules.stance.model import Readings, StanceModel
from modules.stance.weights import SHIPPED, Platt, unread

Side = Literal[1, 0, -1]
"""For the claim, either, or against it."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CANDIDATES = 60
NEIGHBOURS = 15
SHARPNESS = 10.0
"""A neighbour's readings count exp(10 (cosine - 1)) of a text's own."""
_K1, _B = 1.2, 0.75

_WORD = re.compile(r"\w+")


class Linear(BaseModel):
    """A logistic regression over standardised features.

    Args:
        features: Their names, see :func:`features`.
        mean: Subtracted from each feature.
        scale: Divides it.
        weights: One for each feature.
        shift: The intercept.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    features: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    shift: float

    def logits(self, known: dict[str, Floats]) -> Floats:
        """``(n,)`` from the features of ``n`` texts."""
        rows = np.stack([known[name] for name in self.features], axis=1)
        plain = (rows - np.asarray(self.mean)) / np.asarray(self.scale)
        found: Floats = plain @ np.asarray(self.weights) + self.shift
        return found


class Fitted(BaseModel):
    """All that was fitted for ranking.

    Args:
        sided: The chance that a text argues the asked side of the claim.
        either: The chance that it argues any side of it.
        same: From the cosine of two texts, the chance that they make one point.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    sided: Linear
    either: Linear
    same: Platt


class Pool:
    """Texts that can be ranked, and what does not depend on the claim.

    Args:
        texts: As they are; duplicates stay.
        vectors: ``(n, dimension)``, each of length 1.
    """

    def __init__(self, texts: Sequence[str], vectors: Vectors) -> None:
        self.texts = tuple(texts)
        self.vectors = vectors

    @cached_property
    def words(self) -> list[Counter[str]]:
        """The words of each text, with their counts."""
        return [Counter(words(text)) for text in self.texts]

    @cached_property
    def lengths(self) -> Floats:
        """Words in each text."""
        return np.array([sum(found.values()) for found in self.words], dtype=np.float64)

    @cached_property
    def rarity(self) -> dict[str, float]:
        """Word -> its inverse document frequency, as BM25 has it."""
        frequency = Counter(word for found in self.words for word in found)
        n = len(self.texts)
        return {w: math.log(1 + (n - f + 0.5) / (f + 0.5)) for w, f in frequency.items()}

    @cached_property
    def cosines(self) -> Vectors:
        """``(n, n)``."""
        return self.vectors @ self.vectors.T

    @cached_property
    def neighbours(self) -> Ints:
        """``(n, at most 15)``: the texts nearest to each, without itself."""
        near = self.cosines.copy()
        np.fill_diagonal(near, -2.0)
        count = min(NEIGHBOURS, max(1, len(self.texts) - 1))
        return np.argsort(-near, axis=1, kind="stable")[:, :count].astype(np.int64)

    @cached_property
    def crowding(self) -> Floats:
        """``(n,)``: the mean cosine of each text and its neighbours."""
        near = np.take_along_axis(self.cosines, self.neighbours, axis=1)
        return np.asarray(near.mean(axis=1), dtype=np.float64)

    @cached_property
    def keys(self) -> list[str]:
        """Equal for texts of the same words."""
        return [" ".join(words(text)) for text in self.texts]

    @cached_property
    def copies(self) -> Floats:
        """``(n,)``: how often each text occurs."""
        count = Counter(self.keys)
        return np.array([count[key] for key in self.keys], dtype=np.float64)


class Candidates(NamedTuple):
    """The texts of a pool nearest to a claim: their places, and what is known of each."""

    places: Ints
    known: dict[str, Floats]
    cosines: Floats
    copies: NDArray[np.bool_]


def words(text: str) -> list[str]:
    """In lower case, in order."""
    return _WORD.findall(text.lower())


def candidates(claim: str, vector: Vectors, pool: Pool, count: int = CANDIDATES) -> Candidates:
    """The nearest texts by cosine with all features but the stance readings.

    Args:
        claim: The claim.
        vector: ``(dimension,)``, its own.
        pool: What is ranked.
        count: How many to keep.
    """
    cosines = np.asarray(pool.vectors @ vector, dtype=np.float64)
    places = np.argsort(-cosines, kind="stable")[:count].astype(np.int64)
    near = pool.neighbours[places]
    first, more = places[:10], places[:25]
    known = {
        "cosine": cosines[places],
        "bm25": _bm25(claim, pool, places),
        "neighbours": cosines[near].mean(axis=1),
        "nearest": cosines[near[:, :5]].mean(axis=1),
        "crowding": pool.crowding[places],
        "centre": _centred(pool.vectors, places, first),
        "wide_centre": _centred(pool.vectors, places, more),
        "rank": np.log1p(np.arange(len(places), dtype=np.float64)),
        "behind": cosines[places] - cosines[places[0]],
        "length": np.log1p(pool.lengths[places]),
        "copies": np.log(pool.copies[places]),
    }
    keys = np.array([pool.keys[place] for place in places])
    among = np.asarray(pool.cosines[np.ix_(places, places)], dtype=np.float64)
    return Candidates(places, known, among, keys[:, None] == keys[None, :])


def with_readings(found: Candidates, read: Readings, side: Side) -> dict[str, Floats]:
    """The features of candidates, with the stance readings for one side.

    Args:
        found: The candidates.
        read: Of the claim with each candidate.
        side: The asked side; for either, stance counts by its strength.
    """
    near = np.exp(SHARPNESS * (found.cosines - 1))
    near = near / near.sum(axis=1, keepdims=True)

    def turned(column: Floats) -> Floats:
        return side * column if side else np.abs(column)

    return found.known | {
        "network": turned(read.network),
        "cues": turned(read.cues),
        "cross": turned(read.cross),
        "relevance": read.relevance,
        "smooth_network": turned(near @ read.network),
        "smooth_cues": turned(near @ read.cues),
        "smooth_cross": turned(near @ read.cross),
        "smooth_relevance": near @ read.relevance,
    }


def covering(
    chances: Floats, cosines: Floats, copies: NDArray[np.bool_], same: Platt, count: int
) -> list[int]:
    """Places of ``count`` texts, each the likeliest to be right and not to repeat one before it.

    A text's gain is its chance times the product of 1 - P(same point) over those taken. Copies of
    one wording do not lower each other's gain: where a wording stands twice in a pool, it stands
    there for two points.
    """
    gains = chances.copy()
    left = np.ones(len(gains), dtype=np.bool_)
    taken: list[int] = []
    for _ in range(min(count, len(gains))):
        place = int(np.argmax(np.where(left, gains, -1.0)))
        taken.append(place)
        left[place] = False
        repeats = 1 / (1 + np.exp(-(same.slope * cosines[place] + same.shift)))
        gains = gains * np.where(copies[place], 1.0, 1 - repeats)
    return taken


class StanceRanker:
    """Ranks a pool for claims.

    Args:
        model: Reads stance and relevance.
        embedder: Gives claims their vectors; the pool's come from the same.
        fitted: The regressions.
    """

    def __init__(self, model: StanceModel, embedder: Embedder, fitted: Fitted) -> None:
        self._model = model
        self._embedder = embedder
        self._fitted = fitted

    def pool(self, texts: Sequence[str]) -> Pool:
        """Texts with their vectors."""
        return Pool(texts, self._embedder.encode(list(texts)))

    def rank(self, claim: str, side: Side, pool: Pool, count: int) -> list[int]:
        """Places in the pool, best first, at most ``count`` (and at most 60)."""
        return self.sides(claim, (side,), pool, count)[0]

    def sides(self, claim: str, sides: Sequence[Side], pool: Pool, count: int) -> list[list[int]]:
        """The same for several sides, the network being asked once."""
        if not pool.texts:
            return [[] for _ in sides]
        vector = self._embedder.encode([claim])[0]
        found = candidates(claim, vector, pool)
        read = self._model.readings([(claim, pool.texts[place]) for place in found.places])
        ranked = []
        for side in sides:
            taken = chosen(found, read, side, self._fitted, count)
            ranked.append([int(found.places[i]) for i in taken])
        return ranked


def chosen(found: Candidates, read: Readings, side: Side, fitted: Fitted, count: int) -> list[int]:
    """Which candidates to take for a side, best first."""
    by = fitted.sided if side else fitted.either
    chances = 1 / (1 + np.exp(-by.logits(with_readings(found, read, side))))
    return covering(chances, found.cosines, found.copies, fitted.same, count)


def stance_ranker(embedder: Embedder, model: StanceModel, folder: Path = SHIPPED) -> StanceRanker:
    """The shipped ranker over a stance model, or the one in that model's folder.

    Raises:
        BackendError: The folder holds no model, or no ranker.
    """
    _ = model.name  # refuses a folder that is none, before its ranker is looked for
    try:
        fitted = Fitted.model_validate(json.loads((folder / "ranker.json").read_text("utf-8")))
    except (OSError, ValueError) as error:
        files = "ranker.json as training wrote it"
        raise unread("the stance ranker", folder, files, str(error)) from error
    return StanceRanker(model, embedder, fitted)


def _bm25(claim: str, pool: Pool, places: Ints) -> Floats:
    """BM25 of the claim's words, as a share of what they could weigh."""
    asked = [word for word in set(words(claim)) if word in pool.rarity]
    total = sum(pool.rarity[word] for word in asked)
    if not total:
        return np.zeros(len(places))
    mean = float(pool.lengths.mean()) or 1.0
    counts = np.array(
        [[pool.words[place][word] for word in asked] for place in places], dtype=float
    )
    norm = _K1 * (1 - _B + _B * pool.lengths[places] / mean)
    weights = np.array([pool.rarity[word] for word in asked])
    found: Floats = (counts * (_K1 + 1) / (counts + norm[:, None])) @ weights / total
    return found


def _centred(vectors: Vectors, places: Ints, among: Ints) -> Floats:
    """Cosine of each text and the mean of some."""
    centre = vectors[among].mean(axis=0)
    centre = centre / (np.linalg.norm(centre) or 1.0)
    return np.asarray(vectors[places] @ centre, dtype=np.float64)


__all__ = [
    "CANDIDATES",
    "Candidates",
    "Fitted",
    "Linear",
    "Pool",
    "Side",
    "StanceRanker",
    "candidates",
    "chosen",
    "covering",
    "stance_ranker",
    "with_readings",
]
