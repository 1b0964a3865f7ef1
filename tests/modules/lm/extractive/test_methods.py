"""The answers to the methods that S1 compares itself with: what each method means shows in them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from modules.lm.extractive import answer
from modules.lm.extractive.discourse import BECAUSE
from modules.lm.extractive.themes import ranked
from modules.lm.extractive.values import held
from modules.lm.extractive.words import stems
from signatures.errors import EvidenceError
from tests.modules.lm.extractive.conftest import PASSAGES

MARKER = re.compile(r"\[(\d+)\]")
TEXT = " ".join(text for _, text in PASSAGES)


@pytest.mark.parametrize("signature", ["WriteArgument", "WriteOutright"])
def test_essays_are_long_enough_cited_and_clean(each: Any, signature: str) -> None:
    essay = each.essays[signature]
    numbers = [int(n) for n in MARKER.findall(essay)]
    assert 200 <= len(essay.split()) <= 560
    assert len(set(numbers)) >= 3
    assert set(numbers) <= set(range(1, 9))
    assert not re.search(r"\.\.|\s,|,,| {2}|\{|\}", essay)
    for paragraph in essay.split("\n\n"):
        assert paragraph[0].isupper()
        assert paragraph.endswith(".")


@pytest.mark.parametrize("signature", ["WriteArgument", "WriteOutright"])
def test_most_citations_are_on_the_side_of_the_essay(each: Any, signature: str) -> None:
    numbers = [int(n) for n in MARKER.findall(each.essays[signature])]
    mine = [n for n in numbers if (n > 4) == (each.goal == "refute")]
    assert len(mine) >= 0.7 * len(numbers)


def test_the_essays_of_the_methods_differ(each: Any) -> None:
    assert len(set(each.essays.values())) == 3


def test_an_essay_without_a_plan_announces_nothing_and_concedes_nothing(each: Any) -> None:
    opening = each.essays["WriteOutright"].split("\n\n")[0]
    assert not re.search(r"turns on|rests above all|considerations about|in turn at", opening)
    assert "conce" not in each.essays["WriteOutright"].split("\n\n")[-1]


@pytest.mark.parametrize("signature", ["OutlineEssay", "OutlineFromPersonas"])
def test_outlines_hold_sentences_of_the_passages(each: Any, signature: str) -> None:
    plan = each.outputs[signature][0]["plan"]
    assert 3 <= len(plan["points"]) <= 5
    assert all(p["point"].rstrip(".") in TEXT for p in plan["points"])
    assert plan["acknowledgment"].rstrip(".") in TEXT


def test_the_outline_of_personas_keeps_their_claims(each: Any) -> None:
    claims = {p["claim"] for p in each.team}
    points = {p["point"] for p in each.outputs["OutlineFromPersonas"][0]["plan"]["points"]}
    assert len(claims & points) >= 2


def test_the_planner_answers_the_critic(each: Any) -> None:
    first, second = each.outputs["PlannerTurn"]
    assert (first["replies_to"], first["relation"]) == (None, "none")
    assert (second["replies_to"], second["relation"]) == ("t2", "oppose")
    assert first["text"] != second["text"]


def test_a_claim_takes_a_position_on_a_ground(each: Any) -> None:
    claim = each.outputs["StateClaim"][0]["claim"]
    position, ground = claim.split(BECAUSE)
    assert ("should not" in position) == (each.goal == "refute")
    assert ground.rstrip(".")[1:] in TEXT
    opening = each.essays["WriteArgument"].split("\n\n")[0]
    assert ground.rstrip(".") in opening


def test_reasons_restate_neither_the_claim_nor_one_another(each: Any) -> None:
    ground = each.outputs["StateClaim"][0]["claim"].split(BECAUSE)[-1]
    reasons = [r["reason"] for r in each.outputs["GiveReasons"][0]["reasons"]]
    assert 3 <= len(reasons) == len(set(reasons)) <= 5
    assert all(ground.rstrip(".")[1:] not in r for r in reasons)


def test_feedback_is_taken_up(each: Any) -> None:
    feedback = each.outputs["ReviewComponent"][0]["feedback"]
    missing = re.search("\u201c(.+)\u201d", feedback)
    assert missing is not None
    before, after = (str(output["reasons"]) for output in each.outputs["GiveReasons"])
    assert missing[1] not in before
    assert missing[1] in after


def test_other_components_are_not_faulted(each: Any) -> None:
    inputs = {**each.inputs["ReviewComponent"][0], "component": "essay"}
    assert answer("ReviewComponent", inputs, 0) == {"adequate": None, "feedback": None}


def test_the_concession_is_the_other_sides_and_its_answer_ones_own(each: Any) -> None:
    concession = each.outputs["MakeConcession"][0]["concession"]
    sides = {"for": str(PASSAGES[:4]), "against": str(PASSAGES[4:])}
    own = "against" if each.goal == "refute" else "for"
    other = "for" if own == "against" else "against"
    assert concession["objection"] in sides[other]
    assert concession["answer"] in sides[own]


@pytest.mark.parametrize("signature", ["OutlineEssay", "StateClaim", "WriteOutright"])
def test_no_usable_evidence_is_a_refusal(each: Any, signature: str) -> None:
    poor = [{"number": 1, "title": "T", "text": "Fees?"}]
    with pytest.raises(EvidenceError, match="moot ingest"):
        answer(signature, {**each.inputs[signature][0], "evidence": poor}, 0)


def test_values_are_the_claims_own() -> None:
    words = stems("Free admission wastes public money on visitors who could easily pay a fee.")
    themes = ranked(words)
    assert held(words, themes, "none") == []
    assert 1 <= len(held(words, themes, "any")) <= 3
    assert held(words, themes, ["piety", "prudence", "mobility"]) == ["prudence"]
    assert held(words, themes, ["piety"]) == []
