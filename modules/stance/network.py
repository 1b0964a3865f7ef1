"""The stance networks: from the vectors of a claim and a text to a logit, in plain numpy.

Each reads claim c, text t, their product and their difference, as InferSent joins two sentences
(Conneau et al. 2017, section 3.1), through one hidden layer. Several seeds are averaged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modules.retrieval.embed import Vectors
from modules.stance.weights import Weights

Logits = NDArray[np.float64]

_SCALES = (4.0, 20.0, 4.0)
"""Unit vectors of 384 dimensions have small entries; these bring all parts to about 0.2."""


def joined(claims: Vectors, texts: Vectors) -> NDArray[np.float32]:
    """``(n, d)`` twice to ``(n, 4 d)``: what a network reads."""
    plain, product, difference = _SCALES
    parts = [plain * claims, plain * texts, product * claims * texts, difference * (claims - texts)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def logits(weights: Weights, claims: Vectors, texts: Vectors) -> Logits:
    """``(n,)``: above 0 the text is for the claim; the mean over seeds."""
    rows = joined(claims, texts)
    seeds = sorted({name.split(".")[0] for name in weights})
    every = []
    for seed in seeds:
        hidden = rows @ weights[f"{seed}.hidden.weight"].T + weights[f"{seed}.hidden.bias"]
        hidden = np.maximum(hidden, 0)
        every.append(hidden @ weights[f"{seed}.out.weight"][0] + weights[f"{seed}.out.bias"][0])
    return np.asarray(np.mean(every, axis=0), dtype=np.float64)


__all__ = ["Logits", "joined", "logits"]
