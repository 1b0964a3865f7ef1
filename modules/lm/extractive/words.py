"""Words as the engine compares them: stems, sets of stems, weights."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from modules.lm.extractive.soundness import tokens
from modules.lm.extractive.wordlists import FUNCTION_WORDS

_ENDINGS = (
    "isations", "izations", "isation", "ization", "ations", "ation", "ingly", "ments", "ment",
    "ities", "ising", "izing", "ised", "ized", "ises", "izes", "ings", "ing", "ions", "ion",
    "ity", "ies", "ers", "er", "ed", "es", "ly", "al", "s", "e", "y",
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A rough stem: enough to see that "taxing" and "taxes" share a subject."""
    word = word.lower().removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=1 << 14)  # one debate reads the same passages again and again
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


__all__ = ["Weights", "overlap", "stem", "stems"]
