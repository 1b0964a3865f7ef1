"""Embedders with two sides, and vectors that are computed once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modules.retrieval.dual import DualEmbedder
from modules.retrieval.embed import as_queries
from modules.retrieval.exhaustive import Asked, ByVectors, Encodings
from modules.retrieval.operations import aspects, scores
from signatures.errors import ConfigError


class Letters:
    """Counts letters, and what it was asked."""

    window = 100

    def __init__(self, name: str, letters: str = "abcdef") -> None:
        self.name = name
        self.dimension = len(letters)
        self.asked: list[str] = []
        self._letters = letters

    def encode(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        rows = np.asarray([[t.count(x) + 0.1 for x in self._letters] for t in texts], dtype=float)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def token_count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def warm(self) -> None:
        self.asked.append("")


def test_each_side_has_its_model_and_its_words() -> None:
    queries, passages = Letters("q"), Letters("p")
    dual = DualEmbedder(queries, passages, "query: ", "passage: ")
    as_queries(dual, ["abc"])
    dual.encode(["def"])
    assert (queries.asked, passages.asked) == (["query: abc"], ["passage: def"])
    assert dual.window == 99
    assert dual.name == "q ['query: '] | p ['passage: ']"
    assert np.allclose(as_queries(passages, ["a"]), passages.encode(["a"]))  # one side is enough


def test_two_spaces_are_refused() -> None:
    with pytest.raises(ConfigError, match="two spaces"):
        DualEmbedder(Letters("q", "ab"), Letters("p"), "", "").encode_queries(["a"])


def test_vectors_are_kept_by_content(tmp_path: Path) -> None:
    first, again, other = Letters("one"), Letters("one"), Letters("other")
    texts = ["abc", "def", "abc"]
    found = Encodings(first, tmp_path).passages(texts)
    assert (found[0] == found[2]).all() and sorted(first.asked) == ["abc", "def"]
    assert (Encodings(again, tmp_path).passages(texts) == found).all()
    Encodings(other, tmp_path).passages(texts)
    Encodings(again, tmp_path).queries(texts)  # a dual encoder's other side
    assert (again.asked, other.asked) == (["abc", "def"], ["abc", "def"])


def test_what_is_no_text_of_its_own_is_a_difference() -> None:
    documents = ("aab", "cd", "ef")
    asked = Asked(("ab", "ce"), ("a", "c"), ("b", "e"), by_difference=True)
    encodings = Encodings(Letters("one"))
    at = aspects(*(encodings.queries(texts) for texts in asked[:3]))
    by_text, c = at, encodings.passages(documents)
    by_difference = at._replace(perspectives=at.queries - at.roots)
    ranker = ByVectors(documents, encodings)
    assert np.allclose(ranker.scores(asked, "pap", 1.0), scores("pap", by_difference, c))
    assert np.allclose(ranker.scores(asked, "add", 1.0), scores("add", by_text, c))
