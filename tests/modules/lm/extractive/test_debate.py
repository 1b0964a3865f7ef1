"""TeamTurn, CriticTurn and MakePlan: a debate out of passages."""

from __future__ import annotations

from typing import Any

import pytest

from modules.lm.extractive import answer
from modules.text import sentences
from signatures.errors import EvidenceError

PERSONA = {
    "id": "p1",
    "title": "Museum director",
    "description": "A museum director.",
    "claim": "Entrance fees give museum directors a reliable income and protect their "
    "independence.",
}


def turn(background: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    inputs = {
        "proposition": "We should make all museums free of charge",
        "goal": "refute",
        "persona": PERSONA,
        "transcript": [],
        "evidence": background,
        "word_limit": 80,
    }
    return answer("TeamTurn", {**inputs, **changes}, 0)


def test_the_opening_turn_states_the_claim(background: list[dict[str, Any]]) -> None:
    opening = turn(background)
    assert PERSONA["claim"] in opening["text"]
    assert opening["replies_to"] is None
    assert opening["relation"] == "none"
    assert 5 in opening["evidence_used"]


@pytest.mark.parametrize(("speaker", "relation"), [("Critic", "oppose"), ("Nurse", "support")])
def test_later_turns_answer_the_last_one(
    background: list[dict[str, Any]], speaker: str, relation: str
) -> None:
    text = "Entrance fees keep poor families away and waste a public treasure."
    said = turn(background, transcript=[{"id": "t1", "speaker": speaker, "text": text}])
    assert (said["replies_to"], said["relation"]) == ("t1", relation)


@pytest.mark.parametrize("limit", [1, 5, 15, 30, 60, 200])
def test_the_word_limit_holds(background: list[dict[str, Any]], limit: int) -> None:
    for lines in ([], [{"id": "t1", "speaker": "Critic", "text": "Fees keep families away."}]):
        text = turn(background, word_limit=limit, transcript=lines)["text"]
        assert 0 < len(text.split()) <= limit


def test_a_spent_speaker_says_so(background: list[dict[str, Any]]) -> None:
    everything = " ".join(p["text"] for p in background)
    lines = [{"id": "t1", "speaker": PERSONA["title"], "text": everything}]
    said = turn(background, transcript=[*lines, {"id": "t2", "speaker": "Critic", "text": "No."}])
    assert said["text"].startswith("I have nothing")
    assert said["evidence_used"] == []


def test_no_turn_repeats_a_sentence_of_its_own_speaker(each: Any) -> None:
    for speaker in {line["speaker"] for line in each.transcript}:
        said = [s for t in each.transcript if t["speaker"] == speaker for s in sentences(t["text"])]
        assert len(said) == len(set(said))


def test_only_given_passages_are_used(each: Any) -> None:
    for signature in ("TeamTurn", "CriticTurn"):
        for inputs, output in zip(each.inputs[signature], each.outputs[signature], strict=True):
            given = {p["number"] for p in inputs["evidence"]}
            assert set(output["evidence_used"]) <= given


def test_the_critic_answers_the_team(each: Any) -> None:
    team = {line["id"] for line in each.transcript if line["speaker"] != "Critic"}
    for output in each.outputs["CriticTurn"]:
        assert output["replies_to"] in team
        assert output["relation"] == "oppose"


def test_the_plan_keeps_to_its_bounds_and_repeats_nothing(each: Any) -> None:
    points = each.plan["points"]
    assert 3 <= len(points) <= 5
    said = [p["point"] for p in points] + [s for p in points for s in p["subpoints"]]
    assert len(said) == len(set(said))
    assert all(len(p["subpoints"]) <= 3 for p in points)


def test_the_acknowledgment_is_the_critics(each: Any) -> None:
    critic = " ".join(t["text"] for t in each.transcript if t["speaker"] == "Critic").lower()
    assert each.plan["acknowledgment"].rstrip(".").lower() in critic


def test_an_empty_debate_cannot_be_planned() -> None:
    inputs = {
        "proposition": "P",
        "goal": "refute",
        "team": [],
        "transcript": [],
        "minimum_points": 3,
        "maximum_points": 5,
    }
    with pytest.raises(EvidenceError, match="too few for a plan"):
        answer("MakePlan", inputs, 0)
