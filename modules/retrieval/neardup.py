"""Near-duplicate documents: MinHash over word shingles, found through banded buckets."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
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
    """The documents kept so far, by source, and which of them a new one repeats."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._hashes: dict[str, str] = {}
        self._buckets: defaultdict[tuple[int, bytes], list[str]] = defaultdict(list)

    def add(self, source: str, kept: Kept) -> None:
        """Remember a document, in place of an earlier one of the same source."""
        self._kept[source] = kept
        if self.exact("", kept.document) is None:
            self._hashes[kept.document] = source
        for bucket in _bands(kept.signature):
            self._buckets[bucket].append(source)

    def drop(self, source: str) -> None:
        """Forget a document."""
        self._kept.pop(source, None)

    def exact(self, source: str, document: str) -> str | None:
        """The other source whose text has this hash."""
        found = self._hashes.get(document)
        kept = self._kept.get(found) if found is not None and found != source else None
        return found if kept is not None and kept.document == document else None

    def near(self, source: str, new: Signature) -> str | None:
        """The other source whose text is most like this one, at :data:`THRESHOLD` or above."""
        names = {name for bucket in _bands(new) for name in self._buckets.get(bucket, ())}
        names = {name for name in names if name != source and name in self._kept}
        scored = sorted((-self._likeness(name, new), name) for name in names)
        return scored[0][1] if scored and -scored[0][0] >= THRESHOLD else None

    def _likeness(self, source: str, new: Signature) -> float:
        return float(np.mean(self._kept[source].signature == new))


def _bands(found: Signature) -> Iterator[tuple[int, bytes]]:
    for at in range(0, _SIZE, _ROWS):
        yield at, found[at : at + _ROWS].tobytes()
