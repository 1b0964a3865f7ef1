"""Pool and team: sides are kept, missing ones asked for, and what cannot be had is said."""

from __future__ import annotations

from typing import Any

import dspy
import pytest

from modules.personas import PersonaPool, TeamSelection, candidate
from signatures.errors import EvidenceError, ReplyError
from signatures.types import Persona, Pool
from tests.modules.fake import fake_lm


def draft(title: str, stance: str) -> dict[str, Any]:
    return {
        "title": title, "description": "Someone.", "claim": f"{title} says so.", "emoji": "🙂",
        "stance": stance, "values": [],
    }  # fmt: skip


def pool_of(answers: Any, *, pool: str = "both", goal: str = "refute") -> tuple[Pool, Any]:
    lm = fake_lm(answers)
    stage = PersonaPool(minimum=5, maximum=6, pool=pool, team_size=3)
    with dspy.context(lm=lm):
        found = stage(subject="P", goal=goal, background=[])
    return found, lm.engine.asked


def batches(*lists: list[dict[str, Any]]) -> Any:
    queue = list(lists)
    return lambda signature, inputs: {"personas": queue.pop(0) if queue else []}


AGAINST = [draft(f"A{n}", "against") for n in range(4)]
FOR = [draft(f"F{n}", "for") for n in range(2)]


def test_a_full_pool_is_asked_for_once() -> None:
    pool, asked = pool_of(batches(AGAINST + FOR))
    assert [p.id for p in pool.personas] == ["p1", "p2", "p3", "p4", "p5", "p6"]
    assert len(asked) == 1
    assert pool.notes == []


def test_a_one_sided_pool_is_repaired() -> None:
    pool, asked = pool_of(batches(AGAINST, FOR))
    assert {p.stance for p in pool.personas} == {"for", "against"}
    assert asked[1][1]["sides"] == "for"
    assert len(asked[1][1]["existing"]) == 4


def test_a_pool_that_stays_one_sided_is_said() -> None:
    pool, _ = pool_of(batches(AGAINST))
    assert any("one-sided" in note for note in pool.notes)
    assert any("4 personas of 5" in note for note in pool.notes)


def test_the_essays_side_is_asked_for_first() -> None:
    pool, asked = pool_of(batches([*FOR, *[draft(f"G{n}", "for") for n in range(3)]], AGAINST[:1]))
    assert (asked[1][1]["sides"], asked[1][1]["minimum"]) == ("against", 3)
    assert any("only 1 personas against" in note for note in pool.notes)


def test_no_voice_on_the_essays_side_is_a_refusal() -> None:
    with pytest.raises(EvidenceError, match="against"):
        pool_of(batches(FOR))


def test_one_sided_on_request_keeps_that_side_only() -> None:
    pool, asked = pool_of(batches([*AGAINST, *FOR], [draft("A9", "against")]), pool="one_sided")
    assert {p.stance for p in pool.personas} == {"against"}
    assert asked[0][1]["sides"] == "against"


def test_one_sided_repairs_keep_that_side_only() -> None:
    pool, _ = pool_of(
        batches(AGAINST, [draft("F9", "for"), draft("A9", "against")]), pool="one_sided"
    )
    assert {p.stance for p in pool.personas} == {"against"}
    assert len(pool.personas) == 5


def test_repairs_make_room_within_the_maximum() -> None:
    wrong = [draft(f"G{n}", "for") for n in range(6)]
    pool, _ = pool_of(batches(wrong, AGAINST[:3]))
    stances = [p.stance for p in pool.personas]
    assert len(stances) == 6
    assert stances.count("against") == 3


def test_support_turns_the_sides_around() -> None:
    pool, asked = pool_of(
        batches([draft(f"F{n}", "for") for n in range(5)]), pool="one_sided", goal="support"
    )
    assert asked[0][1]["sides"] == "for"
    assert len(pool.personas) == 5


def test_repeated_personas_are_dropped_and_the_maximum_kept() -> None:
    pool, _ = pool_of(
        batches([*AGAINST, *AGAINST, *FOR, *[draft(f"X{n}", "for") for n in range(9)]])
    )
    titles = [p.title for p in pool.personas]
    assert len(titles) == len(set(titles)) == 6


def test_no_personas_at_all_is_an_unusable_reply() -> None:
    with pytest.raises(ReplyError, match="no personas"):
        pool_of(batches())


def personas() -> Pool:
    rows = [("p1", "against"), ("p2", "for"), ("p3", "against"), ("p4", "against")]
    return Pool(
        personas=[
            Persona(id=i, title=i, description="d", claim=f"{i} claims", emoji="🙂", stance=s)  # type: ignore[arg-type]
            for i, s in rows
        ]
    )


def test_the_team_shares_the_essays_side() -> None:
    lm = fake_lm(
        lambda s, i: {"choices": [{"id": c["id"], "reason": "r"} for c in i["candidates"][:2]]}
    )
    with dspy.context(lm=lm):
        team = TeamSelection(team_size=2)(subject="P", goal="refute", pool=personas())
    assert [c["id"] for c in lm.engine.asked[0][1]["candidates"]] == ["p1", "p3", "p4"]
    assert [(p.id, p.selected, p.reason) for p in team] == [
        ("p1", True, "r"), ("p2", False, None), ("p3", True, "r"), ("p4", False, None),
    ]  # fmt: skip


@pytest.mark.parametrize("ids", [["p1"], ["p1", "p1"], ["p1", "p2"], ["p1", "p9"]])
def test_a_bad_choice_of_team_is_refused(ids: list[str]) -> None:
    lm = fake_lm(lambda s, i: {"choices": [{"id": c, "reason": "r"} for c in ids]})
    with dspy.context(lm=lm), pytest.raises(ReplyError):
        TeamSelection(team_size=2)(subject="P", goal="refute", pool=personas())


@pytest.mark.parametrize(
    ("values", "asked", "kept"),
    [
        (True, "any", ["Fairness", "thrift"]),
        (False, "none", []),
        (["fairness", "piety"], ["fairness", "piety"], ["fairness"]),
    ],
)
def test_values_are_asked_for_kept_to_and_carried_on(
    values: Any, asked: Any, kept: list[str]
) -> None:
    held = ["Fairness", "thrift", " Fairness "]
    drafts = [{**draft(f"A{n}", "against"), "values": held} for n in range(5)]
    lm = fake_lm(lambda s, i: {"personas": drafts})
    stage = PersonaPool(minimum=5, maximum=5, pool="one_sided", team_size=3, values=values)
    with dspy.context(lm=lm):
        pool = stage(subject="P", goal="refute", background=[])
    assert lm.engine.asked[0][1]["values"] == asked
    assert [p.values for p in pool.personas] == [kept] * 5
    assert candidate(pool.personas[0]).values == kept


def test_personas_without_the_values_asked_for_are_said() -> None:
    drafts = [{**draft(f"A{n}", "against"), "values": ["thrift"]} for n in range(5)]
    stage = PersonaPool(minimum=5, maximum=5, pool="one_sided", team_size=3, values=["piety"])
    with dspy.context(lm=fake_lm(lambda s, i: {"personas": drafts})):
        pool = stage(subject="P", goal="refute", background=[])
    assert pool.notes == ["5 of 5 personas hold none of the values asked for"]
