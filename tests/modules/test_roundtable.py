"""The roundtable: order, what is heard, limits kept, evidence, the chair, taking up again."""

from __future__ import annotations

from typing import Any

import dspy
import numpy as np
import pytest

from modules.lm.streaming import so_far
from modules.roundtable import (
    NOTHING,
    Roundtable,
    RoundtableParts,
    RoundtableSettings,
    TableSettings,
)
from modules.roundtable.speaking import cut, tidy, word_count
from signatures.errors import ReplyError
from signatures.types import Passage, Persona
from tests.modules.fake import fake_lm

TOPIC = "Should museums be free?"
PASSAGES = [
    Passage(id=f"c{n}", text=text, source=f"https://example.org/{n}", title=f"T{n}", similarity=0.9)
    for n, text in enumerate(
        ["Entrance fees pay for guards in museums.", "Free museums draw poor families."]
    )
]


class Shelf:
    """Finds the same passages whatever is asked."""

    def search(self, queries: Any, k: int) -> list[list[Passage]]:
        return [PASSAGES[:k] for _ in queries]

    def identity(self) -> dict[str, Any]:
        return {"shelf": 1}


class Letters:
    """Embeds by letters: enough to tell texts apart."""

    name = "letters"

    def encode(self, texts: Any) -> Any:
        rows = np.array([[t.lower().count(c) + 0.01 for c in "abcdefghijklmnop"] for t in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def persona(id: str, stance: Any = "for") -> Persona:
    return Persona(
        id=id, title=f"Title {id}", description="d", claim=f"{id} claims", emoji="🙂", stance=stance
    )


SEATS = [persona("p1"), persona("p2", "against"), persona("p3", "neutral")]
SAID = "I am here.\n- Money: Fees pay for guards.\n- People: Families stay away."


def replies(signature: str, inputs: dict[str, Any], **changes: Any) -> dict[str, Any]:
    made: dict[str, dict[str, Any]] = {
        "RoundtableTurn": {"text": SAID, "replies_to": None, "relation": "oppose"},
        "ShortenTurn": {"shortened": "Short.\n- One: point."},
        "WriteSearchQuery": {"query": "museum fees"},
        "CiteArgument": {
            "text": inputs.get("argument", {}).get("text", "").replace(".", " [1].", 1)
        },
        "ModerateRound": {"summary": "Both spoke.", "question": "Who pays?"},
        "CloseRoundtable": {
            "closing": {
                "agreements": [],
                "disagreements": [
                    {
                        "issue": "money",
                        "positions": [{"speakers": ["Title p1", "Nobody"], "view": "v"}],
                    }
                ],
                "open_questions": [],
            }
        },
        "RecommendFromRoundtable": {"recommendation": None},
    }
    return made[signature] | changes


def hold(
    answers: Any = replies, *, tell: Any = None, earlier: RoundtableParts = NOTHING,
    seats: list[Persona] = SEATS, **table: Any,
) -> tuple[RoundtableParts, list[tuple[str, dict[str, Any]]]]:  # fmt: skip
    settings = RoundtableSettings(debate=TableSettings(**{"rounds": 1, **table}))
    program = Roundtable(settings, Shelf(), Letters())
    if tell is not None:
        program.followed_by(tell)
    lm = fake_lm(answers)
    with dspy.context(lm=lm):
        parts = program(topic=TOPIC, personas=seats, earlier=earlier)
    return parts, lm.engine.asked


def turns_asked(asked: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [inputs for name, inputs in asked if name == "RoundtableTurn"]


def test_continuous_turns_hear_all_before_them() -> None:
    parts, asked = hold(rounds=2)
    assert [[t.speaker for t in r] for r in parts.rounds] == [["p1", "p2", "p3"]] * 2
    assert [t.id for r in parts.rounds for t in r] == [f"t{n}" for n in range(1, 7)]
    assert [len(i["history"]) for i in turns_asked(asked)] == list(range(6))


def test_round_synchronous_turns_hear_the_rounds_before() -> None:
    parts, asked = hold(rounds=2, mode="round_synchronous")
    heard = sorted(len(i["history"]) for i in turns_asked(asked))
    assert heard == [0, 0, 0, 3, 3, 3]
    assert [t.speaker for t in parts.rounds[1]] == ["p1", "p2", "p3"]
    assert parts.rounds[0][0].replies_to is None
    assert parts.rounds[1][0].replies_to == "t3"


def test_turns_are_answered_as_spoken_and_shown_with_their_sources() -> None:
    parts, asked = hold()
    turn = parts.rounds[0][0]
    assert turn.text.startswith("I am here [1].\n\n- Money")
    assert "[" not in turn.spoken
    assert "[1]" not in turns_asked(asked)[1]["history"][0]["text"]
    assert [c.source for c in turn.citations] == ["https://example.org/0"]
    assert turn.query == "museum fees"


def saying(**said: dict[str, Any]) -> Any:
    """Answers in which some signatures say what is given."""
    return lambda signature, inputs: replies(signature, inputs, **said.get(signature, {}))


def test_one_word_limit_holds_for_all() -> None:
    long = {"text": "I begin here. " + "word " * 30 + ".\n- Point: more words follow here."}
    parts, asked = hold(saying(RoundtableTurn=long), turn_words=30)
    assert [t.length for t in parts.rounds[0]] == ["shortened"] * 3
    assert sum(name == "ShortenTurn" for name, _ in asked) == 3
    stubborn = saying(RoundtableTurn=long, ShortenTurn={"shortened": long["text"]})
    parts, _ = hold(stubborn, turn_words=30)
    assert [t.length for t in parts.rounds[0]] == ["cut"] * 3
    assert all(t.words <= 30 and t.spoken == "I begin here." for t in parts.rounds[0])


def test_evidence_may_not_lengthen_a_turn_beyond_the_limit() -> None:
    said = f"{SAID}\n- More: {'A reason is given here. ' * 3}"
    longer = f"{said} And guards are paid [1]. Really they are paid."
    parts, _ = hold(
        saying(RoundtableTurn={"text": said}, CiteArgument={"text": longer}), turn_words=30
    )
    assert [t.length for t in parts.rounds[0]] == ["cut"] * 3
    assert all(0 < word_count(t.text) <= 30 for t in parts.rounds[0])


def test_a_turn_without_points_is_asked_for_once_more() -> None:
    _, asked = hold(saying(RoundtableTurn={"text": "Only this."}))
    assert len(turns_asked(asked)) == 6


def test_an_empty_turn_is_refused() -> None:
    with pytest.raises(ReplyError):
        hold(saying(RoundtableTurn={"text": " - "}))


def test_long_history_is_shortened() -> None:
    _, asked = hold(rounds=3, history_words=50)
    last = turns_asked(asked)[-1]["history"]
    assert sum(len(line["text"].split()) for line in last) <= 50


def test_the_moderator_is_heard_by_the_next_round_and_the_closing_names_who_sat_there() -> None:
    parts, asked = hold(rounds=2, moderator=True, recommendation=True)
    assert [n.round for n in parts.moderation] == [1, 2]
    lines = turns_asked(asked)[3]["history"]
    assert [line["id"] for line in lines] == ["t1", "t2", "t3", "m1"]
    assert parts.closing is not None
    assert parts.closing.disagreements[0].positions[0].speakers == ["Title p1"]
    assert parts.recommendation is None


def test_a_debate_is_taken_up_again_with_other_personas() -> None:
    first, _ = hold()
    seats = [SEATS[2], persona("p4", "against")]
    second, asked = hold(earlier=first, seats=seats, rounds=2)
    assert second.rounds[0] == first.rounds[0]
    assert [t.speaker for t in second.rounds[1]] == ["p3", "p4"]
    assert [t.id for t in second.rounds[1]] == ["t4", "t5"]
    assert len(turns_asked(asked)) == 2
    assert {p.id: p.selected for p in second.personas} == {
        "p3": True, "p4": True, "p1": False, "p2": False,
    }  # fmt: skip


def test_further_personas_take_the_side_that_nobody_holds() -> None:
    def answers(s: str, i: dict[str, Any]) -> dict[str, Any]:
        if s != "CreatePersonas":
            return replies(s, i)
        draft = {
            "title": "New",
            "description": "d",
            "claim": "c",
            "emoji": "🙂",
            "stance": i["sides"],
        }
        return {"personas": [draft]}

    parts, asked = hold(answers, seats=[SEATS[0], SEATS[2]], rounds=0, more=1)
    assert [(p.id, p.stance) for p in parts.personas][-1] == ("p2", "against")
    assert dict(asked)["CreatePersonas"]["sides"] == "against"
    assert parts.closing is None


def test_whoever_follows_is_told_in_order() -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    hold(tell=lambda event, **values: told.append((event, values)))
    kinds = [event for event, v in told if v.get("turn") == "t1"]
    assert kinds == ["speaking", "spoken", "searching", "turn"]
    assert told[0][0] == "personas"
    assert told[-1][0] == "closing"


def test_a_reply_is_heard_while_it_is_written() -> None:
    chat = '[[ ## text ## ]]\nFees "pay" [1].\n\n[[ ## relation ## ]]\nnone'
    whole = 'Fees "pay" [1].'
    for end in range(len(chat) + 1):
        assert whole.startswith(so_far(chat[:end], "text").strip())
    assert so_far(chat, "text") == whole
    json_reply = '{"text": "A \\"b\\" \\ud83d\\ude00\\n", "relation": "none"}'
    for end in range(len(json_reply) + 1):
        assert 'A "b" 😀\n'.startswith(so_far(json_reply[:end], "text"))
    assert so_far(json_reply, "text") == 'A "b" 😀\n'


def test_turns_are_tidied_and_cut_at_sentences() -> None:
    points = "* First: more money. Then less.\n\n2) Second: even fewer."
    text = tidy(f"One [3]. Two.\n{points}\n\nReferences:\n[1]: x")
    assert text == "One. Two.\n\n- First: more money. Then less.\n\n- Second: even fewer."
    assert cut(text, 5) == "One. Two.\n\n- First: more money."
    assert cut("word " * 20, 5).split() == ["word"] * 4 + ["word…"]
    assert word_count("- a [1] b – c.") == 3
