"""One search from queries to passages: rank, fuse, re-rank, diversify."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np

from modules.retrieval import aiming, operations, ranking
from modules.retrieval.aiming import UNSTEERED, Aim, Steering
from modules.retrieval.embed import Embedder, Vectors, as_queries
from modules.retrieval.mmr import diverse
from modules.retrieval.ranking import DEPTH, DIGITS, Filters, Fusion, Hit, Mode
from modules.retrieval.rerank import Reranker
from modules.retrieval.view import Found, View
from signatures.errors import InputError
from signatures.types import Passage


class Search(NamedTuple):
    """How passages are ranked.

    ``dense`` ranks by cosine, ``fulltext`` by BM25, ``hybrid`` by both, fused by ``score`` or by
    ``rank`` (see :func:`modules.retrieval.ranking.by_score` and ``by_rank``). Each contributes its
    best ``depth`` candidates, or four for each wanted passage where that is more; as many go on to
    ``reranker``, whose scores replace theirs, and to ``mmr``, the weight of relevance against
    novelty (see :func:`modules.retrieval.mmr.diverse`). ``filters`` hold before ranking.
    ``steering`` puts the perspectives of aims into the vectors.
    """

    mode: Mode = "hybrid"
    filters: Filters | None = None
    depth: int = DEPTH
    mmr: float | None = None
    reranker: Reranker | None = None
    fusion: Fusion = "score"
    steering: Steering = UNSTEERED

    def check(self, k: int) -> None:
        """Refuse what cannot be run.

        Raises:
            InputError: ``k`` or an option is out of range, or a filter has an unknown name.
        """
        fits = k >= 1 and self.depth >= 1 and (self.mmr is None or 0 <= self.mmr <= 1)
        known = self.mode in get_args(Mode) and self.fusion in get_args(Fusion)
        known &= self.steering.operation in operations.OPERATIONS
        if not fits or not known:
            got = f"k={k}, {self.mode=}, {self.fusion=}, {self.depth=}, {self.mmr=}"
            got = got.replace("self.", "")
            raise InputError("a search cannot be run", got=got)
        ranking.condition(self.filters)


def run(
    view: View, embedder: Embedder, queries: Sequence[str | Aim], k: int, how: Search
) -> list[list[Passage]]:
    """The best ``k`` passages for each query; ``similarity`` is the cosine whatever the mode.

    With an operation, queries are aims; full text, re-ranker and ``similarity`` go by their words.
    """
    if not queries:
        return []
    depth = max(4 * k, how.depth)
    aims = [query for query in queries if isinstance(query, Aim)]
    texts = [query.query if isinstance(query, Aim) else query for query in queries]
    if aims:
        vectors, rankings = _aimed(view, embedder, aims, depth, how)
    else:
        vectors, rankings = _ranked(view, embedder, texts, depth, how)
    wanted = depth if how.reranker is not None or how.mmr is not None else k
    pools = [ranked[:wanted] for ranked in rankings]
    chunks = view.chunks(sorted({hit.id for pool in pools for hit in pool}))
    return [
        [_passage(chunks[hit.id], vector) for hit in _chosen(query, pool, chunks, k, how)]
        for query, pool, vector in zip(texts, pools, vectors, strict=True)
    ]


def _ranked(
    view: View, embedder: Embedder, queries: Sequence[str], depth: int, how: Search
) -> tuple[Vectors, list[list[Hit]]]:
    """The queries' vectors and rankings; full text is searched while they are embedded."""
    where = ranking.condition(how.filters)
    words = None if how.mode == "dense" else view.fulltext(queries, depth, where)
    vectors = as_queries(embedder, queries)
    near = None if how.mode == "fulltext" else view.dense(vectors, depth, where)
    found = None if words is None else words()
    if near is None or found is None:
        return vectors, near or found or []
    if how.fusion == "rank":
        return vectors, [ranking.by_rank(pair) for pair in zip(near, found, strict=True)]
    near = _completed(view, vectors, near, found)
    return vectors, [ranking.by_score(*pair) for pair in zip(near, found, strict=True)]


def _aimed(
    view: View, embedder: Embedder, aims: Sequence[Aim], depth: int, how: Search
) -> tuple[Vectors, list[list[Hit]]]:
    """As :func:`_ranked`, with the perspective in the vectors."""
    where = ranking.condition(how.filters)
    queries = [aim.query for aim in aims]
    words = None if how.mode == "dense" else view.fulltext(queries, depth, where)
    at = aiming.vectors_of(embedder, aims)
    vectors = at.queries.astype(np.float32)
    if how.mode == "fulltext" and words is not None:
        return vectors, words()
    near = aiming.candidates(view, aims, at, how.steering, depth, where)
    if words is None:
        if how.steering.operation in operations.PROJECTED:
            near = aiming.rescored(view, at, how.steering, near)
        return vectors, near
    found = words()
    pools = [[*one, *other] for one, other in zip(near, found, strict=True)]
    near = aiming.rescored(view, at, how.steering, pools)
    fuse = ranking.by_rank if how.fusion == "rank" else lambda pair: ranking.by_score(*pair)
    return vectors, [fuse(pair) for pair in zip(near, found, strict=True)]


def _completed(
    view: View, vectors: Vectors, near: list[list[Hit]], found: list[list[Hit]]
) -> list[list[Hit]]:
    """The rankings by cosine with what only full text found."""
    held = [{hit.id for hit in each} for each in near]
    missing = [
        [hit.id for hit in words if hit.id not in ids]
        for words, ids in zip(found, held, strict=True)
    ]
    known = view.vectors(sorted({key for keys in missing for key in keys}))
    return [
        [*each, *(Hit(key, float(known[key] @ vector)) for key in keys)]
        for each, keys, vector in zip(near, missing, vectors, strict=True)
    ]


def _chosen(
    query: str, pool: Sequence[Hit], chunks: dict[str, Found], k: int, how: Search
) -> Sequence[Hit]:
    if how.reranker is not None:
        scores = how.reranker.scores(query, [chunks[hit.id].fields["text"] for hit in pool])
        scored = zip(pool, scores, strict=True)
        pool = ranking.ordered([Hit(hit.id, float(score)) for hit, score in scored])
    if how.mmr is None or not pool:
        return pool[:k]
    relevance = np.asarray([hit.score for hit in pool])
    vectors = np.stack([chunks[hit.id].vector for hit in pool])
    return [pool[at] for at in diverse(relevance, vectors, k, how.mmr)]


def _passage(found: Found, vector: Vectors) -> Passage:
    cosine = float(np.clip(found.vector @ vector, -1.0, 1.0))
    return Passage(**found.fields, similarity=round(cosine, DIGITS))
