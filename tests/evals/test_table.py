"""The table: what is averaged, what is counted, what is compared."""

from __future__ import annotations

import pytest

from evals.diversity import SelfBleu
from evals.judged import Quality
from evals.table import Cost, Place, Value, comparisons, markdown, table

OURS, BASE = Place("ours", "m"), Place("base", "m")
METRICS = {"quality": Quality(), "self_bleu": SelfBleu()}


def values(place: Place, metric: str, *numbers: float | None, per: int = 1) -> list[Value]:
    return [
        Value(place, metric, f"p{i // per}", str(i % per), number)
        for i, number in enumerate(numbers)
    ]


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
    (told,) = comparisons([BASE, OURS], {"quality": Quality()}, found, reference="base")
    assert (told.a, told.b, told.n) == ("ours", "base", 2)
    assert told.delta == pytest.approx(1.5)


def test_a_clear_difference_is_called_by_its_direction() -> None:
    up = [*values(OURS, "quality", *[4.0 + i / 10 for i in range(8)]),
          *values(BASE, "quality", *[2.0 + i / 10 for i in range(8)])]  # fmt: skip
    down = [v._replace(metric="self_bleu") for v in up]
    told = comparisons([BASE, OURS], METRICS, up + down, reference="base")
    text = markdown("t", table([BASE, OURS], METRICS, up + down, [], dataset="d"), told, [])
    assert "| ours | quality | +2.00 [+2.00, +2.00] | 0.008 | 8 | better |" in text
    assert "| ours | self_bleu | +2.00 [+2.00, +2.00] | 0.008 | 8 | worse |" in text


def test_few_propositions_tell_nothing_apart() -> None:
    found = [*values(OURS, "quality", 4.0, 4.5), *values(BASE, "quality", 2.0, 2.5)]
    told = comparisons([BASE, OURS], {"quality": Quality()}, found, reference="base")
    text = markdown("t", table([BASE, OURS], METRICS, found, [], dataset="d"), told, [])
    assert "not distinguishable" in text
    assert "better" not in text.split("Differences")[1].split("Values")[0]


def test_the_layout_is_the_papers() -> None:
    found = [*values(OURS, "quality", 4.0, 3.0), *values(OURS, "self_bleu", 20.0, None)]
    text = markdown("t", table([OURS], METRICS, found, [], dataset="d"), [], ["a note"])
    assert "> a note" in text
    assert "| method | quality ↑ | self_bleu ↓ | texts | tokens | USD | s |" in text
    assert "20.00 (1 abstained)" in text
