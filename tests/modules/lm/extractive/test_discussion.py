"""The baseline in discussions: it speaks from passages, and neither moderates nor rates."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from modules.lm.extractive import answer
from signatures import discussion
from signatures.errors import EvidenceError

TOPIC = "We should make all museums free of charge"
PASSAGES: list[dict[str, Any]] = [
    {"number": 1, "title": "Fees", "text": "Entrance fees keep poor families away from museums. "
     "Free entry lets every school class visit a museum more often."},
    {"number": 2, "title": "Budgets", "text": "Museums lose a quarter of their income without "
     "entrance fees. Museum fees pay for guards, heating and the care of the collections."},
]  # fmt: skip


def turn(seed: int = 0, name: str = "ann", **more: Any) -> dict[str, Any]:
    inputs = {
        "name": name, "role": "user", "attributes": ["calm"], "directions": "Write.",
        "context": f'Its users discuss this post: "{TOPIC}"', "history": [], "evidence": PASSAGES,
    }  # fmt: skip
    return answer("GroundedUserTurn", inputs | more, seed)


def test_a_user_says_what_a_passage_says() -> None:
    said = turn()
    assert said["action"] == "comment"
    texts = " ".join(p["text"] for p in PASSAGES)
    assert all(part.strip(". ") in texts for part in said["text"].split(". "))
    assert said == turn()
    assert len({turn(seed)["text"] for seed in range(12)}) > 1
    for name, value in said.items():
        field = discussion.GroundedUserTurn.output_fields[name]
        TypeAdapter(field.annotation).validate_python(value)


@pytest.mark.parametrize(("opening", "other"), [(PASSAGES[0], PASSAGES[1]), PASSAGES[::-1]])
def test_a_second_user_takes_the_other_side(opening: Any, other: Any) -> None:
    history = [{"author": "bob", "text": opening["text"].split(". ")[0]}]
    replies = [turn(seed, history=history) for seed in range(6)]
    said = [r["text"] for r in replies if r["action"] == "comment"]
    assert said
    assert all(text.split(". ")[0].strip(".") in other["text"] for text in said)


def test_nothing_is_said_twice_and_then_nothing_at_all() -> None:
    history = [{"author": "ann", "text": p["text"]} for p in PASSAGES]
    assert turn(history=history) == {"action": "silent", "text": ""}


def test_without_passages_it_refuses() -> None:
    with pytest.raises(EvidenceError):
        turn(evidence=[])


def test_it_neither_moderates_nor_rates() -> None:
    assert answer("ModeratorTurn", {"history": [], "users": ["ann"]}, 0)["action"] is None
    scales = [{"criterion": "toxicity"}, {"criterion": "quality"}]
    ratings = answer("AnnotateComment", {"criteria": scales}, 0)["ratings"]
    assert ratings == [{"criterion": s["criterion"], "rating": None} for s in scales]
