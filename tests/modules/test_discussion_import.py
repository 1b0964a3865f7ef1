"""Logs and tables of discussions: every row is taken, or refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modules.discussion_import import Imported, imported
from modules.discussion_logs import annotator_of, read
from signatures.errors import InputError
from signatures.moderation import Criterion
from tests.support import DATA

SCALES = {"toxicity": Criterion(low=1, high=5)}
LOGS = DATA / "moderation"


def discussion_log(**more: Any) -> dict[str, Any]:
    prompt = "Model: M. Prompt: You are {} a {} user. You see this post:'Cats rule.' Be brief.."
    return {
        "id": "c1", "timestamp": "24-07-10-10-24", "users": ["ann", "bob"],
        "user_types": ["LlmActor", "LlmActor"], "moderator": "mod", "moderator_type": "LlmActor",
        "user_prompts": [prompt.format("ann", "calm,kind"), prompt.format("bob", "a rude")],
        "moderator_prompt": prompt.format("mod", "just"), "ctx_length": 4,
        "logs": [["ann", "Hm."], ["mod", ""], ["bob", "Hm."], ["mod", "<No response>"],
                 ["ann", ""]],
    } | more  # fmt: skip


def annotation_log(*replies: str, texts: list[str] | None = None, **more: Any) -> dict[str, Any]:
    texts = texts or ["Hm.", "", "Hm.", "<No response>", ""]
    prompt = "Model: M. Prompt: You are  a expert, calm, kind expert annotator.  \nRate"
    return {
        "conv_id": "c1", "timestamp": "24-07-22-11-52", "annotator_type": "LLMAnnotator",
        "annotator_prompt": prompt,
        "ctx_length": 4, "logs": [list(pair) for pair in zip(texts, replies, strict=True)],
    } | more  # fmt: skip


def written(folder: Path, **files: Any) -> Imported:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return imported(folder, SCALES)


def test_a_thesis_log_becomes_a_discussion(tmp_path: Path) -> None:
    found = written(tmp_path, policy_no_mod__d_dot_json=discussion_log())
    (one,) = found.discussions.values()
    assert [(t.id, t.action, t.round, t.text) for t in one.turns] == [
        ("t1", "comment", 1, "Hm."), ("t2", "silence", 1, ""), ("t3", "comment", 1, "Hm."),
        ("t4", "silence", 1, ""), ("t5", "leave", 2, ""),
    ]  # fmt: skip
    assert [(a.name, a.role, a.attributes) for a in one.actors] == [
        ("ann", "user", ["calm", "kind"]), ("bob", "user", ["rude"]),
        ("mod", "moderator", ["just"]),
    ]  # fmt: skip
    c = one.conditions
    assert (c.topic, c.policy, c.moderated) == ("Cats rule.", "policy", True)


def test_discussions_that_differ_in_moderation_alone_are_a_pair(tmp_path: Path) -> None:
    without = discussion_log(id="c2", moderator=None, moderator_type=None, moderator_prompt=None)
    found = written(tmp_path, p__a_dot_json=discussion_log(), p_no_mod__b_dot_json=without)
    pairs = [d.conditions.pair for d in found.discussions.values()]
    assert pairs[0] == pairs[1]
    assert [d.conditions.moderated for d in found.discussions.values()] == [True, False]


def test_ratings_find_their_turn_by_place_though_texts_repeat(tmp_path: Path) -> None:
    replies = ["Toxicity=1", "Toxicity=2", "Toxicity=5", "toxicity = 3", "Toxicity=?"]
    found = written(tmp_path, d_dot_json=discussion_log(), a_dot_json=annotation_log(*replies))
    assert [(a.turn_id, a.value) for a in found.annotations] == [
        ("t1", 1), ("t2", 2), ("t3", 5), ("t4", 3), ("t5", None),
    ]  # fmt: skip
    assert {a.annotator for a in found.annotations} == {"calm, kind"}
    account = next(a for a in found.accounts if a.kind == "annotation")
    assert (account.rows, account.taken, account.rated, account.missing) == (5, 5, 4, 1)


def test_a_discussion_without_its_log_is_known_by_its_texts(tmp_path: Path) -> None:
    found = written(tmp_path, a_dot_json=annotation_log(*["Toxicity=1"] * 5))
    (one,) = found.discussions.values()
    assert (one.id, one.conditions.moderated, [t.actor for t in one.turns]) == (
        "c1",
        None,
        [""] * 5,
    )
    assert len(found.annotations) == 5


def test_a_rating_of_a_comment_nobody_made_is_refused(tmp_path: Path) -> None:
    log = annotation_log("Toxicity=1", "Toxicity=2", texts=["Hm.", "Never said."])
    found = written(tmp_path, d_dot_json=discussion_log(), a_dot_json=log)
    account = next(a for a in found.accounts if a.kind == "annotation")
    assert (account.rows, account.taken, account.refused) == (2, 1, 1)
    assert account.reason == "1 comments are not in the discussion's log"


def test_an_annotator_who_rated_twice_is_two(tmp_path: Path) -> None:
    log = annotation_log(*["Toxicity=1"] * 5)
    found = written(tmp_path, d_dot_json=discussion_log(), a_dot_json=log, b_dot_json=log)
    assert {a.annotator for a in found.annotations} == {"calm, kind", "calm, kind #2"}


def test_a_discussion_that_is_there_twice_is_taken_once(tmp_path: Path) -> None:
    found = written(tmp_path, a_dot_json=discussion_log(), b_dot_json=discussion_log())
    assert len(found.discussions) == 1
    assert [(a.rows, a.taken, a.refused) for a in found.accounts] == [(5, 5, 0), (5, 0, 5)]


@pytest.mark.parametrize(
    ("reply", "value", "said"),
    [
        ("Toxicity=3", 3, None),
        (" toxicity = 3 \n", 3, None),
        ("Toxicity=?", None, "no number"),
        ("Toxicity=3.5", None, "no number"),
        ("Toxicity=9", None, "off the scale 1 to 5"),
        ("I cannot rate this.", None, "no rating"),
        ("", None, "no rating"),
    ],
)
def test_a_reply_is_a_number_or_says_why_not(
    reply: str, value: int | None, said: str | None
) -> None:
    rated = read(reply, SCALES)
    assert rated.value == value
    assert rated.reason is None if said is None else said in (rated.reason or "")


CSV = """discussion_id,comment_id,speaker,role,text,annotator,criterion,rating,topic
d1,1,ann,user,Hello,x,toxicity,1,cats
d1,1,ann,user,Hello,y,toxicity,4,cats
d1,2,mod,moderator,Calm down,x,toxicity,seven,cats
d1,3,bob,user,Hello,x,toxicity,9,cats
,4,bob,user,lost,x,toxicity,1,cats
"""


def test_a_table_of_ratings(tmp_path: Path) -> None:
    found = written(tmp_path, t_dot_csv=CSV)
    (one,) = found.discussions.values()
    assert [(t.actor, t.role, t.text) for t in one.turns] == [
        ("ann", "user", "Hello"), ("mod", "moderator", "Calm down"), ("bob", "user", "Hello"),
    ]  # fmt: skip
    assert one.conditions.moderated is True
    assert [(a.turn_id, a.annotator, a.value) for a in found.annotations] == [
        ("t1", "x", 1), ("t1", "y", 4), ("t2", "x", None), ("t3", "x", None),
    ]  # fmt: skip
    account = found.accounts[0]
    assert (account.rows, account.taken, account.refused) == (5, 4, 1)
    assert account.reason == "row 5 has no discussion_id"


def test_convokit_utterances(tmp_path: Path) -> None:
    rows = [
        {"id": "u2", "conversation_id": "u1", "speaker": "bob", "text": "Two", "timestamp": 20},
        {"id": "u1", "conversation_id": "u1", "speaker": {"id": "ann"}, "text": "One",
         "timestamp": 10, "meta": {"moderated": False, "topic": "cats"}},
        {"id": "u3", "conversation_id": "u1", "speaker": "bob", "text": "", "timestamp": 30},
    ]  # fmt: skip
    lines = "\n".join([*map(json.dumps, rows), "not json", ""])
    found = written(tmp_path, utterances_dot_jsonl=lines)
    (one,) = found.discussions.values()
    assert [(t.actor, t.text, t.action) for t in one.turns] == [
        ("ann", "One", "comment"), ("bob", "Two", "comment"), ("bob", "", "silent"),
    ]  # fmt: skip
    assert (one.conditions.moderated, one.conditions.topic) == (False, "cats")
    assert (found.accounts[0].rows, found.accounts[0].refused) == (4, 1)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "{broken", "cannot be used"),
        ("a.json", "[1, 2]", "no JSON object"),
        ("a.json", '{"what": 1}', "neither a discussion nor ratings"),
        ("a.json", json.dumps(discussion_log(extra=1)), "extra"),
        ("a.csv", "x,y\n1,2\n", "has no discussion_id"),
        ("a.txt", "hello", "cannot be used"),
    ],
)
def test_a_file_that_holds_no_discussion_is_refused(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        imported(path, SCALES)


def test_a_bad_file_among_good_ones_is_named_and_skipped(tmp_path: Path) -> None:
    found = written(tmp_path, a_dot_json="{broken", b_dot_json=discussion_log())
    assert [(a.kind, Path(a.source).name) for a in found.accounts] == [
        ("skipped", "a.json"), ("discussion", "b.json"),
    ]  # fmt: skip


def test_nothing_to_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(InputError):
            imported(path, SCALES)


def test_a_background_is_read_from_a_prompt() -> None:
    from modules.discussion_logs import AnnotationLog

    log = AnnotationLog.model_validate(annotation_log(*["Toxicity=1"] * 5))
    assert annotator_of(log) == "calm, kind"
    neutral = {"annotator_prompt": "Prompt: You are  a neutral expert annotator.  \nYour job"}
    assert annotator_of(log.model_copy(update=neutral)) == "neutral"


@pytest.mark.data
def test_all_rows_of_the_thesis_logs_are_accounted_for() -> None:
    if not LOGS.exists():
        pytest.skip("the data beside the checkout is absent")
    found = imported(LOGS, SCALES)
    rated = [a for a in found.accounts if a.kind == "annotation"]
    assert (len(rated), sum(a.rows for a in rated), sum(a.taken for a in rated)) == (80, 845, 845)
    assert (sum(a.rated for a in rated), sum(a.missing for a in rated)) == (754, 91)
    keys = {(a.discussion_id, a.turn_id, a.annotator, a.criterion) for a in found.annotations}
    assert len(keys) == len(found.annotations) == 845
    held = [a for a in found.accounts if a.kind == "discussion"]
    assert (len(held), sum(a.rows for a in held), sum(a.refused for a in held)) == (25, 258, 0)
    unknown = [d for d in found.discussions.values() if d.conditions.moderated is None]
    assert (len(found.discussions), len(unknown)) == (34, 9)
    assert {a.annotator for a in found.annotations} == {
        "member of the LGBTQ community", "typical, average, white, American", "neutral",
    }  # fmt: skip
