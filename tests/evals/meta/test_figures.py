"""Elo, correlations and verdicts: by hand, and against scikit-learn."""

from __future__ import annotations

import random

import pytest

from evals.meta.figures import STEP, binary, correlations, elo, ranks, z_norm
from evals.meta.rows import Preference


def preferred(first: str, second: str, share: float) -> Preference:
    return Preference("q", "a", first, second, share)


def test_one_comparison_moves_both_by_half_a_step() -> None:
    assert elo([preferred("b", "a", 1.0)]) == {"a": 1000 - STEP / 2, "b": 1000 + STEP / 2}
    assert elo([preferred("b", "a", 0.5)]) == {"a": 1000, "b": 1000}


def test_the_order_of_rows_decides_nothing() -> None:
    rng = random.Random(0)
    names = ["a", "b", "c", "d"]
    pairs = [rng.sample(names, 2) for _ in range(40)]
    rows = [preferred(one, two, rng.choice([0, 0.5, 1])) for one, two in pairs]
    shuffled = rng.sample(rows, len(rows))
    assert elo(rows) == elo(shuffled)
    # A comparison means the same with its two sides swapped.
    turned = [preferred(p.second, p.first, 1 - p.share) for p in rows]
    assert elo(turned) == pytest.approx(elo(rows), abs=1.0)
    assert sum(elo(rows).values()) == pytest.approx(4000)


def test_undefined_correlations_are_none() -> None:
    assert correlations([1, 2, 3], [1, 2, 3]) == pytest.approx((1, 1))
    # By hand: one swap among three: rho 1 - 6 * 2 / 24 = 0.5, tau (2 - 1) / 3.
    assert correlations([1, 2, 3], [2, 1, 3]) == pytest.approx((0.5, 1 / 3))
    assert correlations([1, 1], [1, 2]) == (None, None)
    assert correlations([1], [1]) == (None, None)


def test_ranks_begin_with_the_best_and_ties_share() -> None:
    assert ranks({"a": 3.0, "b": 1.0, "c": 1.0}, lower=True) == {"a": 3, "b": 1.5, "c": 1.5}
    assert ranks({"a": 3.0, "b": 1.0}, lower=False) == {"a": 1, "b": 2}
    assert z_norm({"a": 2.0, "b": 2.0}) == {"a": 0, "b": 0}
    assert z_norm({"a": 1.0, "b": 3.0}) == {"a": -1, "b": 1}


@pytest.mark.parametrize("seed", range(3))
def test_verdicts_equal_scikit_learn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = random.Random(seed)
    labels = [0, 1, *(rng.randint(0, 1) for _ in range(30))]
    values = [0.9, 0.1, *(rng.choice([0.0, 0.3, 0.5, 0.8, 1.0]) for _ in range(30))]
    said = [int(value >= 0.5) for value in values]
    found = binary(values, labels)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(labels, said))
    assert found.f1 == pytest.approx(metrics.f1_score(labels, said))
    assert found.auroc == pytest.approx(metrics.roc_auc_score(labels, values))
    assert found.mcc == pytest.approx(metrics.matthews_corrcoef(labels, said))


def test_verdicts_that_cannot_be_judged() -> None:
    assert binary([], []) == (None, None, None, None)
    assert binary([1.0, 1.0], [1, 1]) == (1.0, 1.0, None, None)
    assert binary([0.0], [0]) == (1.0, None, None, None)
