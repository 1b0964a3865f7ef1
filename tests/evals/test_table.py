"""The table: what is averaged, what is counted, what is compared."""

from __future__ import annotations

import pytest

from evals.contract import Metric
from evals.diversity import SelfBleu
from evals.judged import Quality
from evals.statistics import holm
from evals.table import Cost, Place, Value, comparisons, table, variances
from evals.table_text import markdown
from signatures.evaluation_results import EvaluationResult
from signatures.types import RunRecord, Usage

OURS, BASE = Place("ours", "m"), Place("base", "m")
METRICS: dict[str, Metric] = {"quality": Quality(), "self_bleu": SelfBleu()}


def values(place: Place, metric: str, *numbers: float | None, per: int = 1) -> list[Value]:
    return [
        Value(place, metric, f"p{i // per}", str(i % per), number)
        for i, number in enumerate(numbers)
    ]


def told(
    places: list[Place], metrics: dict[str, Metric], found: list[Value], notes: tuple[str, ...] = ()
) -> str:
    """The table of these values as text."""
    run = RunRecord(
        id="r", config_hash="c", models={}, corpus_version=None, dir="d", usage_total=Usage()
    )
    result = EvaluationResult(
        dataset="d", digest="0", items=1, replicates=1, stance="refute", reference="base",
        primary=next(iter(metrics)), table=table(places, metrics, found, []),
        comparisons=comparisons(places, metrics, found, reference="base"), failures=[],
        variances=variances(metrics, found), notes=list(notes), seconds=0, usage=Usage(), run=run,
    )  # fmt: skip
    return markdown(result)


def test_abstentions_and_failures_are_counted_and_never_averaged() -> None:
    found = [
        *values(OURS, "quality", 4.0, None, 2.0),
        Value(OURS, "quality", "p9", "", None, "the judge's replies stayed unusable"),
    ]
    row = table([OURS], {"quality": Quality()}, found, [], dataset="d")[0]
    assert (row.value, row.n_scored, row.n_abstained, row.n_failed) == (3.0, 2, 1, 1)
    assert row.ci is not None


def test_nothing_scored_is_null_not_zero() -> None:
    row = table([OURS], METRICS, values(OURS, "quality", None, None), [], dataset="d")[0]
    assert row.value is None and row.ci is None
    assert row.usd is None and row.tokens is None


def test_costs_are_means_per_text_and_an_unknown_price_is_not_guessed() -> None:
    costs = [Cost(OURS, 100, 2, 0.5, 1.0), Cost(OURS, 300, 4, 1.5, 3.0)]
    row = table([OURS], {"quality": Quality()}, [], costs, dataset="d")[0]
    assert (row.tokens, row.calls, row.usd, row.seconds, row.texts) == (200, 3, 1.0, 2.0, 2)
    row = table([OURS], METRICS, [], [*costs, Cost(OURS, 1, 1, None, 1.0)], dataset="d")[0]
    assert row.usd is None


def test_pairs_are_texts_that_both_have() -> None:
    found = [
        *values(OURS, "quality", 5.0, 4.0, None, 3.0),
        *values(BASE, "quality", 3.0, 3.0, 1.0),
    ]
    (one,) = comparisons([BASE, OURS], {"quality": Quality()}, found, reference="base")
    assert (one.a, one.b, one.n) == ("ours", "base", 2)
    assert one.delta == pytest.approx(1.5)


def test_a_clear_difference_is_called_by_its_direction() -> None:
    up = [*values(OURS, "quality", *[4.0 + i / 10 for i in range(8)]),
          *values(BASE, "quality", *[2.0 + i / 10 for i in range(8)])]  # fmt: skip
    down = [v._replace(metric="self_bleu") for v in up]
    text = told([BASE, OURS], METRICS, up + down)
    assert "| ours | quality | +2.00 [+2.00, +2.00] | 0.008 | 0.00 | 8 | better |" in text
    assert "| ours | self_bleu | +2.00 [+2.00, +2.00] | 0.008 | 0.00 | 8 | worse |" in text


def test_few_propositions_tell_nothing_apart() -> None:
    found = [*values(OURS, "quality", 4.0, 4.5), *values(BASE, "quality", 2.0, 2.5)]
    text = told([BASE, OURS], {"quality": Quality()}, found)
    assert "not distinguishable" in text
    assert "better" not in text.split("Differences")[1].split("Counts")[0]


def test_the_layout_is_the_papers() -> None:
    found = [*values(OURS, "quality", 4.0, 3.0), *values(OURS, "self_bleu", 20.0, None)]
    text = told([OURS], METRICS, found, ("a note",))
    assert "> a note" in text
    assert "| method | quality ↑ | self_bleu ↓ | texts | tokens | USD | s |" in text
    assert "20.00 [–] (1 abstained)" in text


def test_counts_are_always_told() -> None:
    text = told(
        [OURS], METRICS, [*values(OURS, "quality", 4.0, 3.0), *values(OURS, "self_bleu", 1)]
    )
    assert "| m ours | 2 / 0 / 0 | 1 / 0 / 0 |" in text


def test_cells_are_compared_where_one_thing_differs() -> None:
    places = [Place(m, b, d) for d in ("x", "y") for b in ("one", "two") for m in ("base", "ours")]
    found = [v for place in places for v in values(place, "quality", 1.0, 2.0)]
    made = comparisons(places, {"quality": Quality()}, found, reference="base")
    pairs = [(c.a, c.backend, c.dataset, c.b, c.b_backend) for c in made]
    assert pairs[:4] == [
        ("ours", "one", "x", "base", "one"),
        ("base", "two", "x", "base", "one"),
        ("ours", "two", "x", "base", "two"),
        ("ours", "two", "x", "ours", "one"),
    ]
    assert [p[2] for p in pairs] == ["x"] * 4 + ["y"] * 4


def test_p_is_corrected_over_all_comparisons_of_a_metric() -> None:
    # Differences 1..8 all above 0: p = 2 / 2**8. A method equal to the base: p = 1.
    others = [Place(name, "m") for name in ("a", "b", "same")]
    up = [float(n) for n in range(1, 9)]
    level = [0.0] * 8
    found = [
        v
        for place, numbers in zip([BASE, *others], (level, up, up, level), strict=True)
        for v in values(place, "quality", *numbers)
    ]
    a, b, same = comparisons([BASE, *others], {"quality": Quality()}, found, reference="base")
    assert (a.p, a.p_holm, b.p_holm) == pytest.approx((2 / 256, 6 / 256, 6 / 256))
    assert (same.p_holm, same.finding) == (1.0, "not distinguishable")
    assert a.finding == "better"


def test_holm_by_hand() -> None:
    # Sorted .01 .02 .03 .04 times 4 3 2 1, never falling: .04 .06 .06 .06
    assert holm([0.03, 0.01, None, 0.04, 0.02]) == pytest.approx([0.06, 0.04, None, 0.06, 0.06])


def test_variances_of_repeated_judgements() -> None:
    # Texts judged 1, 3 and 3, 5 by one system; 2, 4 and 4, 6 by the other.
    found = [
        Value(place, "quality", item, "1", (low + high) / 2, None, (low, high))
        for place, by in ((BASE, 0.0), (OURS, 1.0))
        for item, low, high in (("p", 1 + by, 3 + by), ("q", 3 + by, 5 + by))
    ]
    (one,) = variances({"quality": Quality()}, found)
    # Each pair of judgements has variance 2; the systems differ by 1, the items by 2, and their
    # interaction is 0: system (2 - 0) / 4, item (8 - 0) / 4.
    assert (one.judge, one.system, one.item, one.interaction) == (2.0, 0.5, 2.0, 0.0)
    assert one.noise == pytest.approx((2 / 4) ** 0.5)
    assert "± 1.39" in told([BASE, OURS], {"quality": Quality()}, found)
