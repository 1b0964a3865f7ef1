"""Searches that know their perspective: operations on vectors, in the store (S3, section 3.1).

Most operations are a query vector, which LanceDB searches as any other. Those that change
documents as well fetch candidates with the query's half and rank them anew by the whole formula.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from modules.retrieval import operations, projections
from modules.retrieval.embed import Embedder, Vectors, as_queries, unit
from modules.retrieval.operations import Aspects, Operation
from modules.retrieval.ranking import Hit, ordered
from modules.retrieval.view import View
from signatures.types import Passage

Side = Literal[1, 0, -1]
"""For the claim, either, or against it."""

_ASKED: tuple[tuple[re.Pattern[str], Side], ...] = (
    (re.compile(r"\b(support|favou?r|agree|endors|defend)", re.IGNORECASE), 1),
    (re.compile(r"\b(oppos|against|undermin|disagree|reject|attack)", re.IGNORECASE), -1),
    (re.compile(r"\b(relat|about|concern)", re.IGNORECASE), 0),
)
_ARGUED = re.compile(r"\b(claim|argument|proposition|statement)s?\b", re.IGNORECASE)
"""Other searches, as for news that relates to a topic, ask for no stance."""


class Aim(NamedTuple):
    """A search by its parts: what is looked for, on which subject, from which perspective.

    ``side`` is the side of the root that the perspective takes where that is known, above 0 for
    it; 0 takes none.
    """

    query: str
    root: str
    perspective: str
    side: float | None = None

    @property
    def text(self) -> str:
        """What is searched where perspectives are not heeded: the claim alone, or the query."""
        joined = self.query == f"{self.root} {self.perspective}"
        return self.perspective if joined else self.query

    @property
    def texts(self) -> tuple[str, str, str]:
        """The parts that are searched."""
        return self.query, self.root, self.perspective


class Steering(NamedTuple):
    """What is done with a perspective, and how strongly."""

    operation: Operation = "none"
    alpha: float = 1.0


UNSTEERED = Steering()
"""Nothing is done with it."""


def aimed(root: str, perspective: str, side: float | None = None) -> Aim:
    """A search on a subject from a perspective: the query is both, as S3 has it."""
    return Aim(f"{root} {perspective}", root, perspective, side)


def search_aims(retriever: Any, aims: Sequence[Aim], k: int) -> list[list[Passage]]:
    """The ``k`` best passages for each aim; for its :attr:`Aim.text` where nothing is steered.

    Args:
        retriever: Any retriever; one that can steer has ``search_aims``.
        aims: What is looked for.
        k: How many passages for each.
    """
    search = getattr(retriever, "search_aims", None)
    if search is not None:
        found: list[list[Passage]] = search(aims, k)
        return found
    plain: list[list[Passage]] = retriever.search([aim.text for aim in aims], k)
    return plain


def asked_side(perspective: str) -> Side | None:
    """The side that the words of a perspective ask for; None where they ask for none.

    >>> asked_side("a claim that opposes the argument")
    -1
    """
    if _ARGUED.search(perspective) is None:
        return None
    found = [
        (match.start(), side)
        for pattern, side in _ASKED
        if (match := pattern.search(perspective)) is not None
    ]
    return min(found)[1] if found else None


def steers(retriever: Any) -> bool:
    """Whether the retriever does anything with perspectives."""
    return bool(getattr(retriever, "steers", False))


def vectors_of(embedder: Embedder, aims: Sequence[Aim]) -> Aspects:
    """The vectors of the aims' parts, each text embedded once."""
    texts = sorted({text for aim in aims for text in aim.texts})
    rows = dict(zip(texts, as_queries(embedder, texts), strict=True))
    parts = zip(*(aim.texts for aim in aims), strict=True)
    columns = [np.stack([rows[text] for text in column]) for column in parts]
    return operations.aspects(*columns)


def steered(at: Aspects, how: Steering) -> Vectors:
    """``(n, dimension)`` unit vectors to search with; the query's own where nothing is left."""
    found = operations.query_vectors(how.operation, at, how.alpha)
    left = np.linalg.norm(found, axis=1, keepdims=True) > 1e-6  # below: rounding, no direction
    return unit(np.where(left, found, at.queries))


def candidates(
    view: View, aims: Sequence[Aim], at: Aspects, how: Steering, depth: int, where: str | None
) -> list[list[Hit]]:
    """Each aim's ``depth`` candidates: from its perspective's own column where there is one."""
    vectors = steered(at, how)
    prepared: Sequence[list[Hit] | None] = [None] * len(aims)
    if how == Steering("pap_plus", projections.ALPHA) and where is None:
        names = [aim.perspective for aim in aims]
        prepared = projections.nearest(view, names, vectors, depth)
    rest = [row for row, found in enumerate(prepared) if found is None]
    fetched = iter(view.dense(vectors[rest], depth, where) if rest else [])
    return [next(fetched) if found is None else found for found in prepared]


def rescored(
    view: View, at: Aspects, how: Steering, pools: Sequence[Sequence[Hit]]
) -> list[list[Hit]]:
    """Each aim's candidates by the whole formula, best first."""
    known = view.vectors(sorted({hit.id for pool in pools for hit in pool}))
    found: list[list[Hit]] = []
    for row, pool in enumerate(pools):
        ids = list(dict.fromkeys(hit.id for hit in pool))
        if not ids:
            found.append([])
            continue
        one = Aspects(*(part[row : row + 1] for part in at))
        documents = np.stack([known[key] for key in ids])
        scores = operations.scores(how.operation, one, documents, how.alpha)[0]
        found.append(ordered([Hit(*hit) for hit in zip(ids, scores.tolist(), strict=True)]))
    return found


__all__ = [
    "UNSTEERED",
    "Aim",
    "Side",
    "Steering",
    "aimed",
    "asked_side",
    "candidates",
    "rescored",
    "search_aims",
    "steered",
    "steers",
    "vectors_of",
]
