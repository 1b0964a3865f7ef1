"""A retriever that remembers: for flows whose methods ask the same of many items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from modules.evidence import Retriever
from modules.recent import Recent
from modules.retrieval.aiming import Aim, search_aims, steers
from signatures.types import Passage

Asked = tuple[str, ...] | tuple[Aim, ...]

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
        self._kept: Recent[tuple[Asked, int], list[list[Passage]]] = Recent(limit)

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """As the inner retriever's; the lists are the caller's own."""
        return self._once(tuple(queries), k, lambda: self._inner.search(queries, k))

    @property
    def steers(self) -> bool:
        """Whether the inner retriever heeds perspectives."""
        return steers(self._inner)

    def search_aims(self, aims: Sequence[Aim], k: int) -> list[list[Passage]]:
        """As the inner retriever's, if it knows aims."""
        return self._once(tuple(aims), k, lambda: search_aims(self._inner, aims, k))

    def _once(
        self, queries: Asked, k: int, search: Callable[[], list[list[Passage]]]
    ) -> list[list[Passage]]:
        asked = (queries, k)
        kept = self._kept.get([asked])
        if asked not in kept:
            kept = {asked: search()}
            self._kept.put(kept)
        return [list(passages) for passages in kept[asked]]

    def identity(self) -> dict[str, Any]:
        """The inner retriever's."""
        return self._inner.identity()


__all__ = ["RememberingRetriever"]
