"""Intervals and paired tests against closed forms and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evals.statistics import Interval, interval, paired


def test_an_interval_agrees_with_scipys_bootstrap() -> None:
    values = np.random.default_rng(1).normal(3, 2, 80)
    ours = interval(values.tolist(), resamples=20_000)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=2
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_equal_values_of_a_cluster_add_no_certainty() -> None:
    rng = np.random.default_rng(2)
    means = rng.normal(0, 1, 30).tolist()
    alone = interval(means)
    nine_times = [mean for mean in means for _ in range(9)]
    copied = interval(nine_times, [i for i in range(30) for _ in range(9)])
    naive = interval(nine_times)
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    assert naive.low is not None and alone.low is not None and naive.low > alone.low


def test_clusters_weigh_by_their_values() -> None:
    found = interval([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"], resamples=5000)
    # Samples of two clusters: aa -> 0, bb -> 1, ab and ba -> 1/4.
    assert (found.low, found.high) == (0.0, 1.0)


def test_what_is_undefined_is_none() -> None:
    nothing = Interval(low=None, high=None)
    assert interval([]) == nothing
    assert interval([1.0]) == nothing
    assert interval([1.0, 2.0], ["same", "same"]) == nothing
    assert paired([], []).delta is None
    one = paired([1.0, 2.0], [0.0, 0.0], ["c", "c"])
    assert (one.delta, one.low, one.p) == (1.5, None, None)
    with pytest.raises(ValueError, match="pairs"):
        paired([1.0], [])
    with pytest.raises(ValueError, match="finite"):
        interval([1.0, float("nan")])


def test_the_permutation_test_is_exact_for_few_clusters() -> None:
    # Differences 1, 2, 3: of the 8 sign flips only +++ and --- are as extreme.
    found = paired([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])
    assert (found.delta, found.p) == (2.0, 0.25)
    # Whole clusters flip: two of them allow four flips, two as extreme.
    assert paired([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], ["a", "a", "b"]).p == 0.5
    assert paired([1.0, -1.0], [0.0, 0.0]).p == 1.0


def test_p_agrees_with_scipys_permutation_test() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.4, 1, 40), rng.normal(0, 1, 40)
    ours = paired(a.tolist(), b.tolist(), resamples=20_000).p
    theirs = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=20_000, rng=4
    ).pvalue
    assert ours == pytest.approx(theirs, abs=0.01)


def test_the_least_detectable_effect_is_the_power_tables() -> None:
    # Cohen's table: 34 pairs find d = 0.5 with power 0.8 at 0.05, two-sided.
    rng = np.random.default_rng(6)
    a = rng.normal(size=34)
    a = (a - a.mean()) / a.std(ddof=1)
    found = paired(a.tolist(), [0.0] * 34)
    assert found.mde == pytest.approx(0.5, abs=0.01)
    # Copies of a cluster's values say nothing new.
    copied = paired([x for x in a for _ in range(3)], [0.0] * 102, [i // 3 for i in range(102)])
    assert copied.mde == pytest.approx(found.mde)


def test_equal_seeds_give_equal_results() -> None:
    values = np.random.default_rng(5).normal(size=50).tolist()
    assert interval(values, seed=7) == interval(values, seed=7) != interval(values, seed=8)
