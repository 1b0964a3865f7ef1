"""Intervals of figures that are no means."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean
from typing import ClassVar

import pytest

from evals.agreement_metrics import KrippendorffAlpha, Ndfu
from evals.contract import Direction, Level, Metric, Row, Score, Tools
from evals.recomputed import difference, grouped, spread
from evals.statistics import interval, paired


class MeanOf(Metric):
    """The mean of all values, as one figure."""

    name: ClassVar[str] = "mean_of"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    level: ClassVar[Level] = "corpus"
    fields: ClassVar[tuple[str, ...]] = ("value",)

    def score(self, row: Row, tools: Tools) -> Score:
        return Score(value=row["value"], explanation="")

    def over(self, rows: Sequence[Row], tools: Tools) -> Score:
        return Score(value=fmean(row["value"] for row in rows), explanation="")


class Different(MeanOf):
    """How many different values there are: more rows that are repeated are no more of them."""

    name: ClassVar[str] = "different"

    def over(self, rows: Sequence[Row], tools: Tools) -> Score:
        return Score(value=float(len({row["value"] for row in rows})), explanation="")


def groups(values: Sequence[Sequence[float]]) -> list[list[Row]]:
    return [[{"value": value} for value in own] for own in values]


def noisy(seed: int, n: int = 40, shift: float = 0.0) -> list[list[float]]:
    chance = random.Random(seed)
    found = []
    for _ in range(n):
        mean = chance.random() + shift
        found.append([chance.gauss(mean, 0.1) for _ in range(3)])
    return found


def test_of_a_mean_it_is_the_clustered_bootstrap() -> None:
    values = noisy(1)
    flat = [x for own in values for x in own]
    expected = interval(flat, [i for i, own in enumerate(values) for _ in own])
    found = spread(MeanOf(), Tools(), groups(values), fmean(flat))
    assert found.ci == pytest.approx((expected.low, expected.high), abs=0.015)
    assert found == spread(MeanOf(), Tools(), groups(values), fmean(flat))


def test_differences_are_paired_by_cluster() -> None:
    ours, theirs = noisy(1, shift=0.05), noisy(1)  # the same items, each a little higher

    def figured(values: list[list[float]]) -> tuple[float, list[float | None]]:
        figure = fmean(x for own in values for x in own)
        return figure, spread(MeanOf(), Tools(), groups(values), figure).samples

    (a, of_a), (b, of_b) = figured(ours), figured(theirs)
    found = difference(a, b, of_a, of_b, clusters=40)
    assert found.delta == pytest.approx(0.05)
    assert found.low is not None and found.high is not None
    assert found.low == pytest.approx(0.05) == found.high  # unpaired it would be some 0.2 wide
    assert found.p == pytest.approx(2 / 1001)
    other = noisy(2)
    assert difference(a, b, of_a, of_b, clusters=2).p == 0.5  # two items show nothing
    b, of_b = figured(other)
    apart = difference(a, b, of_a, of_b, clusters=40)
    expected = paired(*([fmean(own) for own in v] for v in (ours, other)))
    assert apart.p == pytest.approx(expected.p, abs=0.05)
    assert apart.low is not None and apart.high is not None and apart.p is not None
    assert (apart.low > 0 or apart.high < 0) == (apart.p < 0.05)


def test_an_alpha_has_an_interval_that_narrows_with_items() -> None:
    chance = random.Random(3)

    def rated(n: int) -> list[list[Row]]:
        found: list[list[Row]] = []
        for _ in range(n):
            own = chance.randint(1, 4)
            ratings = [min(5, max(1, own + chance.choice((0, 0, 0, 1, -1)))) for _ in range(3)]
            found.append([{"ratings": ratings, "scale": [1, 5]}])
        return found

    widths = []
    for n in (20, 180):
        items = rated(n)
        value = KrippendorffAlpha().over([row for own in items for row in own], Tools()).value
        ci = spread(KrippendorffAlpha(), Tools(), items, value, resamples=300).ci
        assert value is not None and ci is not None
        assert ci[0] < value < ci[1]
        widths.append(ci[1] - ci[0])
    assert 1.5 < widths[0] / widths[1] < 6  # the root of 9 is 3, and 20 are few


def test_where_there_is_none_it_says_why() -> None:
    same: list[list[Row]] = [[{"ratings": [1, 1], "scale": [1, 5]}] for _ in range(8)]
    same.append([{"ratings": [5, 1], "scale": [1, 5]}])
    alpha = KrippendorffAlpha()
    cases: list[tuple[Metric, list[list[Row]], float | None, str]] = [
        (MeanOf(), groups([[0.5, 0.6]]), 0.55, "on one subject"),
        (MeanOf(), [*groups([[0.5, 0.6]]), []], 0.55, "on one subject"),
        (Different(), groups([[float(n)] for n in range(20)]), 20.0, "repeated"),
        (Ndfu(), groups([]), None, "there is no figure"),
        (alpha, same, alpha.over([r for g in same for r in g], Tools()).value, "have no figure"),
    ]
    for metric, given, value, why in cases:
        found = spread(metric, Tools(), given, value, resamples=300)
        assert found.ci is None and found.samples == []
        assert why in found.why
    assert difference(1.0, 0.5, [], [], clusters=0).low is None
    assert difference(None, 0.5, [], [], clusters=0).delta is None


def test_rows_go_to_their_clusters() -> None:
    pairs = [(1, "a"), (2, "b"), (3, "a"), (4, "c")]
    found = grouped(pairs, lambda pair: pair[1])
    assert list(found.values()) == [[(1, "a"), (3, "a")], [(2, "b")], [(4, "c")]]
