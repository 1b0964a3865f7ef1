"""Fit the stance networks: seconds on one core, for each seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from evals.stance.corpora import Sided
from evals.stance.pairs import TrainingSet
from modules.lm.extractive.stance import negate
from modules.retrieval.embed import Embedder, Vectors
from modules.stance.network import joined
from modules.stance.weights import Weights

HIDDEN, EPOCHS, BATCH, RATE, DECAY = 256, 5, 256, 1e-3, 0.05
SMOOTHING = 0.02
"""Taken off each label: some are wrong."""


def rows_of(data: TrainingSet) -> list[Sided]:
    """All training pairs, each also with its claim denied and the other side."""
    rows = [
        Sided(claim.text, text, cluster.side)
        for claim in data.claims
        for cluster in claim.clusters
        for text in cluster.texts
    ]
    rows += data.headlines + data.texts
    return rows + [Sided(negate(row.claim), row.text, -row.side) for row in rows]


def vectors_of(rows: Sequence[Sided], embedder: Embedder) -> tuple[Vectors, Vectors]:
    """Those of the claims and of the texts, each ``(n, dimension)``."""
    distinct = sorted({text for row in rows for text in row[:2]})
    place = {text: at for at, text in enumerate(distinct)}
    found = embedder.encode(distinct)
    return found[[place[r.claim] for r in rows]], found[[place[r.text] for r in rows]]


def fit(claims: Vectors, texts: Vectors, sides: Sequence[int], *, seed: int) -> Weights:
    """One network's weights, named ``SEED.layer.kind``.

    Args:
        claims: ``(n, d)``.
        texts: ``(n, d)``.
        sides: 1 or -1.
        seed: Of weights, order and dropout.
    """
    torch.manual_seed(seed)
    a, b = torch.from_numpy(claims), torch.from_numpy(texts)
    wanted = torch.tensor([float(side > 0) for side in sides])
    wanted = (1 - 2 * SMOOTHING) * wanted + SMOOTHING
    hidden, out = nn.Linear(4 * claims.shape[1], HIDDEN), nn.Linear(HIDDEN, 1)
    model = nn.Sequential(nn.Dropout(0.2), hidden, nn.ReLU(), nn.Dropout(0.4), out)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    for _ in range(EPOCHS):
        for places in torch.split(torch.randperm(len(wanted)), BATCH):
            rows = torch.from_numpy(joined(a[places].numpy(), b[places].numpy()))
            logits = model(rows)[:, 0]
            loss = nn.functional.binary_cross_entropy_with_logits(logits, wanted[places])
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
    kept = {"hidden": hidden, "out": out}
    return {
        f"{seed}.{name}.{kind}": np.ascontiguousarray(value.detach().numpy().astype(np.float16))
        for name, layer in kept.items()
        for kind, value in layer.named_parameters()
    }
