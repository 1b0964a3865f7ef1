"""Agreement figures against independent implementations, and the cases that are undefined."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask

from evals.agreement import Ratings, fleiss_kappa, histogram, krippendorff_alpha, ndfu
from evals.agreement_metrics import FleissKappa, KrippendorffAlpha, Ndfu
from evals.contract import Tools
from signatures.errors import InputError

EXACT = 1e-9


def items(seed: int, missing: float = 0.0, raters: int = 5, n: int = 40) -> list[list[Any]]:
    """Ratings from 1 to 5 that agree more than chance, some of them missing."""
    rng = random.Random(seed)
    found = []
    for _ in range(n):
        centre = rng.choice([1, 2, 3, 4, 5])
        row = [min(5, max(1, centre + rng.choice([-2, -1, 0, 0, 0, 1, 4]))) for _ in range(raters)]
        found.append([None if rng.random() < missing else value for value in row])
    return found


def task(found: list[list[Any]], distance: Any) -> Any:
    """The ratings in nltk's form; missing ones are absent."""
    data = [
        (f"c{rater}", f"i{item}", value)
        for item, row in enumerate(found)
        for rater, value in enumerate(row)
        if value is not None
    ]
    return AnnotationTask(data=data, distance=distance)


def between(found: list[list[Any]]) -> Any:
    """Krippendorff's ordinal difference, written down from its definition."""
    pairable = [v for row in found if sum(r is not None for r in row) > 1 for v in row]
    n = {v: pairable.count(v) for v in set(pairable) - {None}}

    def distance(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        return float((sum(n.get(g, 0) for g in range(low, high + 1)) - (n[a] + n[b]) / 2) ** 2)

    return distance


DISTANCES = {
    "nominal": lambda found: lambda a, b: float(a != b),
    "interval": lambda found: lambda a, b: float((a - b) ** 2),
    "ordinal": between,
}


@pytest.mark.parametrize("missing", [0.0, 0.1, 0.5, 0.75])
@pytest.mark.parametrize("distance", sorted(DISTANCES))
@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_nltks(seed: int, missing: float, distance: Any) -> None:
    found = items(seed, missing)
    expected = task(found, DISTANCES[distance](found)).alpha()
    assert krippendorff_alpha(found, distance) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_statsmodels(seed: int) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters
    from statsmodels.stats.inter_rater import fleiss_kappa as reference

    found = items(seed)
    counts, _ = aggregate_raters(np.array(found))
    assert fleiss_kappa(found) == pytest.approx(reference(counts), abs=EXACT)


@pytest.mark.parametrize("missing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_kappa_with_missing_ratings_is_counted_pair_by_pair(seed: int, missing: float) -> None:
    found = [[v for v in row if v is not None] for row in items(seed, missing)]
    pairable = [row for row in found if len(row) > 1]
    shares = []
    for row in pairable:
        pairs = list(combinations(row, 2))
        shares.append(sum(a == b for a, b in pairs) / len(pairs))
    values = [v for row in pairable for v in row]
    chance = sum((values.count(v) / len(values)) ** 2 for v in set(values))
    expected = (sum(shares) / len(shares) - chance) / (1 - chance)
    assert fleiss_kappa(found) == pytest.approx(expected, abs=EXACT)


def authors_dfu(counts: np.ndarray[Any, Any]) -> float:
    """The measure as its authors publish it, over a histogram of shares."""
    heights = counts / counts.sum()
    top = heights.max()
    at = int(np.where(heights == top)[0][0])
    rise = 0.0
    for i in range(at, len(heights) - 1):
        rise = max(rise, heights[i + 1] - heights[i])
    for i in range(at, 0, -1):
        rise = max(rise, heights[i - 1] - heights[i])
    return float(rise / top)


@pytest.mark.parametrize("seed", range(20))
def test_ndfu_is_the_authors(seed: int) -> None:
    rng = random.Random(seed)
    low, high = rng.choice([(1, 5), (0, 1), (-3, 3), (0, 10)])
    ratings: Ratings = [
        rng.choice([None, *range(low, high + 1)]) for _ in range(rng.choice([4, 9]))
    ]
    given = [v for v in ratings if v is not None]
    counts = np.array([given.count(v) for v in range(low, high + 1)])
    assert ndfu(ratings, low, high) == pytest.approx(authors_dfu(counts), abs=EXACT)


def test_ndfu_knows_one_peak_from_two() -> None:
    assert ndfu([2, 3, 3, 3], 1, 5) == 0.0  # over its own range this row would be polarized
    assert ndfu([1, 1, 5, 5], 1, 5) == 1.0
    assert ndfu([1, 1, 1, 1, 5, 5], 1, 5) == 0.5
    assert ndfu([1, 2, 3, 4, 5], 1, 5) == 0.0


@pytest.mark.parametrize("ratings", [[], [3], [None, 3], [None, None]])
def test_fewer_than_two_ratings_say_nothing(ratings: Ratings) -> None:
    assert ndfu(ratings, 1, 5) is None
    assert krippendorff_alpha([ratings]) is None
    assert fleiss_kappa([ratings]) is None


@pytest.mark.parametrize("distance", sorted(DISTANCES))
def test_no_variation_is_undefined_and_not_perfect(distance: Any) -> None:
    assert krippendorff_alpha([[3, 3], [3, 3, None]], distance) is None
    assert fleiss_kappa([[3, 3], [3, 3]]) is None
    assert krippendorff_alpha([], distance) is None


def test_agreement_without_exception_is_one() -> None:
    assert krippendorff_alpha([[1, 1], [5, 5]]) == 1.0
    assert fleiss_kappa([[1, 1], [5, 5]]) == 1.0


@pytest.mark.parametrize("value", [0, 6, 2.5])
def test_a_histogram_takes_whole_numbers_on_its_scale(value: float) -> None:
    with pytest.raises(ValueError, match="no whole number from 1 to 5"):
        histogram([3, value], 1, 5)


ROWS: list[dict[str, Any]] = [
    {"id": "a", "ratings": [1, 1, 5, 5], "scale": [1, 5]},
    {"id": "b", "ratings": [3, 3, None, 3], "scale": [1, 5]},
    {"id": "c", "ratings": [4, None, None, None], "scale": [1, 5]},
]


def test_metrics_score_the_corpus_and_explain_rows() -> None:
    ratings = [row["ratings"] for row in ROWS]
    assert Ndfu().over(ROWS, Tools()).value == 0.5
    assert [Ndfu().score(row, Tools()).value for row in ROWS] == [1.0, 0.0, None]
    alpha = KrippendorffAlpha(distance="interval").over(ROWS, Tools())
    assert alpha.value == krippendorff_alpha(ratings, "interval")
    assert "2 of 3 rows, 4 ratings missing" in alpha.explanation
    assert FleissKappa().over(ROWS, Tools()).value == fleiss_kappa(ratings)
    assert "every rating is the same" in FleissKappa().over(ROWS[1:2], Tools()).explanation


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"scale": [1, 5]}, "no ratings"),
        ({"ratings": [1, 2]}, "no scale"),
        ({"ratings": [1, 2], "scale": [1, 5, 9]}, "no scale"),
        ({"ratings": [1, 2], "scale": [5, 1]}, "scale is empty"),
        ({"ratings": [1, 6], "scale": [1, 5]}, "off the scale"),
        ({"ratings": [1, "3"], "scale": [1, 5]}, "off the scale"),
        ({"ratings": [1, True], "scale": [1, 5]}, "off the scale"),
        ({"ratings": [1, float("nan")], "scale": [1, 5]}, "off the scale"),
        ({"ratings": [1, 2.5], "scale": [1, 5]}, "no whole number"),
    ],
)
def test_a_bad_row_is_refused(row: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Ndfu().score(row, Tools())
