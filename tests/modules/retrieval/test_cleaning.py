"""Old versions: those without a tag go, with their files; every named one can still be read."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from modules.retrieval import EvidenceStore, cleaning, upkeep
from modules.retrieval.embed import Vectors, unit
from modules.retrieval.types import Chunk, Origin


class Points:
    """Text ``n`` is a fixed point; nothing loads."""

    name, dimension, window = "points", 8, 64

    def encode(self, texts: Sequence[str]) -> Vectors:
        draws = [np.random.default_rng(int(text.split()[-1])).normal(size=8) for text in texts]
        return unit(np.asarray(draws))

    def token_count(self, texts: Sequence[str]) -> list[int]:
        return [3] * len(texts)

    def warm(self) -> None:
        """Nothing to load."""


def put(store: EvidenceStore, numbers: range) -> None:
    """One version for each chunk."""
    for n in numbers:
        store.add([Chunk(f"{n:08d}", f"text {n}", Origin(f"{n}.md"), "", 0, "doc")])


def versions(store: EvidenceStore) -> list[int]:
    return [found["version"] for found in store.database.open("chunks").list_versions()]


def size(store: EvidenceStore) -> int:
    return sum(path.stat().st_size for path in store.database.path.rglob("*") if path.is_file())


def read(store: EvidenceStore) -> object:
    queries = ["text 3", "text 17"]
    every = [store.search(queries, 5, mode=mode) for mode in ("dense", "fulltext")]
    return store.rows(), every, store.digest()


def test_versions_without_a_name_go_and_named_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "FRAGMENTS", 10)  # compaction leaves files that no one names
    monkeypatch.setattr(cleaning, "RECENT", 10**9)
    store = EvidenceStore(tmp_path / "index", Points())
    kept = {}
    for start in (0, 30, 60):
        put(store, range(start, start + 30))
        if start == 60:
            store.forget("4.md")
            before, grown = versions(store), size(store)
            monkeypatch.setattr(cleaning, "RECENT", 0.0)
        store.finish()
        kept[store.corpus_version()] = read(store)
    after = versions(store)
    assert set(after) < {*before, *range(max(before), max(after) + 1)}
    assert len(after) <= 2 + cleaning.NEWEST
    assert size(store) < grown
    assert len(kept) == 3
    for name, found in kept.items():
        assert read(EvidenceStore(tmp_path / "index", Points(), version=name)) == found
    # What is left can be written to, and cleaned again.
    put(store, range(90, 95))
    store.finish()
    assert store.count() == 94
    for name, found in kept.items():
        assert read(EvidenceStore(tmp_path / "index", Points(), version=name)) == found


def test_recent_versions_stay(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "index", Points())
    put(store, range(12))
    store.finish()
    assert len(versions(store)) > 12


@pytest.mark.parametrize("how", ["renamed", "elsewhere"])
def test_files_laid_out_otherwise_are_left_alone(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "chunks.lance"
    for name in ("_versions", "data"):
        (folder / name).mkdir(parents=True)
    for version in range(1, 10):
        name = f"{version}" if how == "renamed" else f"{2**64 - 1 - version:020d}"
        (folder / "_versions" / f"{name}.manifest").write_bytes(b"data files named some other way")
    (folder / "data" / "abc.lance").write_bytes(b"rows")
    before = sorted(folder.rglob("*"))
    assert cleaning.clean(folder, [], fragments=1) == 0
    assert sorted(folder.rglob("*")) == before
