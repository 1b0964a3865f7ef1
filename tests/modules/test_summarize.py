"""History shortening: what stays, in which order, how fairly."""

from __future__ import annotations

from collections.abc import Sequence

import dspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.debate import PlanningDebate
from modules.retrieval.embed import unit
from modules.summarize import HistorySummarizer
from modules.text import sentences, tokens
from signatures.types import TranscriptLine
from tests.modules.fake import fake_lm
from tests.modules.test_debate import EVIDENCE, PERSONAS, reply


class BagOfWords:
    """Unit vectors of word counts: texts with the same words are alike."""

    name = "words"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for token in tokens(text) or ["nothing"]:
                row[sum(token.encode()) % 64] += 1
        return unit(rows)


def lines(*texts: str) -> list[TranscriptLine]:
    return [
        TranscriptLine(id=f"t{n}", speaker=f"S{n}", text=text) for n, text in enumerate(texts, 1)
    ]


def total(found: Sequence[TranscriptLine]) -> int:
    return sum(len(line.text.split()) for line in found)


LONG = lines(
    "Fees keep poor families out of pools. My aunt once owned a yellow bicycle. "
    "Fees keep poor families away from every pool.",
    "Fees pay for staff. Without fees pools must close. The weather was fine on Sunday.",
    "Grants can replace fees. A grant is paid by all taxpayers.",
)
shorten = HistorySummarizer(BagOfWords())


def test_a_history_within_the_budget_is_left_alone() -> None:
    assert shorten(LONG, total(LONG)) == LONG


def test_sentences_are_kept_whole_and_in_order_and_everybody_is_heard() -> None:
    found = shorten(LONG, 26)
    assert [(line.id, line.speaker) for line in found] == [(x.id, x.speaker) for x in LONG]
    assert total(found) <= 26
    for line, before in zip(found, LONG, strict=True):
        places = [sentences(before.text).index(s) for s in sentences(line.text)]
        assert places == sorted(places)
    assert "bicycle" not in " ".join(line.text for line in found)


def test_what_was_said_already_gives_way_to_what_was_not() -> None:
    text = "Pools need fees. Pools need fees. Grants replace them."
    [found] = shorten(lines(text), 6)
    assert "Grants replace them." in found.text


def test_where_not_all_can_be_heard_the_latest_are() -> None:
    found = shorten(lines(*[f"Speaker {n} says one more thing about fees." for n in range(9)]), 16)
    assert [line.id for line in found] == ["t8", "t9"]


@given(
    st.lists(
        st.lists(st.sampled_from(["Fees help.", "Pools are old and cold in May.", "No. " * 3]))
        .map(" ".join),
        max_size=6,
    ),
    st.integers(0, 40),
)  # fmt: skip
def test_the_budget_is_kept_and_nothing_is_invented(texts: list[str], budget: int) -> None:
    history = lines(*texts)
    found = shorten(history, budget)
    assert total(found) <= budget
    assert found == shorten(history, budget)
    known = {line.id: line for line in history}
    for line in found:
        assert set(tokens(line.text)) <= set(tokens(known[line.id].text))


@pytest.mark.parametrize("budget", [4000, 30])
def test_a_debate_shows_a_shortened_history_only_beyond_its_limit(budget: int) -> None:
    text = "Fees pay for staff in every pool. Grants could replace the fees one day."
    lm = fake_lm(lambda s, i: reply(text=text))
    stage = PlanningDebate(max_rounds=2, word_limit=50, shorten=shorten, history_words=budget)
    with dspy.context(lm=lm):
        stage(subject="P", goal="refute", personas=PERSONAS, evidence=EVIDENCE, background=[])
    shown = [i["transcript"] for _, i in lm.engine.asked]
    sizes = [sum(len(line["text"].split()) for line in lines) for lines in shown]
    assert [len(lines) for lines in shown] == [0, 1, 2, 3, 4, 5] or budget < 4000
    assert 20 <= max(sizes) <= budget
    assert (max(sizes) == 70) == (budget == 4000)
    assert stage.identity()["settings"]["history_words"] == budget
