"""From passages to documents: grouped, re-ranked, cleaned, cut to a budget, measured."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from modules.retrieval.rerank import Reranker
from modules.text import normalise, sentences
from modules.vectors import Embedder
from signatures.curation_results import CuratedDocument
from signatures.types import Passage

TOKENS_PER_WORD = 4 / 3
"""A usual share for English text."""

_URL = re.compile(r"(?:https?://|www\.)\S+")
_LOOSE = re.compile(r"\s+([.,;:!?])")  # what a removed tag leaves before a stop
_TAG = re.compile(r"</?[a-zA-Z][^>]{0,200}>")
_FURNITURE = re.compile(
    r"^(?:cookies?\b.*|accept (?:all )?cookies.*|share this.*|subscribe.*|sign (?:in|up).*|"
    r"all rights reserved.*|advertisement|skip to (?:main )?content|menu|search|read more.*|"
    r"copyright\b.*|privacy policy.*|\W+|\d+)$",
    re.IGNORECASE,
)
"""Lines that say nothing about any question."""


def best_documents(
    question: str,
    passages: Sequence[Passage],
    embedder: Embedder,
    *,
    most: int,
    scorer: Reranker | None = None,
) -> list[list[Passage]]:
    """The passages of the ``most`` best documents, each document by its best passage.

    Every passage counts once, in the order in which it was found. It is scored by the
    cross-encoder, or else by its cosine with the question.
    """
    known = list({p.id: p for p in passages}.values())
    if not known:
        return []
    texts = [f"{p.title}\n{p.text}" for p in known]
    if scorer is not None:
        values = [float(v) for v in scorer.scores(question, texts)]
    else:
        rows = np.asarray(embedder.encode([question, *texts]), dtype=np.float64)
        values = [float(v) for v in rows[1:] @ rows[0]]
    groups: dict[str, list[Passage]] = {}
    score: dict[str, float] = {}
    for passage, value in zip(known, values, strict=True):
        groups.setdefault(passage.source, []).append(passage)
        score[passage.source] = max(score.get(passage.source, value), value)
    ranked = sorted(groups, key=lambda source: (-round(score[source], 6), source))
    return [groups[source] for source in ranked[:most]]


def cleaned(text: str) -> str:
    """The text without addresses, tags, furniture of pages, and lines that stand twice."""
    kept: dict[str, None] = {}
    for line in text.splitlines():
        bare = _LOOSE.sub(r"\1", normalise(_TAG.sub(" ", _URL.sub(" ", line))))
        if bare and not _FURNITURE.match(bare):
            kept.setdefault(bare)
    return "\n".join(kept)


def within(texts: Sequence[str], tokens: int) -> list[str]:
    """The texts cut so that together they keep to ``tokens``: the longest give way, to one length.

    A cut ends at a sentence where there is one.
    """
    room = round(tokens / TOKENS_PER_WORD)
    sizes = [len(text.split()) for text in texts]
    if sum(sizes) <= room:
        return list(texts)
    left, limit = room, 0
    for place, size in enumerate(sorted(sizes)):
        limit = left // (len(sizes) - place)
        if size > limit:
            break
        left -= size
    return [
        text if size <= limit else _cut(text, limit)
        for text, size in zip(texts, sizes, strict=True)
    ]


def measured(
    question: str,
    groups: Sequence[Sequence[Passage]],
    embedder: Embedder,
    *,
    tokens: int,
    words: int,
) -> list[CuratedDocument]:
    """The documents as they are kept, with the cosines of their chunks of ``words`` words."""
    whole = [cleaned("\n".join(p.text for p in group)) for group in groups]
    short = within(whole, tokens)
    chunks = [_chunks(text, words) for text in short]
    rows = np.asarray(embedder.encode([question, *(c for each in chunks for c in each)]))
    cosines = iter([round(float(v), 4) for v in rows[1:] @ rows[0]])
    return [
        CuratedDocument(
            number=number,
            source=group[0].source,
            title=group[0].title,
            text=text,
            cut=text != full,
            cosines=[next(cosines) for _ in own],
        )
        for number, (group, text, full, own) in enumerate(
            zip(groups, short, whole, chunks, strict=True), start=1
        )
    ]


def _chunks(text: str, words: int) -> list[str]:
    found = text.split()
    return [" ".join(found[at : at + words]) for at in range(0, len(found), words)]


def _cut(text: str, limit: int) -> str:
    kept: list[str] = []
    size = 0
    for sentence in sentences(text):
        size += len(sentence.split())
        if size > limit:
            break
        kept.append(sentence)
    return " ".join(kept) or " ".join(text.split()[:limit])


__all__ = ["best_documents", "cleaned", "measured", "within"]
