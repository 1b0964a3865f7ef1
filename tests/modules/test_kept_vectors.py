"""Vectors on disk: found again by another object, bounded, and never a fault of the work."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from modules.kept_vectors import KeptVectors
from modules.vectors import remembering


class Counting:
    """An embedder that knows how often it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return np.array([[len(t), 1.0] for t in texts], dtype=np.float32).reshape(-1, 2)


def test_another_process_asks_for_what_is_new_alone(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    one = remembering(first, KeptVectors(tmp_path, "e")).encode(["a", "bb", "a"])
    two = remembering(second, KeptVectors(tmp_path, "e")).encode(["a", "ccc", "a"])
    assert np.array_equal(one[[0, 2]], two[[0, 2]])
    assert (first.asked, second.asked) == (["a", "bb"], ["ccc"])
    other = Counting()
    remembering(other, KeptVectors(tmp_path, "another")).encode(["a"])
    assert other.asked == ["a"]


def test_the_oldest_go_first(tmp_path: Path) -> None:
    kept = KeptVectors(tmp_path, "e", most=2)
    texts = ["a", "b", "c"]
    for text in texts:
        kept.put({text: np.ones(2, dtype=np.float32)})
    assert sorted(kept.get(texts)) == texts[1:]


def test_a_broken_file_costs_time_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = KeptVectors(tmp_path, "e")
    kept.put({"a": np.ones(2, dtype=np.float32)})
    (path,) = tmp_path.glob("*.sqlite")
    for file in tmp_path.iterdir():
        file.unlink()
    path.write_bytes(b"no database" * 1000)
    with caplog.at_level(logging.WARNING), pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(path).execute("SELECT * FROM vectors")
    embedder = Counting()
    found = remembering(embedder, KeptVectors(tmp_path, "e")).encode(["a"])
    assert found.shape == (1, 2)
    assert embedder.asked == ["a"]
    assert "not kept any more" in caplog.text
