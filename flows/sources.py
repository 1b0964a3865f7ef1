"""Looking up where a cited passage stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from flows.compose import composed
from flows.config import DebateConfig, typed
from flows.run import load
from flows.runtime import embedder_of


class Place(NamedTuple):
    """One passage of a document, in the document's order."""

    id: str
    text: str
    title: str
    source: str
    url: str


def document(chunk: str, run: Path | None = None) -> list[Place]:
    """All passages of the document that holds ``chunk``; empty where no index has it.

    Args:
        chunk: The passage's id.
        run: The run that cites it, whose indexes are looked into; by default the usual index.

    Raises:
        MootError: An index cannot be read.
    """
    from modules.retrieval import EvidenceStore

    plain = composed("debate", "a source", {}) if run is None else load(run)[1]
    embedder = embedder_of(typed(DebateConfig, composed("debate", "a source", {})))
    paths = [plain["paths"]["index"], (plain.get("retriever") or {}).get("also")]
    for path in filter(None, paths):
        store = EvidenceStore(path, embedder)
        rows = store.rows() if store.exists else []
        held = next((row for row in rows if row["id"] == chunk), None)
        if held is not None:
            return [_place(row) for row in rows if row["source"] == held["source"]]
    return []


def _place(row: dict[str, Any]) -> Place:
    return Place(row["id"], row["text"], row["title"], row["source"], row["url"] or "")


__all__ = ["Place", "document"]
