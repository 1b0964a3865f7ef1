"""Near-duplicate documents: MinHash over word shingles, found through banded buckets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modules.text import tokens

Signature = NDArray[np.uint32]
"""``(256,)`` minima, one per hash function."""

THRESHOLD = 0.9
"""Jaccard similarity of the shingle sets from which two documents are one; with 256 minima the
estimate's standard error there is 0.02."""

_SHINGLE = 3  # words
_SIZE = 256
_ROWS = 8  # per band: at similarity 0.9 a pair misses all 32 bands with probability 2e-8
_RANDOM = np.random.default_rng(0)
# Hash functions by multiply, add and shift in 64 bits; multipliers are odd.
_A = _RANDOM.integers(0, 1 << 63, _SIZE, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_B = _RANDOM.integers(0, 1 << 63, _SIZE, dtype=np.uint64)


class Kept(NamedTuple):
    """A document that stands in the index."""

    document: str
    signature: Signature


def signature(texts: Iterable[str]) -> Signature:
    """The document's signature: equal texts give equal ones on every machine."""
    words = [word for text in texts for word in tokens(text)]
    shingles = {
        " ".join(words[at : at + _SHINGLE]) for at in range(max(len(words) - _SHINGLE + 1, 1))
    }
    digests = b"".join(hashlib.blake2b(s.encode(), digest_size=8).digest() for s in shingles)
    hashes = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    minima = np.full(_SIZE, np.iinfo(np.uint32).max, dtype=np.uint32)
    for part in np.array_split(hashes, max(len(hashes) // 4096, 1)):
        values = ((part[:, None] * _A + _B) >> np.uint64(32)).astype(np.uint32)
        minima = np.minimum(minima, values.min(axis=0))
    return minima


class Twins:
    """The documents kept so far, by source, and which of them a new one repeats.

    A document takes about 1.3 kB, in arrays that grow by doubling.
    """

    def __init__(self) -> None:
        self._sources: list[str] = []
        self._rows: dict[str, int] = {}
        self._documents: dict[str, str] = {}
        self._hashes: dict[str, str] = {}
        self._signatures = np.zeros((64, _SIZE), dtype=np.uint32)
        self._bands = np.zeros((_SIZE // _ROWS, 64), dtype=np.uint64)

    def add(self, source: str, kept: Kept) -> None:
        """Remember a document, in place of an earlier one of the same source."""
        self._documents[source] = kept.document
        if self.exact("", kept.document) is None:
            self._hashes[kept.document] = source
        row = self._rows[source] = len(self._sources)
        self._sources.append(source)
        if row == len(self._signatures):
            self._signatures = np.concatenate([self._signatures, np.zeros_like(self._signatures)])
            self._bands = np.concatenate([self._bands, np.zeros_like(self._bands)], axis=1)
        self._signatures[row] = kept.signature
        self._bands[:, row] = _bands(kept.signature)

    def drop(self, source: str) -> None:
        """Forget a document."""
        self._documents.pop(source, None)
        self._rows.pop(source, None)

    def exact(self, source: str, document: str) -> str | None:
        """The other source whose text has this hash."""
        found = self._hashes.get(document)
        if found is None or found == source or self._documents.get(found) != document:
            return None
        return found

    def near(self, source: str, new: Signature) -> str | None:
        """The other source whose text is most like this one, at :data:`THRESHOLD` or above."""
        bands = self._bands[:, : len(self._sources)] == _bands(new)[:, None]
        near = [int(row) for row in np.flatnonzero(bands.any(axis=0)) if self._stands(int(row))]
        likeness = (self._signatures[near] == new).mean(axis=1)
        scored = sorted(zip(-likeness, (self._sources[row] for row in near), strict=True))
        others = [(-score, name) for score, name in scored if name != source]
        return others[0][1] if others and others[0][0] >= THRESHOLD else None

    def _stands(self, row: int) -> bool:
        """Whether the row is what its source says now."""
        return self._rows.get(self._sources[row]) == row


def _bands(found: Signature) -> NDArray[np.uint64]:
    """``(32,)`` hashes, one for each band of minima; unlike bands share one by accident only."""
    bands = found.reshape(-1, _ROWS).astype(np.uint64)
    hashes: NDArray[np.uint64] = (bands * _A[:_ROWS]).sum(axis=1, dtype=np.uint64)
    return hashes
