"""Diversity metrics against values worked out by hand, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import dspy
import pytest
from nltk.tokenize import wordpunct_tokenize
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from evals.contract import Metric, Tools
from evals.diversity import OpinionDiversity, SelfBleu, SelfEmb
from modules.points import built_in
from modules.retrieval import MiniLM
from signatures.errors import InputError
from tests.evals.angles import Angles
from tests.modules.fake import fake_lm

ANGLES = Tools(Angles())


def _points(signature: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """A judge that finds a point in every word of a text, and abstains on question marks."""
    text = inputs["text"]["text"]
    return {"points": None if "?" in text else text.split() if text != "none" else []}


def _row(*outputs: Any) -> dict[str, Any]:
    return {"id": "r", "input": "P", "outputs": list(outputs)}


def test_opinion_diversity_is_s1s_formula() -> None:
    # A: 0 and 90 degrees, B: 60, C: 90 and 180. The nearest point elsewhere is
    # A: cos 60 (B), cos 0 (C); B: cos 30 (A or C); C: cos 0 (A), cos 90 (A).
    by_output = [(0.5 + 1.0) / 2, math.cos(math.radians(30)), (1.0 + 0.0) / 2]
    with dspy.context(lm=fake_lm(_points)):
        score = OpinionDiversity().score(_row("0 90", "60", "90 180"), ANGLES)
    assert score.value == pytest.approx(100 * sum(by_output) / 3, abs=1e-4)
    assert "5 points by the judge" in score.explanation


def test_a_repeated_point_counts_as_often_as_the_judge_lists_it_but_once_per_wording() -> None:
    with dspy.context(lm=fake_lm(_points)):
        once = OpinionDiversity().score(_row("0 0 90", "60"), ANGLES)
        plain = OpinionDiversity().score(_row("0 90", "60"), ANGLES)
    assert once.value == plain.value


def test_an_output_without_a_point_is_left_out_and_said() -> None:
    with dspy.context(lm=fake_lm(_points)):
        score = OpinionDiversity().score(_row("0", "60", "none"), ANGLES)
        alone = OpinionDiversity().score(_row("0", "none"), ANGLES)
        silent = OpinionDiversity().score(_row("0", "60", "?"), ANGLES)
    assert score.value == pytest.approx(50, abs=1e-4)
    assert "1 outputs without a point left out" in score.explanation
    assert (alone.value, silent.value) == (None, None)
    assert silent.explanation == "the judge abstained on output 3"


def test_the_built_in_extractor_takes_what_argues() -> None:
    text = (
        "# Fees\n\nFees pay for the guards who keep the collections safe from thieves [3]. "
        "Critics say that fees keep poor families away from the collections. "
        "Who would pay instead? Museums should be free of charge for all. "
        "Fees pay for guards who keep collections safe from thieves. "
        "A shared heritage needs steady money that no yearly budget can promise."
    )
    assert built_in(proposition="Museums should be free of charge", text=text) == [
        "Fees pay for the guards who keep the collections safe from thieves.",
        "A shared heritage needs steady money that no yearly budget can promise.",
    ]


def test_the_built_in_extractor_needs_no_lm_and_says_so() -> None:
    fees = "Fees pay for the guards who keep the collections safe from thieves."
    entry = "Free entry would crowd the galleries and would harm the fragile works."
    metric = OpinionDiversity(points="builtin")
    assert metric.program() is None
    score = metric.score(_row(fees, f"{fees} {entry}"), Tools(MiniLM()))
    near = SelfEmb().score(_row(fees, entry), Tools(MiniLM()))
    assert score.value is not None and near.value is not None
    # The shared point is found again in both; the other is as near as the two sentences are.
    assert score.value == pytest.approx((100 + (100 + near.value) / 2) / 2, abs=1e-4)
    assert "points by the built-in extractor" in score.explanation


def test_self_emb_is_the_mean_over_pairs() -> None:
    # 0-60: 0.5, 0-90: 0, 60-90: cos 30.
    score = SelfEmb().score(_row("0", "60", "90"), ANGLES)
    assert score.value == pytest.approx(100 * (0.5 + 0 + math.cos(math.radians(30))) / 3, abs=1e-4)
    assert SelfEmb().score(_row("0", "180"), ANGLES).value == 0


def test_self_bleu_is_nltks_over_pinned_tokens() -> None:
    texts = [
        "The museum's fees pay for its guards, and for heat.",
        "The museum's fees pay for heat, light and its guards.",
        "Free entry would crowd the galleries.",
    ]
    cut = [wordpunct_tokenize(text) for text in texts]
    assert cut[0] == [
        "The", "museum", "'", "s", "fees", "pay", "for", "its", "guards", ",", "and", "for",
        "heat", ".",
    ]  # fmt: skip
    smooth = SmoothingFunction().method1
    expected = [
        sentence_bleu(cut[:i] + cut[i + 1 :], cut[i], smoothing_function=smooth) for i in range(3)
    ]
    score = SelfBleu().score(_row(*texts), Tools())
    assert score.value == pytest.approx(100 * sum(expected) / 3, abs=1e-9)
    # By hand: a text of six tokens against its copy matches all its n-grams.
    assert SelfBleu().score(_row("a b c d e f", "a b c d e f"), Tools()).value == 100
    assert SelfBleu().score(_row("a b", "c d"), Tools()).value == 0


@pytest.mark.parametrize("metric", [SelfBleu(), SelfEmb(), OpinionDiversity(points="builtin")])
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"input": "P"}, "no outputs"),
        ({"input": "P", "outputs": "one text"}, "outputs is no list"),
        (_row("only one"), "too few outputs; expected at least 2; got 1"),
        (_row(), "too few outputs"),
        (_row("one", 3), "output 2 is not a text; got int"),
        (_row("one", None), "output 2 is not a text"),
        (_row("one", " \n"), "output 2 is blank"),
    ],
)
def test_bad_rows_are_named_and_never_scored(metric: Metric, row: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        metric.score(row, ANGLES)
