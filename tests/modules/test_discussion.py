"""Discussions: turns, bans, silences, and what a bad reply costs."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import dspy
import pytest

from modules.discussion import Discuss
from signatures.moderation import Actor, Comment, Conditions, Discussion, DiscussionPlan
from tests.modules.fake import Answers, fake_lm

NOTHING = {"action": "silence", "text": "", "target": None, "ban_rounds": None}


def plan(*names: str, moderator: bool = True, **more: Any) -> DiscussionPlan:
    users = [Actor(name=n, attributes=["calm"], instructions=f"Be {n}.") for n in names]
    chair = Actor(name="mod", role="moderator", attributes=["fair"], instructions="Keep order.")
    settings = {"rounds": 3, "window": 4} | more
    return DiscussionPlan(
        id="d", context="A chat.", users=users, moderator=chair if moderator else None,
        conditions=Conditions(seed=7), **settings,
    )  # fmt: skip


def held(answers: Answers, one: DiscussionPlan) -> tuple[Discussion, list[tuple[str, Any]]]:
    lm = fake_lm(answers)
    with dspy.context(lm=lm):
        found = Discuss()(plan=one, passages=[])
    return found, lm.engine.asked


def talk(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
    if kind == "ModeratorTurn":
        return NOTHING
    return {"action": "comment", "text": f"{inputs['name']} {len(inputs['history'])}"}


def spoken(discussion: Discussion) -> list[tuple[str, str]]:
    return [(t.actor, t.action) for t in discussion.turns]


def test_the_moderator_may_act_after_every_user() -> None:
    discussion, asked = held(talk, plan("ann", "bob", rounds=2))
    line = [("ann", "comment"), ("mod", "silence"), ("bob", "comment"), ("mod", "silence")]
    assert spoken(discussion) == line * 2
    assert [t.round for t in discussion.turns] == [1] * 4 + [2] * 4
    assert [t.id for t in discussion.turns] == [f"t{n}" for n in range(1, 9)]
    assert (discussion.ended, len(asked)) == ("rounds", 8)


def test_prompts_have_the_five_parts_and_the_last_h_comments() -> None:
    _, asked = held(talk, plan("ann", "bob", window=2, rounds=2))
    _, last = asked[-2]
    parts = {k: last[k] for k in ("name", "role", "attributes", "context", "directions")}
    assert parts == {
        "name": "bob", "role": "user", "attributes": ["calm"], "context": "A chat.",
        "directions": "Be bob.",
    }  # fmt: skip
    assert last["history"] == [
        {"author": "bob", "text": "bob 1"}, {"author": "ann", "text": "ann 2"},
    ]  # fmt: skip


def test_without_a_moderator_nobody_moderates() -> None:
    discussion, asked = held(talk, plan("ann", "bob", "cid", moderator=False))
    assert {kind for kind, _ in asked} == {"UserTurn"}
    assert [t.actor for t in discussion.turns] == ["ann", "bob", "cid"] * 3


def test_seed_comments_come_first_and_are_seen() -> None:
    seeds = [Comment(author="ann", text="first"), Comment(author="guest", text="second")]
    discussion, asked = held(talk, plan("ann", "bob", seeds=seeds, rounds=1))
    assert [(t.action, t.round) for t in discussion.turns[:2]] == [("seed", 0)] * 2
    assert [c["author"] for c in asked[0][1]["history"]] == ["ann", "guest"]


@pytest.mark.parametrize(
    ("rounds", "barred"), [(None, [2, 3, 4]), (1, [2]), (2, [2, 3])], ids=["good", "one", "two"]
)
def test_a_banned_user_speaks_no_more_and_the_log_says_why(
    rounds: int | None, barred: list[int]
) -> None:
    def answers(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if kind == "ModeratorTurn" and inputs["history"][-1]["author"] == "ann":
            if len(inputs["history"]) == 1:
                return {"action": "ban", "text": "Enough.", "target": "@ANN", "ban_rounds": rounds}
            assert "ann" in inputs["users"]
        return talk(kind, inputs)

    discussion, asked = held(answers, plan("ann", "bob", "cid", rounds=4, window=99))
    own = [t for t in discussion.turns if t.actor == "ann"]
    assert [t.round for t in own if t.action == "barred"] == barred
    assert [t.round for t in own if t.action == "comment"] == [
        r for r in range(1, 5) if r not in barred
    ]
    (ban,) = discussion.bans
    assert (ban.user, ban.by, ban.turn, ban.reason) == ("ann", "mod", "t2", "Enough.")
    assert ban.until_round == (None if rounds is None else 1 + rounds)
    why = next(t for t in own if t.action == "barred").reason
    assert why is not None and "banned by mod in t2" in why
    asked_of_ann = [i for k, i in asked if k == "UserTurn" and i["name"] == "ann"]
    assert len(asked_of_ann) == 4 - len(barred)
    barred_users = [i["users"] for k, i in asked if k == "ModeratorTurn"][1]
    assert barred_users == ["bob", "cid"]


def test_a_discussion_ends_when_one_user_remains() -> None:
    def answers(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if kind == "UserTurn" and inputs["name"] == "ann" and inputs["history"]:
            return {"action": "leave", "text": ""}
        return talk(kind, inputs)

    discussion, _ = held(answers, plan("ann", "bob"))
    assert spoken(discussion)[-1] == ("ann", "leave")
    assert discussion.ended == "users_left"
    longer, _ = held(answers, plan("ann", "bob", "cid"))
    assert (longer.ended, Counter(t.actor for t in longer.turns)["ann"]) == ("rounds", 2)


@pytest.mark.parametrize("text", ["", "  ", "<No response>", "'<No response>'."])
def test_silence_is_no_comment(text: str) -> None:
    def answers(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if kind == "ModeratorTurn":
            return {**NOTHING, "action": "silence", "text": text}
        if inputs["name"] == "bob":
            return {"action": "silent", "text": text}
        return talk(kind, inputs)

    discussion, asked = held(answers, plan("ann", "bob", rounds=2))
    assert {t.action for t in discussion.turns if t.actor == "bob"} == {"silent"}
    assert all(c["author"] == "ann" for _, i in asked for c in i["history"])


@pytest.mark.parametrize(
    "bad",
    [
        {"action": "reply", "text": "", "target": None, "ban_rounds": None},
        {"action": "ban", "text": "Out!", "target": "nobody", "ban_rounds": None},
        {"action": "ban", "text": "Out!", "target": "ann", "ban_rounds": 0},
        {"action": "shout", "text": "Out!", "target": "ann", "ban_rounds": None},
    ],
)
def test_a_bad_reply_costs_one_turn(bad: dict[str, Any]) -> None:
    seen = Counter[str]()

    def answers(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
        seen[kind] += 1
        first = len(inputs["history"]) == 1
        return bad if kind == "ModeratorTurn" and first else talk(kind, inputs)

    discussion, _ = held(answers, plan("ann", "bob", rounds=2))
    failed = [t for t in discussion.turns if t.action == "failed"]
    assert [(t.actor, t.id, t.text) for t in failed] == [("mod", "t2", "")]
    assert failed[0].reason is not None and "no usable reply" in failed[0].reason
    assert (len(discussion.turns), seen["ModeratorTurn"]) == (8, 4 + 2)
    assert not discussion.bans


def test_an_engine_that_does_not_judge_keeps_silence() -> None:
    def answers(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
        return {**NOTHING, "action": None} if kind == "ModeratorTurn" else talk(kind, inputs)

    discussion, _ = held(answers, plan("ann", "bob", rounds=1))
    assert [t.reason for t in discussion.turns if t.actor == "mod"] == [
        "the engine does not judge"
    ] * 2


def test_weighted_turns_are_drawn_by_weight_and_seed() -> None:
    weighted = plan(
        "ann", "bob", "cid", order="weighted", weights=[8, 1, 1], rounds=40, moderator=False
    )
    discussion, _ = held(talk, weighted)
    again, _ = held(talk, weighted)
    names = [t.actor for t in discussion.turns]
    assert names == [t.actor for t in again.turns]
    assert len(names) == 120
    assert all(a != b for a, b in pairwise(names))
    drawn = Counter(names)
    assert drawn["ann"] > 1.3 * drawn["bob"]
    other = weighted.model_copy(update={"conditions": Conditions(seed=8)})
    assert names != [t.actor for t in held(talk, other)[0].turns]


def test_a_user_who_left_is_not_drawn_again() -> None:
    def answers(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
        return (
            {"action": "leave", "text": "Bye."} if inputs["name"] == "ann" else talk(kind, inputs)
        )

    one = plan("ann", "bob", "cid", order="weighted", rounds=20, moderator=False)
    discussion, _ = held(answers, one)
    assert Counter(t.actor for t in discussion.turns)["ann"] == 1
    assert discussion.ended == "rounds"
