"""History shortening: the sentences of a transcript that say most of it, within a word budget.

S0 (section 4.3 a) shortens with an extractive BERT summarizer: sentence embeddings, clustered,
the sentence nearest to each centre kept. Here sentences are taken one by one by maximal marginal
relevance, which needs no number of clusters, with a preference for how a turn opens and for what
was said last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from modules.text import clip_words, sentences
from modules.vectors import Embedder, remembering, rows
from signatures.types import TranscriptLine

if TYPE_CHECKING:
    import numpy as np

_NOVELTY = 0.4  # weight of being unlike what is kept already, against being central
_OPENING = 0.1  # a turn's first sentence states its point
_RECENT = 0.2  # what the latest turn gains over the first
_DIGITS = 4  # beyond these a cosine depends on how a batch was padded


class _Sentence(NamedTuple):
    """A sentence, the turn it stands in and its place there, and what it is worth by itself."""

    text: str
    turn: int
    place: int
    words: int
    worth: float


class HistorySummarizer:
    """Shortens transcripts by leaving sentences out.

    Every turn keeps a sentence while the budget allows, the latest turns first; what is left of
    the budget goes to the sentences that are most central and least said already. Kept sentences
    stay in their order, lines keep their id and speaker. A turn of which nothing is kept is left
    out whole.

    Example:
        >>> shorten = HistorySummarizer(embedder)
        >>> shorten(lines, budget=600)

    Args:
        embedder: Embeds sentences; each is embedded once.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.name = f"mmr-1/{embedder.name}"
        self._embedder = remembering(embedder)

    def __call__(self, lines: Sequence[TranscriptLine], budget: int) -> list[TranscriptLine]:
        """The lines with at most ``budget`` words in all; unchanged where they have no more."""
        if sum(len(line.text.split()) for line in lines) <= budget:
            return list(lines)
        parts = [sentences(line.text) for line in lines]
        vectors = rows(self._embedder, (text for turn in parts for text in turn))
        kept = _chosen(_weighed(parts, vectors), vectors, budget)
        return [
            line.model_copy(update={"text": " ".join(s.text for s in sorted(own, key=_place))})
            for number, line in enumerate(lines)
            if (own := [s for s in kept if s.turn == number])
        ]


def _place(sentence: _Sentence) -> int:
    return sentence.place


def _weighed(parts: Sequence[Sequence[str]], rows: dict[str, np.ndarray]) -> list[_Sentence]:
    """Every sentence with its worth: likeness to the whole transcript, opening, recency."""
    every = [text for turn in parts for text in turn]
    if not every:
        return []
    centre = sum((rows[text] for text in every[1:]), start=rows[every[0]])
    length = float((centre @ centre) ** 0.5) or 1.0
    last = max(1, len(parts) - 1)
    return [
        _Sentence(
            text,
            turn,
            place,
            len(text.split()),
            round(float(rows[text] @ centre) / length, _DIGITS)
            + _OPENING * (place == 0)
            + _RECENT * turn / last,
        )
        for turn, texts in enumerate(parts)
        for place, text in enumerate(texts)
    ]


def _chosen(
    found: Sequence[_Sentence], rows: dict[str, np.ndarray], budget: int
) -> list[_Sentence]:
    kept: list[_Sentence] = []
    room = budget
    for turn in sorted({s.turn for s in found}, reverse=True):
        best = max((s for s in found if s.turn == turn), key=lambda s: (s.worth, -s.place))
        fair = max(room // (turn + 1), min(room, _least(best)))
        if best.words > fair:
            # A sentence longer than the turn's share is cut, so that the others keep theirs.
            best = best._replace(text=clip_words(best.text, fair), words=min(best.words, fair))
        if best.words:
            kept.append(best)
            room -= best.words
    taken = {(s.turn, s.place) for s in kept}
    left = [s for s in found if (s.turn, s.place) not in taken]
    return kept + _filled(left, {s.turn: s for s in kept}, found, rows, room)


def _least(sentence: _Sentence) -> int:
    """Words below which a cut sentence says nothing."""
    return min(sentence.words, 8)


def _filled(
    left: list[_Sentence],
    kept: dict[int, _Sentence],
    found: Sequence[_Sentence],
    rows: dict[str, np.ndarray],
    room: int,
) -> list[_Sentence]:
    """Sentences by maximal marginal relevance while they fit."""
    whole = {(s.turn, s.place): s.text for s in found}
    held = [rows[whole[s.turn, s.place]] for s in kept.values()]
    near = {s: max((float(rows[s.text] @ row) for row in held), default=0.0) for s in left}
    more: list[_Sentence] = []
    while fitting := [s for s in left if s.words <= room]:
        best = max(
            fitting, key=lambda s: (round(s.worth - _NOVELTY * near[s], _DIGITS), -s.turn, -s.place)
        )
        more.append(best)
        room -= best.words
        left.remove(best)
        for s in left:
            near[s] = max(near[s], float(rows[s.text] @ rows[best.text]))
    return more


__all__ = ["HistorySummarizer"]
