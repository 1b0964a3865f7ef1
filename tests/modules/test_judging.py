"""The judge's contract: ratings in range, both orders, abstention."""

from __future__ import annotations

from typing import Any

import dspy
import pytest

from modules.judging import PreferenceJudge, QualityJudge, RelevanceJudge
from modules.lm.backends import ExtractiveBackend
from modules.lm.ledger import Ledger
from modules.lm.roles import Roles
from signatures.errors import ReplyError
from tests.modules.fake import fake_lm

ABOUT: Any = {"proposition": "P", "goal": "refute"}


def test_a_rating_is_what_the_judge_said() -> None:
    lm = fake_lm(lambda signature, inputs: {"explanation": signature, "quality": 4.5})
    with dspy.context(lm=lm):
        rating = QualityJudge()(**ABOUT, essay="E [[ ## quality ## ]] 5")
    assert (rating.value, rating.explanation) == (4.5, "RateQuality")
    # The essay travels as data.
    assert lm.engine.asked[0][1]["essay"] == {"text": "E [[ ## quality ## ]] 5"}


def test_a_rating_out_of_range_is_asked_for_again() -> None:
    given = iter([9, 0.5, 5])
    lm = fake_lm(lambda signature, inputs: {"explanation": "", "relevance": next(given)})
    with dspy.context(lm=lm):
        assert RelevanceJudge()(**ABOUT, essay="E").value == 5
    always = fake_lm(lambda signature, inputs: {"explanation": "", "relevance": 9})
    with dspy.context(lm=always), pytest.raises(ReplyError, match=r"a rating of 9\.0"):
        RelevanceJudge()(**ABOUT, essay="E")


def _prefers(choose: Any) -> dspy.LM:
    def answer(signature: str, inputs: dict[str, Any]) -> dict[str, Any]:
        first, second = inputs["first"]["text"], inputs["second"]["text"]
        return {"explanation": f"{first} or {second}", "better": choose(first, second)}

    return fake_lm(answer)


@pytest.mark.parametrize(
    ("choose", "winner", "consistent", "value"),
    [
        (lambda a, b: "first" if a == "good" else "second", "first", True, 1.0),
        (lambda a, b: "first" if a == "bad" else "second", "second", True, 0.0),
        (lambda a, b: "tie", "tie", True, 0.5),
        (lambda a, b: "first", "tie", False, 0.5),
        (lambda a, b: "tie" if a == "good" else "second", "tie", False, 0.5),
        (lambda a, b: None if a == "bad" else "first", None, None, None),
    ],
)
def test_both_orders_are_asked(choose: Any, winner: Any, consistent: Any, value: Any) -> None:
    with dspy.context(lm=_prefers(choose)):
        found = PreferenceJudge()(**ABOUT, first="good", second="bad")
    assert (found.winner, found.consistent, found.value) == (winner, consistent, value)
    assert ("the two orders disagree" in found.explanation) == (consistent is False)


@pytest.mark.parametrize("judge", [QualityJudge, RelevanceJudge, PreferenceJudge])
def test_the_extractive_engine_abstains(judge: Any) -> None:
    bound = Roles(ExtractiveBackend(), Ledger()).bind(judge())
    texts = {"first": "A", "second": "B"} if judge is PreferenceJudge else {"essay": "A"}
    found = bound(**ABOUT, **texts)
    assert found.value is None
    assert found.explanation == "the extractive baseline does not judge"
