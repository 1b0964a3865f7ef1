"""Fit the ranker on dev, and rank whole splits with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evals.stance.corpora import Claim
from modules.retrieval.embed import Embedder, Vectors
from modules.stance.model import Readings
from modules.stance.ranking import (
    Candidates,
    Fitted,
    Linear,
    Pool,
    Side,
    candidates,
    chosen,
    with_readings,
)
from modules.stance.weights import Platt

SIDES: tuple[Side, ...] = (1, -1, 0)
NEAR = (
    "cosine", "bm25", "neighbours", "nearest", "crowding", "centre", "wide_centre", "rank",
    "behind", "length", "copies",
)  # fmt: skip
READ = ("network", "cues", "smooth_network", "smooth_cues")
STRENGTH = 1.0
"""C of the logistic regressions: dev has few claims and the features are standardised."""


class Split(NamedTuple):
    """A split of Perspectrum as one pool, with each claim's candidates and gold.

    ``gold[i]`` holds for claim ``i`` its clusters as (side, places in the pool).
    """

    claims: list[str]
    pool: Pool
    found: list[Candidates]
    gold: list[list[tuple[int, NDArray[np.int64]]]]


def as_split(claims: Sequence[Claim], embedder: Embedder) -> Split:
    """All perspectives of the claims, in order, and each claim's 60 nearest."""
    texts: list[str] = []
    gold = []
    for claim in claims:
        own = []
        for cluster in claim.clusters:
            own.append((cluster.side, np.arange(len(texts), len(texts) + len(cluster.texts))))
            texts += cluster.texts
        gold.append(own)
    pool = Pool(texts, embedder.encode(texts))
    roots = [claim.text for claim in claims]
    vectors = embedder.encode(roots)
    found = [candidates(root, row, pool) for root, row in zip(roots, vectors, strict=True)]
    return Split(roots, pool, found, gold)


def pairs(split: Split) -> list[tuple[str, str]]:
    """(claim, candidate) of every claim, in order."""
    return [
        (claim, split.pool.texts[place])
        for claim, found in zip(split.claims, split.found, strict=True)
        for place in found.places
    ]


def by_claim(split: Split, read: Readings) -> list[Readings]:
    """What was read of :func:`pairs`, one block for each claim."""
    ends = np.cumsum([len(found.places) for found in split.found])[:-1]
    columns = [np.split(column, ends) for column in read]
    return [Readings(*block) for block in zip(*columns, strict=True)]


def right(split: Split, claim: int, side: Side) -> NDArray[np.bool_]:
    """Which of a claim's candidates argue that side of it, by the gold."""
    own = [places for s, places in split.gold[claim] if side in (0, s)]
    wanted = np.concatenate(own) if own else np.zeros(0, dtype=np.int64)
    return np.isin(split.found[claim].places, wanted)


def fit(
    split: Split, read: Sequence[Readings], same: Platt, rows: Sequence[int] | None = None,
    features: Sequence[str] = (*NEAR, *READ),
) -> Fitted:  # fmt: skip
    """The regressions for a side and for either, on some claims of the split (all by default).

    Each query's texts weigh 1 / number of its gold texts, so that no claim counts for many.
    """
    rows = range(len(split.claims)) if rows is None else rows
    return Fitted(
        sided=_linear(split, read, rows, (1, -1), features),
        either=_linear(split, read, rows, (0,), features),
        same=same,
    )


def _linear(
    split: Split, read: Sequence[Readings], rows: Sequence[int], sides: Sequence[Side],
    features: Sequence[str],
) -> Linear:  # fmt: skip
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # no stubs

    xs, ys, ws = [], [], []
    for row in rows:
        for side in sides:
            gold = right(split, row, side)
            if gold.any():
                known = with_readings(split.found[row], read[row], side)
                xs.append(np.stack([known[name] for name in features], axis=1))
                ys.append(gold)
                ws.append(np.full(len(gold), 1 / gold.sum()))
    x, y, w = np.concatenate(xs), np.concatenate(ys), np.concatenate(ws)
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-9
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit((x - mean) / scale, y, sample_weight=w / w.mean())
    return Linear(
        features=tuple(features), mean=tuple(mean.tolist()), scale=tuple(scale.tolist()),
        weights=tuple(model.coef_[0].tolist()), shift=float(model.intercept_[0]),
    )  # fmt: skip


def same_point(claims: Sequence[Claim], embedder: Embedder) -> Platt:
    """From the cosine of two texts on one side of a claim: the chance that they make one point."""
    from sklearn.linear_model import LogisticRegression

    xs, ys = [], []
    for claim in claims:
        for side in (1, -1):
            own = [cluster for cluster in claim.clusters if cluster.side == side]
            texts = [text for cluster in own for text in cluster.texts]
            if len(texts) < 2:
                continue
            labels = np.repeat(np.arange(len(own)), [len(cluster.texts) for cluster in own])
            vectors = embedder.encode(texts)
            a, b = np.triu_indices(len(texts), 1)
            xs.append((vectors @ vectors.T)[a, b])
            ys.append(labels[a] == labels[b])
    model = LogisticRegression(C=100.0).fit(np.concatenate(xs)[:, None], np.concatenate(ys))
    return Platt(slope=float(model.coef_[0, 0]), shift=float(model.intercept_[0]))


Ranked = list[dict[Side, list[int]]]
"""For each claim and side the places in the pool, best first."""


def ranked(
    split: Split, read: Sequence[Readings], fitted: Fitted, count: int = 10,
    rows: Sequence[int] | None = None,
) -> Ranked:  # fmt: skip
    """What the ranker takes for each claim and side."""
    found: Ranked = []
    for row in range(len(split.claims)) if rows is None else rows:
        own = split.found[row]
        found.append(
            {
                side: [int(own.places[i]) for i in chosen(own, read[row], side, fitted, count)]
                for side in SIDES
            }
        )
    return found


def by_vectors(
    split: Split, order: Callable[[int, Side], Vectors | NDArray[np.float64]], count: int = 10
) -> Ranked:
    """The same for scores ``(n_texts,)`` of a claim and side."""
    return [
        {
            side: [int(p) for p in np.argsort(-order(row, side), kind="stable")[:count]]
            for side in SIDES
        }
        for row in range(len(split.claims))
    ]


def recall_by_root(split: Split, found: Ranked, k: int = 5) -> NDArray[np.float64]:
    """``(n_claims,)``: the share of a claim's queries with a gold text among the first k (S3).

    Queries are the clusters, asked from their side, and the claim's own, asked from neither.
    """
    values = []
    for own, best in zip(split.gold, found, strict=True):
        hits = [bool(set(places.tolist()) & set(best[_side(side)][:k])) for side, places in own]
        every = {int(place) for _, places in own for place in places}
        values.append(float(np.mean([*hits, bool(every & set(best[0][:k]))])))
    return np.array(values)


def sides_by_root(split: Split, found: Ranked, k: int = 5) -> NDArray[np.float64]:
    """``(n_claims, 2)``: how many of the first k texts are on the asked side, and on either.

    Of the claim's own texts, over its queries that ask for a side. Stance precision is the sum of
    the first over the sum of the second.
    """
    counts = np.zeros((len(found), 2))
    for at, (own, best) in enumerate(zip(split.gold, found, strict=True)):
        sides = {int(place): side for side, places in own for place in places}
        for side, _ in own:
            met = [sides[place] == side for place in best[_side(side)][:k] if place in sides]
            counts[at] += sum(met), len(met)
    return counts


def _side(side: int) -> Side:
    return 1 if side > 0 else -1


def interval(
    values: NDArray[np.float64], *, seed: int = 0, resamples: int = 5000
) -> tuple[float, float, float]:
    """Mean and 95 % percentile interval in percent, resampling claims.

    Args:
        values: ``(n_claims,)``, or ``(n_claims, 2)`` counts whose sums' ratio is wanted.
        seed: Of the resampling.
        resamples: How many samples are drawn.
    """
    counts = values if values.ndim == 2 else np.stack([values, np.ones(len(values))], axis=1)
    draw = np.random.default_rng(seed)
    sums = counts[draw.integers(len(counts), size=(resamples, len(counts)))].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    right, all_ = counts.sum(axis=0)
    return 100 * float(right / all_), 100 * float(low), 100 * float(high)
