"""Near-duplicate documents: MinHash over word shingles, found through banded buckets."""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
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
_BANDS = _SIZE // _ROWS
_BYTES = 4 * _SIZE
_BLOCK = 1024  # documents
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
    minima = np.full(_SIZE, np.iinfo(np.uint64).max, dtype=np.uint64)
    for part in np.array_split(hashes, len(hashes) // 4096 + 1):
        values = part[:, None] * _A
        values += _B
        minima = np.minimum(minima, values.min(axis=0))
    return (minima >> np.uint64(32)).astype(np.uint32)


class Twins:
    """The documents kept so far, by source, and which of them a new one repeats.

    Bands stand in one sorted array, those of the latest documents in a short unsorted one, so that
    a look-up costs the logarithm of their number. Whole signatures, of which few are ever compared,
    are in a file without a name: memory grows by half a kilobyte a document.
    """

    def __init__(self) -> None:
        self._sources: list[str] = []
        self._rows: dict[str, int] = {}
        self._documents: dict[str, str] = {}
        self._hashes: dict[str, str] = {}
        # The whole object's life long, and then closed.
        self._signatures = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._signatures.close)
        self._sorted = np.zeros(0, dtype=np.uint64)
        self._owners = np.zeros(0, dtype=np.uint32)
        self._latest = np.zeros((_BLOCK, _BANDS), dtype=np.uint64)
        self._settled = 0  # rows whose bands are in the sorted array

    def add(self, source: str, kept: Kept) -> None:
        """Remember a document, in place of an earlier one of the same source."""
        self._documents[source] = kept.document
        if self.exact("", kept.document) is None:
            self._hashes[kept.document] = source
        row = self._rows[source] = len(self._sources)
        self._sources.append(source)
        os.pwrite(self._signatures.fileno(), kept.signature.tobytes(), row * _BYTES)
        if row - self._settled == len(self._latest):
            self._settle()
        self._latest[row - self._settled] = _bands(kept.signature)

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
        best: tuple[float, str] | None = None
        for row in self._candidates(_bands(new)):
            name = self._sources[row]
            if name == source or self._rows.get(name) != row:
                continue  # itself, or what its source said before
            held = os.pread(self._signatures.fileno(), _BYTES, row * _BYTES)
            unlike = -float((np.frombuffer(held, dtype=np.uint32) == new).mean())
            if best is None or (unlike, name) < best:
                best = unlike, name
        return best[1] if best and -best[0] >= THRESHOLD else None

    def _candidates(self, bands: NDArray[np.uint64]) -> list[int]:
        """The rows that share a band."""
        starts = np.searchsorted(self._sorted, bands, "left")
        ends = np.searchsorted(self._sorted, bands, "right")
        latest = self._latest[: len(self._sources) - self._settled]
        found = set((np.flatnonzero((latest == bands).any(axis=1)) + self._settled).tolist())
        for at in np.flatnonzero(ends > starts):
            found.update(self._owners[starts[at] : ends[at]].tolist())
        return sorted(found)

    def _settle(self) -> None:
        """Sort the latest documents' bands in. An eighth as many wait for the next
        time, so that all sorting together stays in proportion.
        """
        rows = np.arange(self._settled, self._settled + len(self._latest), dtype=np.uint32)
        bands = np.concatenate([self._sorted, self._latest.ravel()])
        owners = np.concatenate([self._owners, np.repeat(rows, _BANDS)])
        order = np.argsort(bands, kind="stable")
        self._sorted, self._owners = bands[order], owners[order]
        self._settled += len(self._latest)
        self._latest = np.zeros((max(_BLOCK, self._settled // 8), _BANDS), dtype=np.uint64)


def _bands(found: Signature) -> NDArray[np.uint64]:
    """``(32,)`` hashes that tell bands apart, and each band's values; unlike ones meet by accident
    only.
    """
    bands = found.reshape(_BANDS, _ROWS).astype(np.uint64)
    hashes: NDArray[np.uint64] = (bands * _A[:_ROWS]).sum(axis=1, dtype=np.uint64)
    return (hashes & ~np.uint64(_BANDS - 1)) | np.arange(_BANDS, dtype=np.uint64)
