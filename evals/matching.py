"""Answers against gold answers: exact match, and the overlap of words (S3, sections 3.3 and 3.4).

Rows are ``{id, generation, answers: [...]}``; the best of a row's gold answers counts. Words are
compared in lower case, without punctuation and articles, as open-domain QA does. S3 calls its
measure QA-F1, but the formula it prints is a Jaccard index: both are here, by their names.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from evals.contract import Direction, Metric, Row, Score, Tools
from signatures.errors import InputError

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKS = re.compile(r"[^\w\s]")


def words(text: str) -> list[str]:
    """The words that count, in their order."""
    return _ARTICLES.sub(" ", _MARKS.sub("", text.casefold())).split()


def exact(said: str, gold: str) -> float:
    """1 if both have the same words in the same order."""
    return float(words(said) == words(gold))


def f1(said: str, gold: str) -> float:
    """The harmonic mean of precision and recall of words, counted as often as they occur.

    Two texts without words agree; one without words overlaps with nothing.
    """
    one, other = words(said), words(gold)
    if not one or not other:
        return float(one == other)
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other))


def jaccard(said: str, gold: str) -> float:
    """Shared words over all words, each counted once (S3, appendix A.8, as printed)."""
    one, other = set(words(said)), set(words(gold))
    if not one or not other:
        return float(one == other)
    return len(one & other) / len(one | other)


class _Matching(Metric):
    """The best of a row's gold answers, in percent."""

    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("generation", "answers")

    @abstractmethod
    def match(self, said: str, gold: str) -> float:
        """In [0, 1]."""

    def score(self, row: Row, tools: Tools) -> Score:
        said, golds = str(row.get("generation", "")), row.get("answers")
        if not isinstance(golds, Sequence) or isinstance(golds, str) or not golds:
            raise InputError("the row has no gold answers", expected="answers: [...]")
        found = {str(gold): self.match(said, str(gold)) for gold in golds}
        best = max(found, key=lambda gold: found[gold])
        return Score(value=100 * found[best], explanation=f"nearest gold answer: {best!r}"[:200])


class ExactMatch(_Matching):
    """Whether the text is a gold answer, word for word."""

    name: ClassVar[str] = "exact_match"

    def match(self, said: str, gold: str) -> float:
        return exact(said, gold)


class QaF1(_Matching):
    """F1 of words with a gold answer."""

    name: ClassVar[str] = "qa_f1"

    def match(self, said: str, gold: str) -> float:
        return f1(said, gold)


class QaJaccard(_Matching):
    """Jaccard index of words with a gold answer: S3's printed formula."""

    name: ClassVar[str] = "qa_jaccard"

    def match(self, said: str, gold: str) -> float:
        return jaccard(said, gold)


__all__ = ["ExactMatch", "QaF1", "QaJaccard", "exact", "f1", "jaccard", "words"]
