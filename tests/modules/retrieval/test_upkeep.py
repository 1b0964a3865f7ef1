"""The vector index of a large table: built, complete after writes, and as good as exact search."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from modules.retrieval import EvidenceStore, upkeep
from modules.retrieval.embed import Vectors, unit
from modules.retrieval.ranking import Mode
from modules.retrieval.types import Chunk, Origin
from modules.retrieval.view import HeldView, IndexedView

SIZE = 1_500


class Grid:
    """Text ``n`` is a fixed point among clusters; nothing is learned and nothing loads."""

    name, dimension, window = "grid", 16, 256

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.concatenate([self._point(text) for text in texts])

    def token_count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) + 2 for text in texts]

    def warm(self) -> None:
        """Nothing to load."""

    def _point(self, text: str) -> Vectors:
        number = int(text.split()[-1])
        centre = np.random.default_rng(number % 40).normal(size=(1, 16))
        return unit(centre + 0.4 * np.random.default_rng(1_000 + number).normal(size=(1, 16)))


def piece(number: int) -> Chunk:
    return Chunk(f"{number:08d}", f"text {number}", Origin(f"{number}.md"), "", 0, "doc")


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is large from a thousand rows."""
    monkeypatch.setattr(upkeep, "FLAT", 1_000)
    monkeypatch.setattr(upkeep, "SLACK", 100)


@pytest.mark.usefixtures("small_limits")
def test_a_large_table_is_indexed_and_never_stale(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path, Grid())
    store.upsert(map(piece, range(900)))
    assert isinstance(store.view(), HeldView)
    assert "vector_idx" not in indices(store)
    store.upsert(map(piece, range(900, SIZE)))
    assert isinstance(store.view(), IndexedView)
    assert indices(store)["vector_idx"] == 0
    exact_found(store, SIZE)

    store.upsert(map(piece, range(SIZE, SIZE + 60)))  # few: searched beside the index
    assert indices(store)["vector_idx"] == 60
    exact_found(store, SIZE + 60)
    store.add([piece(SIZE + 60)])  # nothing finished yet
    exact_found(store, SIZE + 61)
    store.upsert(map(piece, range(SIZE + 61, SIZE + 200)))  # many: indexed anew
    assert indices(store)["vector_idx"] == 0
    exact_found(store, SIZE + 200)

    store.forget("7.md")
    store.finish()
    assert "7.md" not in [found.source for found in store.search(["text 7"], 9, mode="dense")[0]]


@pytest.mark.usefixtures("small_limits")
def test_both_views_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = EvidenceStore(tmp_path, Grid())
    store.upsert(map(piece, range(SIZE)))
    queries = [f"text {n}" for n in (3, 500, 1499)]
    filters = {"source": [f"{n}.md" for n in range(0, SIZE, 3)]}
    indexed = [store.search(queries, 5, mode=m, filters=f) for m, f in ways(filters)]
    monkeypatch.setattr(upkeep, "FLAT", 2 * SIZE)
    held = EvidenceStore(tmp_path, Grid())
    assert isinstance(held.view(), HeldView)
    assert [held.search(queries, 5, mode=m, filters=f) for m, f in ways(filters)] == indexed
    assert held.digest() == store.digest()
    assert held.view().described == store.view().described


def ways(filters: dict[str, list[str]]) -> list[tuple[Mode, dict[str, list[str]] | None]]:
    return [("dense", None), ("dense", filters), ("hybrid", None), ("hybrid", filters)]


def indices(store: EvidenceStore) -> dict[str, int]:
    """Each index and how many rows it does not hold."""
    table = store.database.open("chunks")
    names = [index.name for index in table.list_indices()]
    return {name: table.index_stats(name).num_unindexed_rows for name in names}


def exact_found(store: EvidenceStore, size: int) -> None:
    """Dense search finds what exact search finds, the newest row among it."""
    grid = Grid()
    every = grid.encode([f"text {n}" for n in range(size)])
    for number in (size - 1, 5, 700):
        cosines = every @ every[number]
        best = [f"{n}.md" for n in np.argsort(-cosines, kind="stable")[:10]]
        found = store.search([f"text {number}"], 10, mode="dense")[0]
        assert [passage.source for passage in found] == best
