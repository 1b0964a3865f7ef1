"""Rankings: what a search may be told, filters, and fusion. Equal scores go by chunk id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from modules.retrieval.database import among, any_of, below, every, quoted
from signatures.errors import InputError

Mode = Literal["hybrid", "dense", "fulltext"]
Fusion = Literal["score", "rank"]
Filters = Mapping[str, str | Sequence[str]]
"""``source``, ``topic``, ``domain``, ``kind``, ``lang``: a value or several; ``under``: domains
that cover those below them; ``date_from``, ``date_to``: ISO dates, both included."""

DEPTH = 50
"""Candidates of each ranking, unless told otherwise."""

SEMANTIC = 0.8
"""The cosine's share of a fused score: the best on Perspectrum's train claims, where reciprocal
ranks fall behind the cosine alone. See ``python -m bench.retrieval``."""

_LISTED = ("source", "topic", "domain", "kind", "lang")
DIGITS = 6  # beyond these, scores depend on how a batch was padded


class Hit(NamedTuple):
    """A chunk in a ranking; ``score`` is the cosine, BM25 or fused, higher is better."""

    id: str
    score: float


def condition(filters: Filters | None) -> str | None:
    """The filters as LanceDB's SQL, or None where there is none.

    Raises:
        InputError: A filter has an unknown name.
    """
    parts: dict[str, str] = {}
    for name, value in (filters or {}).items():
        values = [value] if isinstance(value, str) else [str(item) for item in value]
        if name == "source":
            parts[name] = any_of("sources", values)
        elif name == "under":
            parts[name] = below("domain", values)
        elif name in _LISTED:
            parts[name] = among(name, values)
        elif name in ("date_from", "date_to") and len(values) == 1:
            parts[name] = _dated(name, values[0])
        else:
            known = ", ".join((*_LISTED, "under", "date_from", "date_to"))
            raise InputError("a search filter cannot be used", expected=known, got=name)
    return every(parts)


def _dated(name: str, day: str) -> str:
    """A shortened date counts as its whole period: up to ``2024`` includes its December."""
    if name == "date_from":
        return f"date >= {quoted(day)}"
    return f"date != '' AND date <= {quoted(day + '~')}"  # "~" sorts behind digits and "-"


def by_rank(rankings: Sequence[Sequence[Hit]], constant: int = 60) -> list[Hit]:
    """Reciprocal rank fusion: a chunk's score is the sum of 1 / (constant + rank).

    Cormack, Clarke and Buettcher 2009, with their constant.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.id] += 1 / (constant + rank)
    return ordered([Hit(key, score) for key, score in scores.items()])


def by_score(near: Sequence[Hit], words: Sequence[Hit]) -> list[Hit]:
    """Convex combination of scores (Bruch, Gai and Ingber 2023, section 4).

    A chunk's score is ``SEMANTIC * cosine + (1 - SEMANTIC) * BM25``, cosines scaled to [0, 1] over
    the candidates, BM25 by its largest value; 0 where the words did not rank the chunk.

    Args:
        near: The candidates of both rankings by cosine.
        words: Those of full text by BM25.
    """
    cosines = [hit.score for hit in near]
    low, spread = min(cosines, default=0.0), (max(cosines) - min(cosines) if cosines else 0.0)
    largest = max((hit.score for hit in words), default=1.0)
    found = {hit.id: hit.score / largest for hit in words}
    scaled = {hit.id: (hit.score - low) / spread if spread > 0 else 1.0 for hit in near}
    return ordered(
        [
            Hit(key, SEMANTIC * cosine + (1 - SEMANTIC) * found.get(key, 0.0))
            for key, cosine in scaled.items()
        ]
    )


def ordered(hits: list[Hit]) -> list[Hit]:
    """Best first; what differs beyond :data:`DIGITS` counts as equal."""
    return sorted(hits, key=lambda hit: (-round(hit.score, DIGITS), hit.id))
