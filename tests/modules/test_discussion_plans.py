"""The thesis' files, grids, and what is refused before anything runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modules.discussion_files import Policy, annotators, discussion_plans, post_in
from modules.discussion_grid import DiscussionSettings, Person, grid
from modules.discussion_settings import Reading, is_path
from signatures.errors import ConfigError, InputError
from tests.support import DATA

POLICY = Policy(name="standard", users="Write.", moderator="Watch.")
GOOD: dict[str, Any] = {
    "context": "You see this post: 'Cats rule.'", "user_names": ["ann", "bob"],
    "user_attributes": [["calm"], ["rude"]], "user_instructions": "Be brief.", "conv_len": 3,
    "history_ctx_len": 4, "moderator_name": "mod", "moderator_attributes": ["just"],
    "moderator_instructions": "Watch out.",
}  # fmt: skip
NO_MOD = {"moderator_name": None, "moderator_attributes": None, "moderator_instructions": None}


def written(folder: Path, **more: Any) -> Path:
    path = folder / "one.json"
    path.write_text(json.dumps(GOOD | more), encoding="utf-8")
    return path


def test_a_file_becomes_a_plan(tmp_path: Path) -> None:
    (plan,) = discussion_plans(written(tmp_path), POLICY, [5])
    assert (plan.id, plan.rounds, plan.window, plan.order) == ("one", 3, 4, "round_robin")
    assert [(u.name, u.attributes, u.instructions) for u in plan.users] == [
        ("ann", ["calm"], "Be brief."), ("bob", ["rude"], "Be brief."),
    ]  # fmt: skip
    assert plan.moderator is not None and plan.moderator.instructions == "Watch out."
    assert (plan.conditions.topic, plan.conditions.seed) == ("Cats rule.", 5)


def test_users_can_differ_in_instructions_or_have_the_policys(tmp_path: Path) -> None:
    each = written(tmp_path, user_instructions=["One.", "Two."])
    assert [u.instructions for u in discussion_plans(each, POLICY, [0])[0].users] == [
        "One.",
        "Two.",
    ]
    absent = written(tmp_path, user_instructions=None)
    assert discussion_plans(absent, POLICY, [0])[0].users[0].instructions == "Write."


def test_every_seed_is_a_discussion_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert [p.id for p in discussion_plans(path, POLICY, [0, 1])] == ["one#0", "one#1"]
    assert [
        p.conditions.seed for p in discussion_plans(written(tmp_path, seed=9), POLICY, [0, 1])
    ] == [9]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            NO_MOD | {"user_names": ["ann"], "user_attributes": [["calm"]]},
            "one user and no moderator",
        ),
        ({"user_names": []}, "user_names"),
        ({"user_attributes": [["calm"]]}, "2 user_names but 1 user_attributes"),
        ({"user_weights": [1.0]}, "2 user_names but 1 user_weights"),
        ({"user_instructions": ["One."]}, "2 user_names but 1 user_instructions"),
        ({"user_names": ["ann", "Ann"]}, "names must be different"),
        ({"user_names": ["ann", "mod"]}, "names must be different"),
        ({"conv_len": 0}, "conv_len"),
        ({"history_ctx_len": 0}, "history_ctx_len"),
        ({"user_weights": [1.0, 0.0]}, "greater than 0"),
        ({"turn_order": "random"}, "turn_order"),
        ({"temperature": 1}, "unknown key temperature"),
        ({"context": ""}, "context"),
        ({"moderator_name": None}, "no moderator_name"),
    ],
)
def test_a_file_that_cannot_be_held_is_refused_in_one_line(
    tmp_path: Path, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        discussion_plans(written(tmp_path, **more), POLICY, [0])
    line = caught.value.line()
    assert said in line and "one.json" in line
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["{", "[]", "\xff\xfe"])
def test_what_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"one\.json"):
        discussion_plans(path, POLICY, [0])


def test_a_window_longer_than_the_context_is_refused() -> None:
    reading = Reading(context_tokens=2048, comment_words=200)
    reading.check("d, ann", "word " * 200, 4)
    with pytest.raises(ConfigError, match="at most 4 comments of 200 words in 2048 tokens; got 5"):
        reading.check("d, ann", "word " * 200, 5)


SETTINGS = DiscussionSettings(
    context='A post: "{topic}"', rounds=2, window=3, order="round_robin", weights=None,
    seed_comments=[],
)  # fmt: skip
PEOPLE = {
    "two": [Person(name="ann", attributes=["calm"]), Person(name="bob", attributes=["rude"])],
    "other": [Person(name="cid", attributes=[]), Person(name="dot", attributes=["old"])],
}
MODERATOR = Person(name="mod", attributes=["just"])


def test_a_grid_holds_every_combination_once() -> None:
    policies = {"standard": POLICY, "game": Policy(name="game", users="Win.", moderator="Win too.")}
    plans = grid(
        ["Cats?", "Dogs?", "Cats!"], PEOPLE, policies, MODERATOR, [True, False], [0, 1], SETTINGS
    )
    assert len(plans) == len({p.id for p in plans}) == 3 * 2 * 2 * 2 * 2
    pairs: dict[str, list[bool | None]] = {}
    for plan in plans:
        pairs.setdefault(plan.conditions.pair, []).append(plan.conditions.moderated)
    assert all(sides == [True, False] for sides in pairs.values())
    assert {p.conditions.policy for p in plans} == {"standard", "game"}
    assert {p.context for p in plans} == {f'A post: "{t}"' for t in ("Cats?", "Dogs?", "Cats!")}
    assert [p.moderator is None for p in plans] == [not p.conditions.moderated for p in plans]


def test_a_background_that_holds_no_discussion_is_named() -> None:
    alone = {"alone": [Person(name="ann", attributes=[])]}
    with pytest.raises(ConfigError, match="background alone"):
        grid(["Cats?"], alone, {"standard": POLICY}, MODERATOR, [False], [0], SETTINGS)
    assert len(grid(["Cats?"], alone, {"s": POLICY}, MODERATOR, [True], [0], SETTINGS)) == 1


@pytest.mark.parametrize(
    ("context", "post"),
    [
        ("You see a post:'Cats aren't dogs.' Speak up.", "Cats aren't dogs."),
        ('Its users discuss this post: "Free museums"', "Free museums"),
        ("Talk about cats.", "Talk about cats."),
    ],
)
def test_the_post_is_found_in_the_context(context: str, post: str) -> None:
    assert post_in(context) == post


def test_a_topic_is_no_path_and_a_wrong_path_no_topic(tmp_path: Path) -> None:
    assert is_path(str(tmp_path))
    assert not is_path("Should museums be free?")
    assert not is_path("Yes/no questions are useless")
    for wrong in ("configs/absent", "absent.json"):
        with pytest.raises(InputError, match="does not exist"):
            is_path(wrong)


def test_annotators_are_named_after_their_files(tmp_path: Path) -> None:
    content = {"attributes": ["calm"], "instructions": "\nRate.", "history_ctx_len": 4}
    (tmp_path / "one.json").write_text(json.dumps(content), encoding="utf-8")
    (found,) = annotators(tmp_path)
    assert (found.name, found.attributes, found.instructions, found.window) == (
        "one", ["calm"], "Rate.", 4,
    )  # fmt: skip
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="one twice"):
        annotators(tmp_path)


@pytest.mark.data
def test_the_thesis_files_are_read_as_they_are() -> None:
    folder = DATA / "moderation"
    if not folder.exists():
        pytest.skip("the data beside the checkout is absent")
    plans = discussion_plans(folder / "discussion_configs", POLICY, [0])
    assert len(plans) == len({p.id for p in plans}) == 28
    assert sum(p.moderator is not None for p in plans) == 14
    assert len({p.conditions.pair for p in plans}) == 14
    assert len(annotators(folder / "annotator_configs")) == 8
