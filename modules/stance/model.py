"""Pairs of a claim and a text to the odds that the text supports, opposes, or does neither.

Three readings are joined: networks over sentence vectors say which side a text takes, a reader of
hand-written cues says it again, and the cosine of claim and text says whether it is on the claim.
Where cross-encoders were trained (``python -m evals.stance.train --full``), they say both as well.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modules.lm.extractive.stance import StanceReader
from modules.retrieval.embed import Vectors
from modules.retrieval.minilm import SHA256, MiniLM
from modules.stance import network
from modules.stance.weights import SHIPPED, Card, Weights, load
from modules.vectors import Embedder
from signatures.types import Record

if TYPE_CHECKING:
    from modules.stance.cross import CrossEncoders

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
    cross: Floats
    """The side again, by cross-encoders; 0 without them, as :attr:`relevance`."""
    relevance: Floats
    """Whether the text is about the claim, by the same."""


class StanceModel:
    """The stance networks and cues with their calibration. Thread-safe.

    >>> model = stance_model(MiniLM())
    >>> claim = "We should make all museums free of charge"
    >>> model.read([(claim, "Entrance fees keep poor families away.")])[0].polarity > 0
    True

    Args:
        embedder: Gives the vectors; the default one, or one that remembers what it gave.
        folder: Holds ``stance.safetensors``, ``card.json`` and what cross-encoders this names;
            loaded when first used.
    """

    def __init__(self, embedder: Embedder, folder: Path = SHIPPED) -> None:
        self._embedder = embedder
        self._folder = folder
        self._lock = threading.Lock()
        self._held: tuple[Card, Weights] | None = None
        self._cross: CrossEncoders | None = None

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
        trained = short * (side.network * found.network + side.cross * found.cross)
        chance = _logistic(trained + side.cues * found.cues + side.shift)
        relevant = self.relevance(found.cosine)
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
            return Readings(*(np.zeros(0) for _ in Readings._fields))
        claims, texts = vectors or self._vectors(pairs)
        logits = network.logits(self._loaded()[1], claims, texts)
        readers = {claim: StanceReader(claim) for claim, _ in pairs}
        cues = np.array([readers[claim].score(text) for claim, text in pairs])
        cosine = np.einsum("nd,nd->n", claims, texts).astype(np.float64)
        return Readings(logits, cues, cosine, *self._crossed(pairs))

    def _crossed(self, pairs: Sequence[tuple[str, str]]) -> tuple[Floats, Floats]:
        """Stance and relevance by the cross-encoders."""
        card, _ = self._loaded()
        if not card.cross:
            return np.zeros(len(pairs)), np.zeros(len(pairs))
        from modules.stance.cross import CrossEncoders  # imports torch

        with self._lock:
            if self._cross is None:
                self._cross = CrossEncoders([self._folder / name for name in sorted(card.cross)])
        found = self._cross.logits(pairs).mean(axis=0)
        return found[:, 0], found[:, 1]

    def logits(self, found: Readings) -> Floats:
        """``(n,)``: support against opposition, all readings joined; for single sentences."""
        side = self._loaded()[0].side
        trained = side.network * found.network + side.cross * found.cross
        return np.asarray(trained + side.cues * found.cues + side.shift)

    def relevance(self, cosines: Floats) -> Floats:
        """``(n,)``: the chance that a text with this cosine to the claim speaks to it."""
        by = self._loaded()[0].relevance
        return _logistic(by.slope * cosines + by.shift)

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


def stance_model(embedder: Embedder, folder: Path = SHIPPED) -> StanceModel:
    """The shipped model, or the one in a folder.

    Args:
        embedder: Whatever searches the corpus. Its vectors serve if it is the default one; beside
            any other, the default one is loaded.
        folder: See :class:`StanceModel`.
    """
    return StanceModel(embedder if embedder.name == _BASE else _own(), folder)


__all__ = ["Readings", "StanceModel", "StanceOdds", "stance_model"]
