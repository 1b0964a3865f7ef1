"""Whether texts take the side asked for: correlations, their intervals, what is undefined."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from evals.steering import correlation, word_polarity
from modules.lm.extractive.short_answers import answer_shortly

CLAIMS = [f"c{at // 2}" for at in range(40)]
SIDES = [1, -1] * 20


def test_the_correlation_is_pearsons() -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(size=40)
    polarities = [side + n for side, n in zip(SIDES, noise, strict=True)]
    found = correlation(SIDES, polarities, CLAIMS, resamples=500)
    assert found.r == pytest.approx(100 * stats.pearsonr(SIDES, polarities).statistic)
    assert found.ci is not None and found.r is not None and found.p is not None
    assert 0 < found.ci[0] < found.r < found.ci[1]
    assert found.p < 0.01
    by_chance = correlation(SIDES, noise.tolist(), CLAIMS, resamples=500)
    assert by_chance.p is not None and by_chance.p > 0.05


def test_what_does_not_vary_has_no_correlation() -> None:
    assert correlation([1, 1], [0.1, 0.2], ["a", "b"]) == (None, None, None)
    assert correlation([1, -1], [0.1, 0.1], ["a", "b"]).r is None
    one_claim = correlation([1, -1], [0.5, -0.5], ["a", "a"], resamples=100)
    assert one_claim.r == pytest.approx(100) and one_claim.ci is None and one_claim.p == 1.0


def test_polarity_is_textblobs() -> None:
    assert word_polarity("A wonderful idea.") > 0 > word_polarity("A terrible idea.")
    assert word_polarity("It is there.") == 0


@pytest.mark.parametrize(
    ("question", "passage", "answer"),
    [
        ("How old must one be in Nebraska?", "In Nebraska one must be 19.", "19"),
        ("Who sang it?", "It was sung by Ada Lovelace.", "Ada Lovelace"),
        ("Who sang it?", "nobody knows.", None),
    ],
)
def test_a_short_answer_is_a_name_or_number(
    question: str, passage: str, answer: str | None
) -> None:
    inputs = {"question": question, "knowledge": [{"number": 1, "title": "", "text": passage}]}
    assert answer_shortly(inputs, random.Random(0))["answer"] == answer
