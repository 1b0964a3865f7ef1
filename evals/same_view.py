"""Whether a sentence states a given point of view, and not the one opposed to it.

Sentence embeddings tell what two statements are about, hardly which side they take: theses denying
one another are as near as paraphrases. So what the citation check compares two statements by
(:mod:`modules.citations.features`: denials, contraries, who does what to whom), read in both
directions, and the side that the rule-based reader finds, decide with the cosine. A first stance
model's odds beside them told nothing more on Perspectrum's dev claims, and were left out.

It finds views that are stated, in other words too; a text that argues for a view without stating
it is mostly missed. ``same_view.json`` holds a logistic regression over the figures and their
products, and a card; ``python -m bench.coverage --train evals/same_view.json`` fits it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modules.citations.features import compare
from modules.lm.extractive.stance import StanceReader
from modules.vectors import Embedder, rows

COMPARED = (
    "cosine", "covered", "covered_passage", "worst_clause", "inserted", "replaced",
    "strange_numbers", "strange_names", "denied", "negations", "opposed", "absolute", "extreme",
    "unhedged", "turned", "short",
)  # fmt: skip
"""Those of the citation check's :class:`modules.citations.features.Features` that are read."""

WORDED = (
    *COMPARED,
    "covered back",
    "denied back",
    "opposed back",
    "negations back",
    "replaced back",
    "side by rule",
)
"""What the wording of a pair tells: the point of view against the sentence, and back again."""

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[str, str]]


class SameView:
    """The fitted regression.

    Args:
        content: The content of ``same_view.json``.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        if tuple(content["features"]) != WORDED:
            raise ValueError("the model of same views was fitted on other features")
        self.threshold = float(content["threshold"])
        self._mean = np.asarray(content["mean"])
        self._scale = np.asarray(content["scale"])
        self._bias = float(content["bias"])
        self._linear = np.asarray(content["linear"])
        self._products = np.asarray(content["products"])

    def chances(self, found: Floats) -> Floats:
        """``(n, len(WORDED))`` figures to ``(n,)`` probabilities."""
        z = np.clip((found - self._mean) / self._scale, -4, 4)
        logits = self._bias + z @ self._linear + ((z @ self._products) * z).sum(axis=1)
        told: Floats = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
        return np.round(told, 4)

    def __call__(self, pairs: Pairs, embedder: Embedder) -> Floats:
        """``(n,)`` probabilities that the sentence of (point of view, sentence) states the view."""
        return self.chances(worded(pairs, embedder)) if pairs else np.zeros(0)


def worded(pairs: Pairs, embedder: Embedder) -> Floats:
    """``(n, len(WORDED))`` of pairs (point of view, sentence), texts embedded in one batch."""
    vectors = rows(embedder, {text for pair in pairs for text in pair})
    found = [[*_compared(*pair, vectors), _by_rule(*pair)] for pair in pairs]
    return np.asarray(found, dtype=np.float64).reshape(len(pairs), len(WORDED))


def _compared(view: str, said: str, vectors: Mapping[str, Any]) -> list[float]:
    there = compare(view, said, [said], vectors).features
    back = compare(said, view, [view], vectors).features
    read = [getattr(there, name) for name in COMPARED]
    return [*read, back.covered, back.denied, back.opposed, back.negations, back.replaced]


@lru_cache(maxsize=256)
def _reader(view: str) -> StanceReader:
    return StanceReader(view)


def _by_rule(view: str, said: str) -> float:
    """In [-1, 1]: the side of the view that the sentence takes, by cue words."""
    return float(_reader(view).score(said))


@cache
def fitted() -> SameView:
    """The model that ships with the project."""
    return SameView(json.loads(files("evals").joinpath("same_view.json").read_text("utf-8")))


__all__ = ["WORDED", "SameView", "fitted", "worded"]
