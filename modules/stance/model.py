"""Pairs of a claim and a text to the odds that the text supports, opposes, or does neither.

Three readings are joined: networks over sentence vectors say which side a text takes, a reader of
hand-written cues says it again, and the cosine of claim and text says whether it is on the claim.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modules.lm.extractive.stance import StanceReader
from modules.retrieval.embed import Embedder, Vectors
from modules.retrieval.minilm import SHA256, MiniLM
from modules.stance import network
from modules.stance.weights import SHIPPED, Card, Weights, load
from signatures.types import Record

Floats = NDArray[np.float64]

SENTENCE = 40
"""Words up to which a text counts as one sentence or two. The networks learned from such; on whole
passages they read little better than chance, and cues alone do better (``bench.on_stance``)."""

_BASE = f"all-MiniLM-L6-v2@{SHA256[:8]}"
"""The embedder whose vectors the networks read."""


class StanceOdds(Record):
    """Probabilities that sum to 1."""

    support: float
    oppose: float
    unclear: float

    @property
    def polarity(self) -> float:
        """In [-1, 1]: support - oppose."""
        return self.support - self.oppose


class Readings(NamedTuple):
    """What is read of ``n`` pairs before calibration: each ``(n,)``."""

    network: Floats
    cues: Floats
    cosine: Floats


class StanceModel:
    """The stance networks and cues with their calibration. Thread-safe.

    >>> model = stance_model(MiniLM())
    >>> claim = "We should make all museums free of charge"
    >>> model.read([(claim, "Entrance fees keep poor families away.")])[0].polarity > 0
    True

    Args:
        embedder: Gives the vectors; the default one, or one that remembers what it gave.
        folder: Holds ``stance.safetensors`` and ``card.json``; loaded when first used.
    """

    def __init__(self, embedder: Embedder, folder: Path = SHIPPED) -> None:
        self._embedder = embedder
        self._folder = folder
        self._lock = threading.Lock()
        self._held: tuple[Card, Weights] | None = None

    @property
    def name(self) -> str:
        """Identifies the weights; two sets never share a name."""
        return self._loaded()[0].name

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[StanceOdds]:
        """``(n,)`` pairs (claim, text) to ``(n,)`` odds; none depends on the other pairs.

        Raises:
            BackendError: The weights are missing or belong to another embedder.
        """
        card, _ = self._loaded()
        found = self.readings(pairs)
        side = card.side
        short = np.array([len(text.split()) <= SENTENCE for _, text in pairs], dtype=np.float64)
        network_says = side.network * short * found.network
        chance = _logistic(network_says + side.cues * found.cues + side.shift)
        relevant = _logistic(card.relevance.slope * found.cosine + card.relevance.shift)
        return [
            StanceOdds(support=on * true, oppose=on * (1 - true), unclear=1 - on)
            for on, true in zip(relevant.tolist(), chance.tolist(), strict=True)
        ]

    def readings(
        self, pairs: Sequence[tuple[str, str]], vectors: tuple[Vectors, Vectors] | None = None
    ) -> Readings:
        """What the parts say, uncalibrated.

        Args:
            pairs: (claim, text).
            vectors: Those of the claims and of the texts, where they are known.
        """
        if not pairs:
            return Readings(np.zeros(0), np.zeros(0), np.zeros(0))
        claims, texts = vectors or self._vectors(pairs)
        logits = network.logits(self._loaded()[1], claims, texts)
        readers = {claim: StanceReader(claim) for claim, _ in pairs}
        cues = np.array([readers[claim].score(text) for claim, text in pairs])
        return Readings(logits, cues, np.einsum("nd,nd->n", claims, texts).astype(np.float64))

    def _vectors(self, pairs: Sequence[tuple[str, str]]) -> tuple[Vectors, Vectors]:
        """Each distinct text is embedded once."""
        distinct = sorted({text for pair in pairs for text in pair})
        place = {text: at for at, text in enumerate(distinct)}
        rows = self._embedder.encode(distinct)
        claims, texts = zip(*pairs, strict=True)
        return rows[[place[c] for c in claims]], rows[[place[t] for t in texts]]

    def _loaded(self) -> tuple[Card, Weights]:
        with self._lock:
            if self._held is None:
                self._held = load(self._folder)
            return self._held


def _logistic(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))


@functools.cache
def _own() -> MiniLM:
    return MiniLM()


def stance_model(embedder: Embedder) -> StanceModel:
    """The shipped model.

    Args:
        embedder: Whatever searches the corpus. Its vectors serve if it is the default one; beside
            any other, the default one is loaded.
    """
    return StanceModel(embedder if embedder.name == _BASE else _own())


__all__ = ["Readings", "StanceModel", "StanceOdds", "stance_model"]
