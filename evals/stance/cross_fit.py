"""Fine-tune a cross-encoder: minutes on one core, for each seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from evals.stance.corpora import Sided
from evals.stance.neighbours import Beside
from modules.lm.extractive.stance import negate
from modules.stance.cross import CrossEncoder, Pairs

EPOCHS, BATCH, RATE, HEAD_RATE, DECAY, WARM = 4, 32, 2e-4, 1e-3, 0.01, 0.1
SMOOTHING = 0.05
"""Taken off each label: some are wrong."""
DENIED = 0.25
"""Share of pairs whose claim is denied, which turns the side."""


class Example(NamedTuple):
    """A pair to read; a label of -1 is unknown."""

    claim: str
    text: str
    side: float
    relevant: float


def examples(
    claims: Sequence[Beside], sided: Sequence[Sided], draw: np.random.Generator
) -> list[Example]:
    """One epoch's pairs, shuffled.

    Every text once, with its claim or, turned, with the denied claim; and for every text of a claim
    with neighbours one of these.
    """
    rows: list[Example] = []
    for beside in claims:
        rows += [_turned(row, 1.0, draw) for row in beside.own]
        if beside.others:
            taken = draw.choice(
                len(beside.others),
                size=len(beside.own),
                replace=len(beside.own) > len(beside.others),
            )
            rows += [_denied(Example(beside.claim, beside.others[i], -1, 0.0), draw) for i in taken]
    rows += [_turned(row, -1.0, draw) for row in sided]
    return [rows[i] for i in draw.permutation(len(rows))]


def _turned(row: Sided, relevant: float, draw: np.random.Generator) -> Example:
    return _denied(Example(row.claim, row.text, float(row.side > 0), relevant), draw)


def _denied(row: Example, draw: np.random.Generator) -> Example:
    if draw.random() >= DENIED:
        return row
    side = row.side if row.side < 0 else 1 - row.side
    return row._replace(claim=negate(row.claim), side=side)


def fit(
    model: CrossEncoder, pairs: Pairs, claims: Sequence[Beside], sided: Sequence[Sided], *,
    seed: int, epochs: int = EPOCHS, say: Callable[[str], None] = lambda _: None,
) -> None:  # fmt: skip
    """Train it in place.

    Args:
        model: Over the base.
        pairs: Its tokenizer.
        claims: For stance and relevance.
        sided: For stance alone.
        seed: Of order, negation, neighbours and dropout.
        epochs: Passes over all.
        say: Told how it goes.
    """
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    model.train()
    head = list(model.head.parameters())
    body = [p for p in model.base.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": RATE}, {"params": head, "lr": HEAD_RATE}], weight_decay=DECAY
    )
    per_epoch = math.ceil(len(examples(claims, sided, np.random.default_rng(seed))) / BATCH)
    total, warm = epochs * per_epoch, max(1, int(WARM * epochs * per_epoch))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, (total - step) / max(1, total - warm))
    )
    for epoch in range(epochs):
        rows = examples(claims, sided, draw)
        encoded = pairs.encoded([row[:2] for row in rows])
        sums = np.zeros(2)
        for batch in _alike([len(e.ids) for e in encoded], draw):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(pairs.tensors([encoded[i] for i in batch]))
            losses = [
                _loss(logits[:, 0], [rows[i].side for i in batch]),
                _loss(logits[:, 1], [rows[i].relevant for i in batch]),
            ]
            optimizer.zero_grad()
            torch.autograd.backward(losses[0] + losses[1])
            torch.nn.utils.clip_grad_norm_(body + head, 1.0)
            optimizer.step()
            schedule.step()
            sums += [float(loss.detach()) for loss in losses]
        say(f"seed {seed}, epoch {epoch + 1} of {epochs}: losses {sums / per_epoch}")
    model.eval()


def _loss(logits: Tensor, labels: Sequence[float]) -> Tensor:
    """Mean over the known labels."""
    wanted = torch.tensor(labels)
    known = wanted >= 0
    if not known.any():
        return logits.sum() * 0
    smooth = (1 - 2 * SMOOTHING) * wanted[known] + SMOOTHING
    return torch.nn.functional.binary_cross_entropy_with_logits(logits[known], smooth)


def _alike(lengths: Sequence[int], draw: np.random.Generator) -> list[list[int]]:
    """Batches of like length in random order: sorted within stretches of 64 batches."""
    found: list[list[int]] = []
    for start in range(0, len(lengths), 64 * BATCH):
        stretch = sorted(
            range(start, min(start + 64 * BATCH, len(lengths))), key=lambda i: lengths[i]
        )
        found += [stretch[i : i + BATCH] for i in range(0, len(stretch), BATCH)]
    return [found[i] for i in draw.permutation(len(found))]
