"""``retriever=stance``: over-fetches from the index, then ranks by the side that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from modules.retrieval.aiming import Aim, Side, asked_side, search_aims
from modules.retrieval.specs import StoreRetrieverSpec
from modules.stance.model import StanceModel, stance_model
from modules.stance.passages import Leanings, leanings, standard
from modules.stance.ranking import CANDIDATES, StanceRanker, stance_ranker
from modules.stance.weights import SHIPPED
from modules.vectors import remembering
from signatures.types import Passage

if TYPE_CHECKING:
    from modules.evidence import Retriever
    from modules.retrieval.exhaustive import Asked, Encodings, Exhaustive
    from modules.retrieval.operations import Operation


class StanceRetrieverSpec(StoreRetrieverSpec):
    """Search in the evidence store, ranked by stance.

    Args:
        candidates: Passages fetched for each search before they are ranked; several of a document
            tell its side.
        weight: How much the stance counts beside similarity, 0 not at all.
        model: A folder with a stance model trained in full; None takes the shipped one.
    """

    name: ClassVar[str] = "stance"
    candidates: int = Field(default=60, ge=1, le=1000)
    weight: float = Field(default=2.0, ge=0, le=100)
    model: Path | None = None

    def open(self, index: Path, embedder: Any) -> StanceRetriever:
        fetch = super().open(index, embedder)
        # Searches on one subject read the same sentences again.
        model = stance_model(remembering(embedder), self.model or SHIPPED)
        return StanceRetriever(fetch, model, candidates=self.candidates, weight=self.weight)

    def exhaustive(self, documents: Sequence[str], encodings: Encodings) -> Exhaustive:
        folder = self.model or SHIPPED
        return ByStance(
            documents, encodings, lambda e: stance_ranker(e, stance_model(e, folder), folder)
        )


class StanceRetriever:
    """Passages on the side of a claim before others.

    A search with a claim (a persona's, a point of a plan) is ranked by similarity and by how far
    passages argue its side of the subject; one without, such as that for an essay's background, is
    left as it was found, so that no side is favoured unasked. Passages found for claims on one
    subject are read together (:func:`modules.stance.passages.leanings`).

    Args:
        fetch: Finds the candidates.
        model: Reads their stance.
        candidates: How many to fetch for each search.
        weight: Of the stance; see :func:`by_side`.
    """

    steers = True
    version = 2

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
        """For each aim the ``k`` best passages on the side that its perspective takes."""
        sides = self._sides(aims)
        pools = search_aims(self._fetch, aims, max(k, self._candidates))
        every: dict[str, dict[str, Passage]] = {}
        for aim, pool in zip(aims, pools, strict=True):
            every.setdefault(aim.root, {}).update({p.id: p for p in pool})
        read = {root: self._read(root, found) for root, found in every.items()}
        ranked = []
        for aim, side, pool in zip(aims, sides, pools, strict=True):
            places, found = read[aim.root]
            argued = found.towards(side)[[places[p.id] for p in pool]]
            ranked.append([pool[place] for place in by_side(pool, argued, self._weight)[:k]])
        return ranked

    def _sides(self, aims: Sequence[Aim]) -> list[float]:
        """In [-1, 1]: the side of its root that each perspective takes, as known or as read."""
        unknown = [(aim.root, aim.perspective) for aim in aims if aim.side is None]
        read = iter(self._model.read(unknown))
        return [next(read).polarity if aim.side is None else aim.side for aim in aims]

    def _read(self, root: str, passages: dict[str, Passage]) -> tuple[dict[str, int], Leanings]:
        """Passage's id -> its place among all found on the root, and what is read of those."""
        ids = sorted(passages)
        places = {key: at for at, key in enumerate(ids)}
        return places, leanings(self._model, root, [passages[key] for key in ids])

    def identity(self) -> dict[str, Any]:
        return {
            **self._fetch.identity(),
            "retriever": "stance",
            "version": self.version,
            "candidates": self._candidates,
            "weight": self._weight,
            "model": self._model.name,
        }

    @property
    def corpus_version(self) -> str | None:
        """The readable name of what is read."""
        return getattr(self._fetch, "corpus_version", None)


def by_side(pool: Sequence[Passage], argued: NDArray[np.float64], weight: float) -> list[int]:
    """Places of the pool, best first: similarity in units of its spread, and the weighted side.

    A passage without a similarity counts as the least similar.
    """
    if not pool:
        return []
    known = [p.similarity for p in pool if p.similarity is not None]
    least = min(known, default=0.0)
    near = np.array([least if p.similarity is None else p.similarity for p in pool])
    score = standard(near) + weight * argued
    return [int(place) for place in np.argsort(-np.round(score, 9), kind="stable")]


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
            side = asked_side(perspective)
            if side is not None:
                side = 0 if operation == "root" else side
                wanted.setdefault(root, {}).setdefault(side, []).append(row)
        for root, sides in wanted.items():
            for rows, ranked in zip(
                sides.values(),
                self._ranker.sides(root, tuple(sides), self._pool, CANDIDATES),
                strict=True,
            ):
                scores[np.ix_(rows, ranked)] = 2 + np.linspace(1, 0, len(ranked))
        return scores


__all__ = ["ByStance", "StanceRetriever", "StanceRetrieverSpec", "by_side"]
