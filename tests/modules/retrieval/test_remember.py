"""What has been embedded or found once is not worked out again, and stays what it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from modules.retrieval.remember import RememberingRetriever
from modules.vectors import RememberingEmbedder
from signatures.types import Passage


class Counted:
    """Embeds a text as its length, and finds the query itself; counts what it is asked."""

    name, dimension, window = "counted", 1, 9

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Any:
        self.asked.append(list(texts))
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        self.asked.append([*queries, str(k)])
        return [[Passage(id=q, text=q, source="s", title="t")] for q in queries]

    def identity(self) -> dict[str, Any]:
        return {"retriever": "counted"}


def test_each_text_is_embedded_once() -> None:
    inner = Counted()
    embedder = RememberingEmbedder(inner)
    assert embedder.encode(["a", "bb", "a"]).tolist() == [[1], [2], [1]]
    assert embedder.encode(["bb", "ccc"]).tolist() == [[2], [3]]
    assert inner.asked == [["a", "bb"], ["ccc"]]
    assert len(embedder.encode([])) == 0


def test_only_the_latest_are_kept() -> None:
    inner = Counted()
    embedder = RememberingEmbedder(inner, limit=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        embedder.encode([text])
    assert inner.asked == [["a"], ["b"], ["c"], ["b"]]


def test_each_search_is_made_once_and_its_lists_are_the_callers() -> None:
    inner = Counted()
    retriever = RememberingRetriever(inner)
    first = retriever.search(["q"], 2)
    first[0].clear()
    assert [p.id for p in retriever.search(["q"], 2)[0]] == ["q"]
    retriever.search(["q"], 3)
    assert inner.asked == [["q", "2"], ["q", "3"]]
    assert retriever.identity() == inner.identity()
