"""Annotators: windows, typed ratings, and what a bad reply costs."""

from __future__ import annotations

from typing import Any

import dspy
import pytest

from modules.annotation import Annotate
from signatures.moderation import (
    Annotation,
    Annotator,
    Conditions,
    Criterion,
    Discussion,
    DiscussionTurn,
)
from tests.modules.fake import Answers, fake_lm

CRITERIA = {
    "toxicity": Criterion(low=1, high=5, labels={1: "none", 5: "extreme"}),
    "quality": Criterion(low=0, high=10),
}


def discussion(*texts: str) -> Discussion:
    turns = [
        DiscussionTurn(
            id=f"t{n}", round=1, actor="ann", role="user", action="comment" if text else "silent",
            text=text,
        )
        for n, text in enumerate(texts, start=1)
    ]  # fmt: skip
    return Discussion(
        id="d", context="c", actors=[], turns=turns, ended="rounds", conditions=Conditions()
    )


def rated(answers: Answers, *texts: str, window: int = 4) -> tuple[list[Annotation], list[Any]]:
    lm = fake_lm(answers)
    one = Annotator(name="x", attributes=["old"], instructions="Rate.", window=window)
    with dspy.context(lm=lm):
        found = Annotate(criteria=CRITERIA)(discussion=discussion(*texts), annotator=one)
    return found, [inputs for _, inputs in lm.engine.asked]


def giving(toxicity: Any, quality: Any) -> Answers:
    ratings = [
        {"criterion": "Quality", "rating": quality}, {"criterion": "toxicity", "rating": toxicity},
    ]  # fmt: skip
    return lambda kind, inputs: {"ratings": ratings}


def test_every_comment_is_rated_on_every_criterion() -> None:
    found, asked = rated(giving(2, 7), "one", "", "one")
    assert [(a.turn_id, a.criterion, a.value) for a in found] == [
        ("t1", "quality", 7), ("t1", "toxicity", 2), ("t3", "quality", 7), ("t3", "toxicity", 2),
    ]  # fmt: skip
    assert len(asked) == 2
    assert asked[0]["criteria"][1]["labels"] == {"1": "none", "5": "extreme"}


def test_the_window_includes_the_comment_that_is_rated() -> None:
    _, asked = rated(giving(1, 1), "a", "b", "c", "d", window=3)
    assert [[c["text"] for c in i["history"]] for i in asked] == [[], ["a"], ["a", "b"], ["b", "c"]]
    assert [i["comment"]["text"] for i in asked] == ["a", "b", "c", "d"]
    _, alone = rated(giving(1, 1), "a", "b", window=1)
    assert all(i["history"] == [] for i in alone)


@pytest.mark.parametrize("bad", [0, 6, -1, "high", 2.5, "I will not rate this"])
def test_a_bad_rating_is_asked_for_once_more_and_never_guessed(bad: Any) -> None:
    found, asked = rated(giving(bad, 7), "one")
    toxicity = next(a for a in found if a.criterion == "toxicity")
    assert (toxicity.value, toxicity.outcome) == (None, "failed")
    assert toxicity.reason is not None and "no usable reply in 2 attempts" in toxicity.reason
    assert len(asked) == 2


def test_what_is_good_of_a_reply_is_kept() -> None:
    found, _ = rated(giving(9, 7), "one")
    assert {a.criterion: (a.value, a.outcome) for a in found} == {
        "quality": (7, "rated"), "toxicity": (None, "failed"),
    }  # fmt: skip


def test_a_second_reply_can_mend_the_first() -> None:
    replies = iter([giving(9, 7), giving(5, 7)])
    found, asked = rated(lambda kind, inputs: next(replies)(kind, inputs), "one")
    assert [a.value for a in found] == [7, 5]
    assert len(asked) == 2


def test_null_is_an_abstention_and_a_missing_criterion_a_failure() -> None:
    found, asked = rated(giving(None, 7), "one")
    assert [(a.value, a.outcome) for a in found] == [(7, "rated"), (None, "abstained")]
    assert len(asked) == 1
    only: Answers = lambda kind, inputs: {"ratings": [{"criterion": "quality", "rating": 3}]}  # noqa: E731 - one line says it
    found, _ = rated(only, "one")
    assert [(a.value, a.outcome) for a in found] == [(3, "rated"), (None, "failed")]


def test_true_is_no_rating() -> None:
    found, asked = rated(giving(True, 7), "one")
    assert {a.outcome for a in found} == {"failed"}  # the reply as a whole cannot be read
    assert len(asked) == 2
