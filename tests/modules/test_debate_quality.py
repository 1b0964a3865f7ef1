"""Whether a debate gets anywhere: novelty, stance, drift, agreement, and its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy
import numpy as np
import pytest

from modules.debate import AgentDebate, PlanningDebate
from modules.debate_quality import DebateMeter, figures
from signatures.types import Debate, Turn
from tests.modules.fake import fake_lm
from tests.modules.test_debate import EVIDENCE, PERSONAS, reply

SUBJECT = "We should make all museums free of charge"


class Letters:
    """Embeds a sentence as the letters it begins its words with: equal words, cosine 1."""

    name = "letters"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), 26), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[ord(word[0]) - ord("a")] = 1.0
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


def turn(id: str, text: str, **more: Any) -> Turn:
    return Turn(**{"id": id, "round": 1, "speaker": "p1", "role": "team", "text": text, **more})


def measured(*turns: Turn) -> list[Turn]:
    measure = DebateMeter(Letters()).start(SUBJECT, "refute")
    done: list[Turn] = []
    for each in turns:
        done.append(measure(each, done))
    return done


def test_novelty_is_the_share_not_said_before() -> None:
    found = measured(
        turn("t1", "Alpha beta. Gamma delta."),
        turn("t2", "Alpha beta. Zeta eta."),
        turn("t3", "Gamma delta. Zeta eta."),
        turn("t4", "Alpha zulu."),
    )
    assert [t.novelty for t in found] == [1.0, 0.5, 0.0, pytest.approx(0.5, abs=1e-4)]


def test_a_turn_without_a_sentence_says_nothing_new() -> None:
    assert [t.novelty for t in measured(turn("t1", "​"), turn("t2", "Alpha."))] == [0.0, 1.0]


def test_stance_drift_and_agreement() -> None:
    against = "Free museums harm collections and waste public money."
    favour = "Free museums benefit poor families and improve education."
    found = measured(
        turn("t1", against),
        turn("t2", favour, replies_to="t1", relation="oppose"),
        turn("t3", favour, role="critic", speaker="critic", replies_to="t2", relation="support"),
        turn("t4", against, role="critic", speaker="critic", replies_to="t2"),
    )
    assert [(t.stance or 0) > 0 for t in found] == [False, True, True, False]
    assert found[0].drift == found[2].drift == 0
    assert found[1].drift == found[1].stance
    assert found[3].drift == -(found[3].stance or 0)
    assert found[0].agreement is None
    assert found[2].agreement == 1
    assert (found[1].agreement or 1) < 1


def test_figures_leave_out_what_was_not_measured() -> None:
    turns = measured(turn("t1", "Alpha."), turn("t2", "Alpha.", replies_to="t1", relation="oppose"))
    found = figures(Debate(turns=turns, ended="max_rounds"))
    assert (found.novelty, found.supporting) == (0.0, 0.0)
    bare = figures(Debate(turns=[turn("t1", "Alpha.")], ended="max_rounds"))
    assert set(bare.model_dump().values()) == {None}


def talk(texts: Any, threshold: float | None, rounds: int = 5) -> Debate:
    lm = fake_lm(lambda s, i: reply(text=texts(len(i["transcript"]))))
    stage = PlanningDebate(
        max_rounds=rounds, word_limit=50, meter=DebateMeter(Letters()),
        stop_on_no_novelty=threshold,
    )  # fmt: skip
    with dspy.context(lm=lm):
        debate: Debate = stage(
            subject=SUBJECT, goal="refute", personas=PERSONAS, evidence=EVIDENCE, background=[]
        )
    return debate


def test_a_round_that_says_nothing_new_ends_the_debate() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    found = talk(lambda said: f"{letters[min(said, 6)]}lpha.", 0.1)
    assert (found.ended, len(found.turns)) == ("no_novelty", 12)
    assert talk(lambda said: f"{letters[said]}lpha.", 0.1).ended == "max_rounds"


def test_one_new_turn_keeps_it_going() -> None:
    found = talk(lambda said: f"{'abcdefghijklmnopqrst'[said] if said % 3 == 2 else 'z'}ulu.", 0.1)
    assert (found.ended, len(found.turns)) == ("max_rounds", 15)


def test_without_a_threshold_it_goes_on() -> None:
    assert talk(lambda said: "Alpha.", None).ended == "max_rounds"


def test_a_threshold_needs_a_meter() -> None:
    with pytest.raises(ValueError, match="meter"):
        AgentDebate(max_rounds=1, word_limit=50, stop_on_no_novelty=0.1)


def test_the_meter_is_part_of_a_stages_identity() -> None:
    bare = AgentDebate(max_rounds=1, word_limit=50)
    metered = AgentDebate(max_rounds=1, word_limit=50, meter=DebateMeter(Letters()))
    assert bare.settings != metered.settings
