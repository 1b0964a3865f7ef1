"""Two indexes searched as one: the corpus, and documents that belong to one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from modules.retrieval.aiming import Aim, search_aims, steers
from signatures.types import Passage

if TYPE_CHECKING:
    from modules.evidence import Retriever


class JoinedRetriever:
    """Each index's best passages, merged by cosine; equal ones by id.

    Args:
        parts: Retrievers whose passages have comparable similarities: of one embedder.
    """

    def __init__(self, parts: Sequence[Retriever]) -> None:
        self._parts = list(parts)

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        found = [part.search(queries, k) for part in self._parts]
        return [_merged(lists, k) for lists in zip(*found, strict=True)]

    @property
    def steers(self) -> bool:
        """Whether perspectives change what is found."""
        return any(steers(part) for part in self._parts)

    def search_aims(self, aims: Sequence[Aim], k: int) -> list[list[Passage]]:
        """As :meth:`search`, by perspectives."""
        found = [search_aims(part, aims, k) for part in self._parts]
        return [_merged(lists, k) for lists in zip(*found, strict=True)]

    def identity(self) -> dict[str, Any]:
        return {"retriever": "joined", "parts": [part.identity() for part in self._parts]}

    @property
    def corpus_version(self) -> str:
        """The readable names of what is read."""
        return " + ".join(getattr(part, "corpus_version", "?") for part in self._parts)


def _merged(lists: Sequence[Sequence[Passage]], k: int) -> list[Passage]:
    every = {passage.id: passage for passages in reversed(lists) for passage in passages}
    return sorted(every.values(), key=lambda p: (-(p.similarity or 0.0), p.id))[:k]


__all__ = ["JoinedRetriever"]
