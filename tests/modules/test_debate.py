"""The planning debate: order, ends, references, what each side is shown."""

from __future__ import annotations

from typing import Any

import dspy
import pytest

from modules.debate import PlanningDebate, transcript
from modules.planning import Planner
from signatures.errors import ReplyError
from signatures.types import Debate, Passage, Persona
from tests.modules.fake import fake_lm


def persona(id: str, stance: Any, selected: bool) -> Persona:
    return Persona(
        id=id, title=id.upper(), description="d", claim=f"{id} claims", emoji="🙂",
        stance=stance, selected=selected,
    )  # fmt: skip


PERSONAS = [
    persona("p1", "against", True),
    persona("p2", "for", False),
    persona("p3", "against", True),
    persona("p4", "neutral", False),
]
EVIDENCE = {
    p.id: [
        Passage(id=f"c-{p.id}-{n}", text=f"text {p.id} {n}", source="s", title="t") for n in (1, 2)
    ]
    for p in PERSONAS
}


def reply(**changes: Any) -> dict[str, Any]:
    return {
        "text": "A turn.", "replies_to": None, "relation": "support", "evidence_used": [1],
        "satisfied": False, "persuaded": False, **changes,
    }  # fmt: skip


def debate(answers: Any, rounds: int = 2) -> tuple[Debate, Any]:
    lm = fake_lm(answers)
    stage = PlanningDebate(max_rounds=rounds, word_limit=50, k_critic=3)
    with dspy.context(lm=lm):
        found = stage(
            subject="P", goal="refute", personas=PERSONAS, evidence=EVIDENCE, background=[]
        )
    return found, lm.engine.asked


def test_the_team_speaks_in_order_and_the_critic_closes_each_round() -> None:
    found, _ = debate(lambda s, i: reply())
    assert [t.speaker for t in found.turns] == ["p1", "p3", "critic"] * 2
    assert [t.round for t in found.turns] == [1, 1, 1, 2, 2, 2]
    assert [t.id for t in found.turns] == [f"t{n}" for n in range(1, 7)]
    assert found.ended == "max_rounds"


def test_it_ends_when_all_agree_in_the_same_round() -> None:
    found, _ = debate(lambda s, i: reply(satisfied=True, persuaded=len(i["transcript"]) > 3), 5)
    assert found.ended == "agreed"
    assert len(found.turns) == 6


def test_an_engine_that_does_not_judge_runs_all_rounds() -> None:
    found, _ = debate(lambda s, i: reply(satisfied=None, persuaded=None), 3)
    assert (found.ended, len(found.turns)) == ("max_rounds", 9)


def test_references_that_point_nowhere_are_mended() -> None:
    found, _ = debate(lambda s, i: reply(replies_to="t99", evidence_used=[2, 7, 2]), 1)
    assert [t.replies_to for t in found.turns] == [None, "t1", "t2"]
    assert [t.relation for t in found.turns] == ["none", "support", "support"]
    assert found.turns[0].evidence == ["c-p1-2"]


def test_each_side_sees_its_own_evidence() -> None:
    _, asked = debate(lambda s, i: reply(), 1)
    by = dict(asked)
    assert [e["text"] for e in by["TeamTurn"]["evidence"]] == ["text p3 1", "text p3 2"]
    assert [e["text"] for e in by["CriticTurn"]["evidence"]] == ["text p2 1", "text p2 2"]
    assert [v["id"] for v in by["CriticTurn"]["opposing_voices"]] == ["p2"]


def test_every_turn_sees_all_before_it() -> None:
    _, asked = debate(lambda s, i: reply(), 2)
    assert [len(inputs["transcript"]) for _, inputs in asked] == list(range(6))


def test_an_empty_turn_is_refused() -> None:
    with pytest.raises(ReplyError):
        debate(lambda s, i: reply(text="  "))


def test_a_plan_keeps_its_bounds() -> None:
    found, _ = debate(lambda s, i: reply(), 1)
    points = [{"point": f"Point {n}", "subpoints": []} for n in range(7)]
    lm = fake_lm(lambda s, i: {"plan": {"acknowledgment": None, "points": points}})
    with dspy.context(lm=lm):
        plan = Planner(minimum_points=3, maximum_points=5)(
            subject="P", goal="refute", personas=PERSONAS, debate=found
        )
    assert len(plan.points) == 5
    assert lm.engine.asked[0][1]["transcript"][0]["speaker"] == "P1"
    assert transcript(found, PERSONAS)[-1].speaker == "Critic"


def test_a_plan_too_short_is_refused() -> None:
    found, _ = debate(lambda s, i: reply(), 1)
    lm = fake_lm(lambda s, i: {"plan": {"points": [{"point": "One", "subpoints": []}]}})
    with dspy.context(lm=lm), pytest.raises(ReplyError, match="1 main points"):
        Planner(minimum_points=3, maximum_points=5)(
            subject="P", goal="refute", personas=PERSONAS, debate=found
        )
