"""Vectors of texts, each computed once.

Sentences are compared with the same passages again and again: by the debate's measures, by the
citation check, by every method that is compared over one proposition. A vector depends on the
texts it was computed beside by about 1e-7, which is below what anything here is rounded to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from modules.kept_vectors import KeptVectors
from modules.recent import Recent

if TYPE_CHECKING:
    import numpy as np

TEXTS = 30_000
"""Vectors kept: 46 MB of 384 float32 each."""


class Embedder(Protocol):
    """Turns texts into L2-normalised float32 rows."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


class RememberingEmbedder:
    """An embedder that embeds each text once.

    Args:
        inner: Embeds what is new.
        limit: The most vectors kept.
        disk: Keeps them for other processes.
    """

    def __init__(
        self, inner: Embedder, limit: int = TEXTS, disk: KeptVectors | None = None
    ) -> None:
        self._inner = inner
        self._disk = disk
        self._kept: Recent[str, np.ndarray] = Recent(limit)

    @property
    def name(self) -> str:
        """The inner embedder's name: the vectors are its."""
        return self._inner.name

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """``(n_texts, dimension)`` float32, as the inner embedder's."""
        import numpy as np

        rows = self._kept.get(texts)
        new = [text for text in dict.fromkeys(texts) if text not in rows]
        if new:
            fresh = self._fresh(new)
            self._kept.put(fresh)
            rows |= fresh
        if not texts:
            return self._inner.encode([])
        return np.stack([rows[text] for text in texts])

    def _fresh(self, texts: list[str]) -> dict[str, np.ndarray]:
        found = {} if self._disk is None else self._disk.get(texts)
        new = [text for text in texts if text not in found]
        if new:
            made = dict(zip(new, self._inner.encode(new), strict=True))
            if self._disk is not None:
                self._disk.put(made)
            found |= made
        return found


def remembering(embedder: Embedder, disk: KeptVectors | None = None) -> RememberingEmbedder:
    """The embedder with a memory, its own if it has one; a new one may keep its own on disk."""
    if isinstance(embedder, RememberingEmbedder):
        return embedder
    return RememberingEmbedder(embedder, disk=disk)


def rows(embedder: Embedder, texts: Iterable[str]) -> dict[str, np.ndarray]:
    """Text -> its unit vector ``(dimension,)``, new ones in one batch."""
    distinct = sorted(set(texts))
    return dict(zip(distinct, embedder.encode(distinct), strict=True))


__all__ = ["Embedder", "RememberingEmbedder", "remembering", "rows"]
