"""The two rankings over the index, and their fusion. Equal scores are ordered by chunk id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from modules.retrieval.database import among, any_of, every, quoted
from modules.retrieval.embed import Vectors
from signatures.errors import InputError
from signatures.types import Passage

if TYPE_CHECKING:
    from lancedb.table import Table
    from pyarrow import Table as ArrowTable

Mode = Literal["hybrid", "dense", "fulltext"]
Filters = Mapping[str, str | Sequence[str]]
"""``source``, ``topic``, ``domain``, ``kind``, ``lang``: a value or several; ``date_from``,
``date_to``: ISO dates, both included."""

_LISTED = ("source", "topic", "domain", "kind", "lang")
_COLUMNS = ["id", "text", "source", "title", "vector"]
_DIGITS = 6  # beyond these, scores depend on how a batch was padded


class Hit(NamedTuple):
    """A chunk in a ranking; ``score`` is the cosine or BM25, higher is better."""

    passage: Passage
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
        elif name in _LISTED:
            parts[name] = among(name, values)
        elif name in ("date_from", "date_to") and len(values) == 1:
            parts[name] = _dated(name, values[0])
        else:
            known = ", ".join((*_LISTED, "date_from", "date_to"))
            raise InputError("a search filter cannot be used", expected=known, got=name)
    return every(parts)


def _dated(name: str, day: str) -> str:
    """A shortened date counts as its whole period: up to ``2024`` includes its December."""
    if name == "date_from":
        return f"date >= {quoted(day)}"
    return f"date != '' AND date <= {quoted(day + '~')}"  # "~" sorts behind digits and "-"


def dense(table: Table, vectors: Vectors, depth: int, where: str | None) -> list[list[Hit]]:
    """By cosine: ``(n, dimension)`` unit vectors -> ``n`` rankings of at most ``depth``."""
    query: Any = table.search(list(vectors), vector_column_name="vector")
    found = _limited(query.distance_type("cosine"), depth, where)
    owners = (
        found["query_index"].to_numpy()
        if "query_index" in found.column_names
        else np.zeros(found.num_rows, dtype=np.int64)
    )
    return [
        _ranked(found.filter(owners == index), vector, None) for index, vector in enumerate(vectors)
    ]


def fulltext(
    table: Table, queries: Sequence[str], vectors: Vectors, depth: int, where: str | None
) -> list[list[Hit]]:
    """By BM25: ``(n,)`` queries -> ``n`` rankings; ``vectors`` only fill in the cosines."""
    rankings = []
    for text, vector in zip(queries, vectors, strict=True):
        found = _limited(table.search(text, query_type="fts", fts_columns="text"), depth, where)
        rankings.append(_ranked(found, vector, "_score"))
    return rankings


def fuse(rankings: Sequence[Sequence[Hit]], constant: int = 60) -> list[Hit]:
    """Reciprocal rank fusion: the score of a chunk is the sum of 1 / (constant + rank)."""
    scores: defaultdict[str, float] = defaultdict(float)
    passages: dict[str, Passage] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.passage.id] += 1 / (constant + rank)
            passages[hit.passage.id] = hit.passage
    return _ordered([Hit(passages[key], score) for key, score in scores.items()])


def _limited(query: Any, depth: int, where: str | None) -> ArrowTable:
    query = query.limit(depth)
    if where:
        query = query.where(where, prefilter=True)
    return query.to_arrow()


def _ranked(found: ArrowTable, vector: np.ndarray, score: str | None) -> list[Hit]:
    """The rows as hits with their cosine to ``vector``, which is also the score by default."""
    if not found.num_rows:
        return []
    flat = found["vector"].combine_chunks().flatten().to_numpy()
    cosines = np.clip(flat.reshape(found.num_rows, -1) @ vector, -1.0, 1.0)
    rows = found.select([name for name in _COLUMNS if name != "vector"]).to_pylist()
    passages = [
        Passage(**row, similarity=round(float(cosine), _DIGITS))
        for row, cosine in zip(rows, cosines, strict=True)
    ]
    scores = cosines if score is None else found[score].to_numpy()
    return _ordered([Hit(p, float(s)) for p, s in zip(passages, scores, strict=True)])


def _ordered(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-round(hit.score, _DIGITS), hit.passage.id))
