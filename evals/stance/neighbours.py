"""What a cross-encoder learns relevance from: each claim's texts, and others' that come near."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from evals.stance import ranking
from evals.stance.corpora import Sided
from evals.stance.pairs import TrainingSet
from modules.retrieval.embed import Embedder
from modules.stance.ranking import CANDIDATES

CROWDED = 60
"""A claim with more texts than this, as the key-point propositions are, teaches sides alone: texts
near to it would mostly be its own in other words."""
SAME_TEXT = 0.9
"""Cosine with a text of the claim from which another's is too near to be called beside it."""
SAME_CLAIM = 0.8
"""The same of two claims of the debates, where one debate may go under two headings."""


class Beside(NamedTuple):
    """A claim, its texts, and texts of other claims that come near to it."""

    claim: str
    own: tuple[Sided, ...]
    others: tuple[str, ...]


def neighbours(kept: TrainingSet, embedder: Embedder) -> tuple[list[Beside], list[Sided]]:
    """Claims with what lies beside them, and the rest, for sides alone."""
    split = ranking.as_split(kept.claims, embedder)
    found = [_beside(split, at, kept) for at in range(len(kept.claims))]
    by_claim: dict[str, list[Sided]] = defaultdict(list)
    for row in kept.headlines:
        by_claim[row.claim].append(row)
    rest = [row for rows in by_claim.values() if len(rows) > CROWDED for row in rows]
    debates = {claim: rows for claim, rows in by_claim.items() if len(rows) <= CROWDED}
    return found + _beside_debates(split, debates, embedder), rest


def _beside(split: ranking.Split, at: int, kept: TrainingSet) -> Beside:
    claim = kept.claims[at]
    own = tuple(
        Sided(claim.text, text, cluster.side)
        for cluster in claim.clusters
        for text in cluster.texts
    )
    gold = np.concatenate([places for _, places in split.gold[at]] or [np.zeros(0, np.int64)])
    near = split.found[at].places
    near = near[~np.isin(near, gold)]
    if len(gold):
        alike = (split.pool.vectors[near] @ split.pool.vectors[gold].T).max(axis=1)
        near = near[alike < SAME_TEXT]
    return Beside(claim.text, own, tuple(split.pool.texts[place] for place in near))


def _beside_debates(
    split: ranking.Split, debates: dict[str, list[Sided]], embedder: Embedder
) -> list[Beside]:
    """The same for the debates' arguments, among them and Perspectrum's texts."""
    owners = [
        claim
        for claim, gold in zip(split.claims, split.gold, strict=True)
        for _, places in gold
        for _ in places
    ]
    texts = list(split.pool.texts)
    for claim, rows in debates.items():
        owners += [claim] * len(rows)
        texts += [row.text for row in rows]
    names = sorted(set(owners))
    place = {name: at for at, name in enumerate(names)}
    of, claims = np.array([place[owner] for owner in owners]), embedder.encode(names)
    vectors = np.concatenate([split.pool.vectors, embedder.encode(texts[len(split.pool.texts) :])])
    start, found = len(split.pool.texts), []
    for claim, rows in debates.items():
        own = vectors[start : start + len(rows)]
        start += len(rows)
        vector = claims[place[claim]]
        apart = (claims @ vector < SAME_CLAIM)[of]
        near = np.argsort(-(vectors @ vector), kind="stable")[: CANDIDATES + 20]
        near = near[apart[near] & ((vectors[near] @ own.T).max(axis=1) < SAME_TEXT)][:CANDIDATES]
        found.append(Beside(claim, tuple(rows), tuple(texts[at] for at in near)))
    return found
