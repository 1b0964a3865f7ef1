"""Sentences of passages with their side, their subject and their place."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from modules.lm.extractive.sentences import hedged, lift, tokens
from modules.lm.extractive.wordlists import FUNCTION_WORDS, PRONOUNS
from signatures.types import Evidence

CONFIDENT = 0.12  # a side score below this is no side
_VOTE = 0.5  # weight of one sentence's score in what its passage or document holds
_HEDGED = 0.3  # own score that a sentence needs if it reports or grants a view


class Reader(Protocol):
    """Reads which side of a proposition a text takes, in [-1, 1]."""

    def score(self, text: str) -> float:
        """Above 0: the text supports the proposition."""


@dataclass(frozen=True)
class Statement:
    """One printable sentence of a numbered passage.

    ``side`` is in [-1, 1], above 0 for the proposition; ``stems`` are its content words.
    """

    text: str
    number: int
    title: str
    place: int
    standalone: bool
    side: float = 0.0
    own_side: float = 0.0
    relevance: float = 0.0
    stems: frozenset[str] = field(default=frozenset())


_ENDINGS = (
    "isations", "izations", "isation", "ization", "ations", "ation", "ingly", "ments", "ment",
    "ities", "ising", "izing", "ised", "ized", "ises", "izes", "ings", "ing", "ions", "ion",
    "ity", "ies", "ers", "er", "ed", "es", "ly", "al", "s", "e", "y",
)  # fmt: skip


def stem(word: str) -> str:
    """A rough stem: enough to see that "taxing" and "taxes" share a subject."""
    word = word.lower().removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def stems(text: str) -> frozenset[str]:
    """Stems of the content words of a text."""
    words = (word.lower() for word in tokens(text))
    return frozenset(stem(w) for w in words if w not in FUNCTION_WORDS and len(w) > 2)


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared stems over the smaller set, in [0, 1]; 0 where a set is empty."""
    if not left or not right:
        return 0.0
    return len(left & right) / min(len(left), len(right))


class Weights:
    """Inverse document frequencies over a set of texts, and cosine similarity under them."""

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        counted = list(texts)
        self._total = len(counted)
        self._frequency = Counter(word for words in counted for word in words)

    def weight(self, word: str) -> float:
        """High for words that few of the texts share."""
        return math.log((1 + self._total) / (1 + self._frequency[word])) + 0.3

    def norm(self, words: frozenset[str]) -> float:
        """Euclidean length of the weighted set."""
        return math.sqrt(sum(self.weight(w) ** 2 for w in sorted(words)))

    def cosine(self, left: frozenset[str], right: frozenset[str]) -> float:
        """Similarity in [0, 1]; 0 where a set is empty."""
        scale = self.norm(left) * self.norm(right)
        shared = sum(self.weight(w) ** 2 for w in sorted(left & right))
        return shared / scale if scale else 0.0


def statements(passages: Sequence[Evidence], reader: Reader, proposition: str) -> list[Statement]:
    """Printable sentences of the passages in order, none twice, each with its side."""
    subject = stems(proposition)
    raw: list[Statement] = []
    seen: list[frozenset[str]] = []
    for passage in passages:
        for place, (text, alone) in enumerate(lift(passage.text)):
            words = stems(text)
            if not text or any(len(words & s) > 0.75 * len(words | s) for s in seen):
                continue
            seen.append(words)
            raw.append(Statement(text, passage.number, passage.title, place, alone, stems=words))
    return _sided(raw, reader, subject)


def _sided(raw: list[Statement], reader: Reader, subject: frozenset[str]) -> list[Statement]:
    """The statements with their side: their own words first, then their surroundings."""
    own = [reader.score(s.text) for s in raw]
    by_number = _votes((s.number for s in raw), own)
    by_title = _votes((s.title for s in raw), own)
    weights = Weights(s.stems for s in raw)
    near = _subject_words(raw, subject)
    sided = []
    for s, score in zip(raw, own, strict=True):
        around = 0.25 * by_number[s.number] + 0.25 * by_title[s.title]
        relevance = weights.cosine(s.stems, near) + 0.5 * overlap(subject, s.stems)
        sided.append(
            Statement(
                s.text,
                s.number,
                s.title,
                s.place,
                s.standalone,
                side=0.5 * score + around,
                own_side=score,
                relevance=relevance,
                stems=s.stems,
            )  # fmt: skip
        )
    return sided


def _votes(keys: Iterable[object], values: Sequence[float]) -> dict[object, float]:
    """For each key how clearly its values agree on a side, in [-1, 1]."""
    sums: dict[object, float] = {}
    for key, value in zip(keys, values, strict=True):
        sums[key] = sums.get(key, 0.0) + value
    return {key: math.tanh(_VOTE * total) for key, total in sums.items()}


def _subject_words(raw: list[Statement], subject: frozenset[str]) -> frozenset[str]:
    """The subject widened by the words that keep company with it in the passages."""
    company = Counter(w for s in raw if s.stems & subject for w in s.stems)
    return subject | {word for word, count in company.most_common(25) if count > 2}


def quality(statement: Statement) -> float:
    """How well the sentence reads on its own, in about [-1, 1]: plain, medium, no loose ends."""
    words = [w.lower() for w in tokens(statement.text)]
    length = -abs(len(words) - 19) / 21
    loose = 0.15 * sum(w in PRONOUNS for w in words)
    spoken = 0.15 * sum("n't" in w for w in words) + 0.2 * ("!" in statement.text)
    heavy = 0.1 * len(re.findall(r"[;:()\"\u201c]", statement.text))
    return length - loose - spoken - heavy


def on_side(statement: Statement, sign: int) -> bool:
    """Whether the statement stands on the side with this sign, by its words and surroundings."""
    own = statement.own_side * sign
    if statement.side * sign < CONFIDENT or own < -0.05:
        return False
    return own >= _HEDGED or not hedged(statement.text)


def merit(statement: Statement, sign: int) -> float:
    """How good a piece of evidence for the side with this sign: side, subject and style."""
    return 1.2 * statement.side * sign + 0.6 * statement.relevance + 0.35 * quality(statement)


def best(pool: Iterable[Statement], sign: int) -> list[Statement]:
    """Self-contained statements of a side, best first."""
    fit = [s for s in pool if s.standalone and on_side(s, sign)]
    return sorted(fit, key=lambda s: (-merit(s, sign), s.number, s.place))


def similar(statement: Statement, others: Iterable[Statement], limit: float = 0.5) -> bool:
    """Whether the statement says much the same as one of the others."""
    return any(overlap(statement.stems, o.stems) > limit for o in others)


__all__ = [
    "Reader",
    "Statement",
    "Weights",
    "best",
    "merit",
    "on_side",
    "overlap",
    "quality",
    "similar",
    "statements",
    "stem",
    "stems",
]
