"""``retriever=stance``: over-fetches from the index, then ranks by the side that is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from modules.retrieval.aiming import Aim
from modules.retrieval.specs import StoreRetrieverSpec
from modules.stance.model import StanceModel, stance_model
from modules.stance.ranking import CANDIDATES, Side, StanceRanker, stance_ranker
from signatures.types import Passage

if TYPE_CHECKING:
    from modules.evidence import Retriever
    from modules.retrieval.exhaustive import Asked, Encodings, Exhaustive
    from modules.retrieval.operations import Operation

_FOR = re.compile(r"\b(support|favou?r|agree|endors|defend)", re.IGNORECASE)
_AGAINST = re.compile(r"\b(oppos|against|undermin|disagree|reject|attack)", re.IGNORECASE)
_EITHER = re.compile(r"\b(relat|about|concern)", re.IGNORECASE)
_ARGUED = re.compile(r"\b(claim|argument|proposition|statement)s?\b", re.IGNORECASE)
"""Other searches, as for news that relates to a topic, ask for no stance."""


class StanceRetrieverSpec(StoreRetrieverSpec):
    """Search in the evidence store, ranked by stance.

    Args:
        candidates: Passages fetched for each search before they are ranked.
        weight: How much the stance counts beside the search's own order, 0 not at all.
    """

    candidates: int = Field(default=24, ge=1, le=1000)
    weight: float = Field(default=10.0, ge=0, le=100)

    def open(self, index: Path, embedder: Any) -> StanceRetriever:
        fetch = super().open(index, embedder)
        return StanceRetriever(
            fetch, stance_model(embedder), candidates=self.candidates, weight=self.weight
        )

    def exhaustive(self, documents: Sequence[str], encodings: Encodings) -> Exhaustive:
        return ByStance(documents, encodings)


class StanceRetriever:
    """Passages on the side of a claim before others.

    A search with a claim (a persona's, a point of a plan) is ranked by similarity and by the odds
    that a passage supports that claim; one without, such as that for an essay's background, is left
    as it was found, so that no side is favoured unasked.

    Args:
        fetch: Finds the candidates.
        model: Reads their stance.
        candidates: How many to fetch for each search.
        weight: Of the stance; see :func:`by_side`.
    """

    steers = True

    def __init__(
        self, fetch: Retriever, model: StanceModel, *, candidates: int, weight: float
    ) -> None:
        self._fetch = fetch
        self._model = model
        self._candidates = candidates
        self._weight = weight

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """For each query the ``k`` best passages of either side."""
        return self._fetch.search(queries, k)

    def search_aims(self, aims: Sequence[Aim], k: int) -> list[list[Passage]]:
        """For each aim the ``k`` best passages on the side of its perspective.

        The perspective is a claim of its own, and takes a side of the root: a passage counts by
        both, the root as much as the perspective is read to take a side of it.
        """
        sides = self._model.read([(aim.root, aim.perspective) for aim in aims])
        claims = [
            [(aim.perspective, 0.5), (aim.root, 0.5 * side.polarity)]
            for aim, side in zip(aims, sides, strict=True)
        ]
        return self._ranked([aim.perspective for aim in aims], claims, k)

    def supporting(self, asked: Sequence[tuple[str, str]], k: int) -> list[list[Passage]]:
        """For each (query, claim) the ``k`` best passages that bear out the claim."""
        return self._ranked([query for query, _ in asked], [[(c, 1.0)] for _, c in asked], k)

    def _ranked(
        self, queries: Sequence[str], claims: Sequence[Sequence[tuple[str, float]]], k: int
    ) -> list[list[Passage]]:
        pools = self._fetch.search(queries, max(k, self._candidates))
        asked = [
            (claim, passage.text)
            for own, pool in zip(claims, pools, strict=True)
            for passage in pool
            for claim, _ in own
        ]
        read = iter(self._model.read(asked))
        ranked = []
        for own, pool in zip(claims, pools, strict=True):
            sides = np.array([sum(w * next(read).polarity for _, w in own) for _ in pool])
            ranked.append([pool[place] for place in by_side(pool, sides, self._weight)[:k]])
        return ranked

    def identity(self) -> dict[str, Any]:
        return {
            **self._fetch.identity(),
            "retriever": "stance",
            "candidates": self._candidates,
            "weight": self._weight,
            "model": self._model.name,
        }

    @property
    def corpus_version(self) -> str | None:
        """The readable name of what is read."""
        return getattr(self._fetch, "corpus_version", None)


def by_side(pool: Sequence[Passage], polarity: NDArray[np.float64], weight: float) -> list[int]:
    """Places of the pool, best first: similarity in units of its spread, and weighted polarity.

    A passage without a similarity counts as the least similar.
    """
    if not pool:
        return []
    known = [p.similarity for p in pool if p.similarity is not None]
    least = min(known, default=0.0)
    near = np.array([least if p.similarity is None else p.similarity for p in pool])
    spread = float(near.std()) or 1.0
    score = (near - near.mean()) / spread + 2 * weight * polarity
    return [int(place) for place in np.argsort(-np.round(score, 9), kind="stable")]


def asked_side(perspective: str) -> Side | None:
    """The side that the words of a perspective ask for; None where they ask for none.

    >>> asked_side("a claim that opposes the argument")
    -1
    """
    if _ARGUED.search(perspective) is None:
        return None
    found = [
        (match.start(), side)
        for pattern, side in ((_FOR, 1), (_AGAINST, -1), (_EITHER, 0))
        if (match := pattern.search(perspective)) is not None
    ]
    return min(found)[1] if found else None  # type: ignore[return-value]  # 1, -1 or 0


class ByStance:
    """Ranks a benchmark's documents for a root and the side its perspective names.

    The ranked documents score above all others, which follow by the cosine of the query; searches
    whose perspective names no side go by that cosine alone.
    """

    operations: ClassVar[tuple[Operation, ...]] = ("none", "root")

    def __init__(
        self,
        documents: Sequence[str],
        encodings: Encodings,
        ranker: Callable[[Any], StanceRanker] | None = None,
    ) -> None:
        from modules.stance.ranking import Pool

        opened = ranker or (lambda embedder: stance_ranker(embedder, stance_model(embedder)))
        self._ranker = opened(encodings.embedder)
        self._encodings = encodings
        self._pool = Pool(documents, encodings.passages(documents))

    def scores(self, asked: Asked, operation: Operation, alpha: float) -> NDArray[np.float64]:
        texts = asked.roots if operation == "root" else asked.queries
        scores = np.asarray(self._encodings.queries(texts) @ self._pool.vectors.T, dtype=np.float64)
        wanted: dict[str, dict[Side, list[int]]] = {}
        for row, (root, perspective) in enumerate(
            zip(asked.roots, asked.perspectives, strict=True)
        ):
            side = 0 if operation == "root" else asked_side(perspective)
            if side is not None:
                wanted.setdefault(root, {}).setdefault(side, []).append(row)
        for root, sides in wanted.items():
            for rows, ranked in zip(
                sides.values(),
                self._ranker.sides(root, tuple(sides), self._pool, CANDIDATES),
                strict=True,
            ):
                scores[np.ix_(rows, ranked)] = 2 + np.linspace(1, 0, len(ranked))
        return scores


__all__ = ["ByStance", "StanceRetriever", "StanceRetrieverSpec", "asked_side", "by_side"]
