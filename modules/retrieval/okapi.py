"""BM25 over a list of texts, every query against every text at once.

Statistics and constants are rank_bm25's (``BM25Okapi``: k1 = 1.5, b = 0.75, negative inverse
document frequencies replaced by a quarter of their mean), words are what single blanks separate,
as S3's notebook has it; the scores are its scores, without its loop over documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TERMS = 4096
"""Words weighed at a time, which bounds memory."""


def words(text: str) -> list[str]:
    """What single blanks separate, case and punctuation kept."""
    return text.split(" ")


class Okapi:
    """BM25 over texts.

    Args:
        texts: The documents, in their order; at least one.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        from rank_bm25 import BM25Okapi

        model = BM25Okapi([words(text) for text in texts])
        self._idf: dict[str, float] = model.idf
        self._n = len(texts)
        lengths = np.asarray(model.doc_len, dtype=np.float64)
        self._k1 = float(model.k1)
        self._damping = model.k1 * (1 - model.b + model.b * lengths / model.avgdl)
        self._found: dict[str, list[tuple[int, int]]] = {}
        for at, counts in enumerate(model.doc_freqs):
            for word, count in counts.items():
                self._found.setdefault(word, []).append((at, count))

    def scores(self, queries: Sequence[str]) -> Floats:
        """``(n_queries, n_texts)``; a word that a query repeats counts as often."""
        asked = [Counter(words(query)) for query in queries]
        known = sorted({word for counts in asked for word in counts if word in self._found})
        total = np.zeros((len(queries), self._n))
        for start in range(0, len(known), TERMS):
            part = known[start : start + TERMS]
            total += self._asked(asked, part) @ self._weights(part)
        return total

    def _asked(self, asked: Sequence[Counter[str]], part: Sequence[str]) -> Floats:
        """``(n_queries, n_words)`` counts."""
        places = {word: at for at, word in enumerate(part)}
        counts = np.zeros((len(asked), len(part)))
        for row, own in enumerate(asked):
            for word in own.keys() & places.keys():
                counts[row, places[word]] = own[word]
        return counts

    def _weights(self, part: Sequence[str]) -> Floats:
        """``(n_words, n_texts)``: what each word adds to each text."""
        counts = np.zeros((len(part), self._n))
        for row, word in enumerate(part):
            at, many = zip(*self._found[word], strict=True)
            counts[row, list(at)] = many
        idf = np.asarray([self._idf[word] for word in part])[:, None]
        return np.asarray(idf * counts * (self._k1 + 1) / (counts + self._damping))


__all__ = ["Okapi", "words"]
