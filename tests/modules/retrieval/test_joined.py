"""Two indexes searched as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from modules.retrieval import EvidenceStore, MiniLM, ingest
from modules.retrieval.aiming import Aim, search_aims
from modules.retrieval.specs import StoreRetrieverSpec
from signatures.errors import EvidenceError

TEXTS = {
    "one": "Entrance fees pay for guards in museums.",
    "other": "Free museums draw poor families to their collections.",
    "both": "Museums keep what a town remembers of itself.",
}


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, MiniLM]:
    root, embedder = tmp_path_factory.mktemp("joined"), MiniLM()
    for name in ("one", "other"):
        folder = root / f"{name}-texts"
        folder.mkdir()
        for file in (name, "both"):
            (folder / f"{file}.txt").write_text(TEXTS[file])
        ingest([folder], EvidenceStore(root / name, embedder))
    return root / "one", root / "other", embedder


def test_the_best_of_both_come_first_and_each_once(indexes: tuple[Path, Path, MiniLM]) -> None:
    one, other, embedder = indexes
    joined = StoreRetrieverSpec(also=other).open(one, embedder)
    found = joined.search(["entrance fees", "poor families"], 3)
    assert [each[0].source for each in found] == ["one.txt", "other.txt"]
    assert [len({p.id for p in each}) for each in found] == [3, 3]
    assert len(joined.search(["museums"], 2)[0]) == 2
    # The other way round it finds the same.
    turned = StoreRetrieverSpec(also=one).open(other, embedder)
    assert turned.search(["museums"], 3) == joined.search(["museums"], 3)


def test_it_steers_as_its_parts_do_and_is_known_by_both(
    indexes: tuple[Path, Path, MiniLM],
) -> None:
    one, other, embedder = indexes
    plain = StoreRetrieverSpec(also=other).open(one, embedder)
    steered = StoreRetrieverSpec(also=other, operation="add").open(one, embedder)
    aim = Aim("museums entrance fees", "museums", "entrance fees")
    assert (plain.steers, steered.steers) == (False, True)  # type: ignore[attr-defined]
    assert search_aims(plain, [aim], 1)[0][0].source == "one.txt"
    assert search_aims(steered, [aim], 1)[0][0].source == "one.txt"
    alone = StoreRetrieverSpec().open(one, embedder)
    assert plain.identity()["parts"][0] == alone.identity()
    assert plain.corpus_version.count(" + ") == 1  # type: ignore[attr-defined]
    with pytest.raises(EvidenceError, match="no index"):
        StoreRetrieverSpec(also=other / "nowhere").open(one, embedder)
