"""What may be trained on: nothing that dev or test also hold, in these or nearly these words."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from evals.stance.corpora import Claim
from modules.retrieval.embed import Embedder, Vectors

NEAR_CLAIM = 0.85
"""Cosine of two claims' MiniLM vectors from which they count as one debate."""
NEAR_TEXT = 0.95
"""The same of two texts, from which they count as one wording."""

_WORD = re.compile(r"\w+")


def plain(text: str) -> str:
    """Its words in lower case, one blank between them."""
    return " ".join(_WORD.findall(text.lower()))


class Held:
    """The claims and texts that are held out, and how near others come to them.

    Args:
        claims: Held-out claims with their perspectives.
        embedder: Vectors of length 1.
    """

    def __init__(self, claims: Sequence[Claim], embedder: Embedder) -> None:
        texts = sorted({t for c in claims for cluster in c.clusters for t in cluster.texts})
        self._embedder = embedder
        self._plain = {plain(text) for text in texts} | {plain(c.text) for c in claims}
        self._claims = embedder.encode([c.text for c in claims])
        self._texts = embedder.encode(texts)

    def claims(self, claims: Sequence[str]) -> list[bool]:
        """Which claims are, nearly or exactly, held-out claims."""
        near = _nearest(self._embedder.encode(claims), self._claims) >= NEAR_CLAIM
        return [bool(n) or plain(c) in self._plain for n, c in zip(near, claims, strict=True)]

    def texts(self, texts: Sequence[str]) -> list[bool]:
        """Which texts are, nearly or exactly, held-out perspectives."""
        near = _nearest(self._embedder.encode(texts), self._texts) >= NEAR_TEXT
        return [bool(n) or plain(t) in self._plain for n, t in zip(near, texts, strict=True)]


def _nearest(rows: Vectors, held: Vectors) -> np.ndarray:
    """``(n,)``: each row's highest cosine with any held-out vector."""
    best = [np.max(rows[i : i + 1024] @ held.T, axis=1) for i in range(0, len(rows), 1024)]
    return np.concatenate(best) if best else np.zeros(0, dtype=np.float32)
