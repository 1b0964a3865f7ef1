"""Looking up where a cited passage stands."""

from __future__ import annotations

from typing import NamedTuple

from flows.compose import composed
from flows.config import DebateConfig, typed
from flows.runtime import embedder_of


class Place(NamedTuple):
    """One passage of a document, in the document's order."""

    id: str
    text: str
    title: str
    source: str
    url: str


def document(chunk: str) -> list[Place]:
    """All passages of the document that holds ``chunk``; empty where the index has none.

    Raises:
        MootError: The index cannot be read.
    """
    from modules.retrieval import EvidenceStore

    config = typed(DebateConfig, composed("debate", "a source", {}))
    store = EvidenceStore(config.paths.index, embedder_of(config))
    rows = store.rows() if store.exists else []
    held = next((row for row in rows if row["id"] == chunk), None)
    if held is None:
        return []
    return [
        Place(row["id"], row["text"], row["title"], row["source"], row["url"] or "")
        for row in rows
        if row["source"] == held["source"]
    ]


__all__ = ["Place", "document"]
