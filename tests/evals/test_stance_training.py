"""What the stance model is fitted to, and how its ranking is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evals.stance import ranking
from evals.stance.corpora import Claim, Cluster, Sided, perspectrum
from evals.stance.fit import fit, rows_of
from evals.stance.leaks import Held
from evals.stance.pairs import TrainingSet
from modules.retrieval import MiniLM
from modules.stance.network import logits
from signatures.errors import ConfigError

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "perspectrum"

CLAIMS = [
    Claim(1, "Zoos should be closed", "test", (
        Cluster(1, ("Animals suffer in cages.", "Caged animals are in distress.")),
        Cluster(-1, ("Zoos save rare species from extinction.",)),
    )),
    Claim(2, "Homework should be abolished", "test", (
        Cluster(1, ("Homework steals the time to play.",)),
        Cluster(-1, ("Practice at home makes lessons stick.",)),
    )),
]  # fmt: skip


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


def test_what_is_held_out_is_found_in_other_words(embedder: MiniLM) -> None:
    held = Held(CLAIMS, embedder)
    assert held.claims(["ZOOS should be closed!", "All zoos should be closed", "Ban cars"]) == [
        True, True, False,
    ]  # fmt: skip
    texts = ["Animals suffer in cages", "Zoos save rare species from extinction", "Cars pollute."]
    assert held.texts(texts) == [True, True, False]
    assert held.texts([]) == []


def test_recall_and_precision_by_hand(embedder: MiniLM) -> None:
    split = ranking.as_split(CLAIMS, embedder)
    found: ranking.Ranked = [
        {1: [0, 2], -1: [1, 3], 0: [3, 2]},  # for: hit; against: missed; either: hit
        {1: [4, 3], -1: [0, 1], 0: [0, 1]},  # for: hit in the second place; all else missed
    ]
    assert ranking.recall_by_root(split, found, 2) == pytest.approx([2 / 3, 1 / 3])
    # Of 0, 2 and 1, which are the first claim's, 0 alone is on the asked side; of 4 and 3, 3.
    assert ranking.sides_by_root(split, found, 2).tolist() == [[1, 3], [1, 2]]
    assert ranking.recall_by_root(split, found, 1) == pytest.approx([1 / 3, 0])
    assert ranking.interval(np.array([1.0, 1.0])) == (100, 100, 100)
    mean, low, high = ranking.interval(np.array([[1.0, 3.0], [1.0, 2.0]]))
    assert (mean, low, high) == pytest.approx((40, 100 / 3, 50))


def test_every_pair_is_also_denied_and_seeds_repeat() -> None:
    data = TrainingSet(CLAIMS, [Sided("Cars should be banned", "Cars pollute.", 1)], [])
    rows = rows_of(data)
    assert len(rows) == 12
    assert Sided("Cars should not be banned", "Cars pollute.", -1) in rows
    rng = np.random.default_rng(0)
    a, b = ((rng.normal(size=(400, 8)) / 3).astype(np.float32) for _ in range(2))
    sides = np.sign((a * b).sum(axis=1)).astype(int)  # like is for, unlike against
    made, again = (fit(a, b, list(sides), seed=3) for _ in range(2))
    assert all(np.array_equal(made[name], again[name]) for name in made)
    weights = {name: value.astype(np.float32) for name, value in made.items()}
    assert np.mean(np.sign(logits(weights, a, b)) == sides) > 0.6


def test_a_folder_without_the_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Perspectrum cannot be read"):
        perspectrum(tmp_path)


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the data beside the checkout is absent")
def test_the_benchmark_is_whole() -> None:
    test = [claim for claim in perspectrum(DATA) if claim.split == "test"]
    assert sum(len(claim.clusters) + 1 for claim in test) == 1431
    assert sum(len(c.texts) for claim in test for c in claim.clusters) == 2773
