"""A retriever that remembers: for flows whose methods ask the same of many items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modules.evidence import Retriever
from modules.recent import Recent
from signatures.types import Passage

SEARCHES = 1_000
"""Searches kept, of some ten passages each."""


class RememberingRetriever:
    """A retriever that makes each search once.

    Args:
        inner: Makes what is new.
        limit: The most searches kept.
    """

    def __init__(self, inner: Retriever, limit: int = SEARCHES) -> None:
        self._inner = inner
        self._kept: Recent[tuple[tuple[str, ...], int], list[list[Passage]]] = Recent(limit)

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """As the inner retriever's; the lists are the caller's own."""
        asked = (tuple(queries), k)
        kept = self._kept.get([asked])
        if asked not in kept:
            kept = {asked: self._inner.search(queries, k)}
            self._kept.put(kept)
        return [list(passages) for passages in kept[asked]]

    def identity(self) -> dict[str, Any]:
        """The inner retriever's."""
        return self._inner.identity()


__all__ = ["RememberingRetriever"]
