"""Answers to questions out of passages: both sides where there are two, and none invented."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

import dspy
import pytest
from pydantic import TypeAdapter

from modules.answering.searching import AgentSearch
from modules.lm.backends import ExtractiveBackend
from modules.lm.extractive import answer
from modules.lm.extractive.answering import asks_judgement
from modules.lm.ledger import Ledger
from modules.retrieval.aiming import Aim
from signatures import answering, curation
from signatures.errors import EvidenceError, OutageError
from signatures.types import Passage

QUESTION = "Should all museums be free of charge?"
SAID = {
    "Open doors": "Entrance fees keep poor families away from museums. Free museums give every "
    "household a place to learn. Museums belong to all citizens [7].",
    "The bill": "Free entry costs museums the income that pays for conservation. Entrance fees are "
    "a fair way to share the cost of museums. Visitors to museums can usually afford a fee.",
}
EVIDENCE = [{"number": n, "title": t, "text": x} for n, (t, x) in enumerate(SAID.items(), start=1)]
CALLS: list[tuple[Any, dict[str, Any]]] = [
    (answering.AnswerBasic, {"evidence": EVIDENCE, "tokens": None}),
    (answering.AnswerComprehensively, {"evidence": EVIDENCE, "tokens": None}),
    (answering.AnswerInDetail, {"evidence": EVIDENCE, "tokens": 400}),
    (answering.FrameQuestion, {"evidence": EVIDENCE}),
    (answering.NextSearch, {"trajectory": "{}"}),
    (answering.ChooseFound, {"trajectory": "{}"}),
    (curation.WriteQueries, {"count": 3}),
    (curation.ExtractViews, {"documents": EVIDENCE}),
]


def asked(signature: Any, seed: int = 0, **inputs: Any) -> dict[str, Any]:
    return answer(signature.__name__, {"question": QUESTION, **inputs}, seed)


@pytest.mark.parametrize(("signature", "inputs"), CALLS)
def test_answers_fit_the_signature_and_are_the_same_again(
    signature: Any, inputs: dict[str, Any]
) -> None:
    found = asked(signature, **inputs)
    assert set(found) == set(signature.output_fields)
    for name, value in found.items():
        TypeAdapter(signature.output_fields[name].annotation).validate_python(value)
    assert found == asked(signature, **json.loads(json.dumps(inputs)))


def test_both_sides_are_told_and_cited_and_no_verdict_given() -> None:
    said = asked(answering.AnswerInDetail, evidence=EVIDENCE, tokens=None)["detailed_answer"]
    assert "[1]" in said
    assert "[2]" in said
    assert "[7]" not in said  # a number in a passage is no citation
    assert asked(answering.FrameQuestion, evidence=EVIDENCE)["disputed"] is True


def test_what_can_be_looked_up_is_no_dispute() -> None:
    found = answer(
        "FrameQuestion", {"question": "When were museums founded?", "evidence": EVIDENCE}, 0
    )
    assert found == {"disputed": False, "proposition": None}
    one_sided = [EVIDENCE[0]]
    assert asked(answering.FrameQuestion, evidence=one_sided)["disputed"] is False
    for question in ("Who walked on the Moon?", "How many sides has a hexagon?"):
        assert not asks_judgement(question)
    for question in (QUESTION, "What is the best energy source?", "Is nuclear power safe?"):
        assert asks_judgement(question)


def test_length_is_heeded() -> None:
    short, long = (
        len(asked(answering.AnswerInDetail, evidence=EVIDENCE, tokens=n)["detailed_answer"].split())
        for n in (60, 400)
    )
    assert short < long


@pytest.mark.parametrize(
    "signature", [answering.AnswerBasic, answering.AnswerInDetail, answering.FrameQuestion]
)
def test_without_passages_it_refuses(signature: Any) -> None:
    with pytest.raises(EvidenceError, match="no passage to answer from"):
        asked(signature, evidence=[], tokens=None)


class Found:
    """A retriever that finds the same passages whatever is asked, or fails."""

    def __init__(self, fails: bool = False) -> None:
        self.queries: list[str] = []
        self.fails = fails

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        if self.fails:
            raise OutageError("the provider is down")
        self.queries += queries
        found = [Passage(id=t, text=x, source=t, title=t, similarity=0.9) for t, x in SAID.items()]
        return [found[:k] for _ in queries]

    def identity(self) -> dict[str, Any]:
        return {"retriever": "found"}


def test_an_agent_searches_for_the_other_side_too_and_chooses_among_what_it_saw() -> None:
    retriever = Found()
    with dspy.context(lm=ExtractiveBackend().lm("planner", Ledger())):
        chosen = AgentSearch(retriever, k=5, steps=4, found=9)(question=QUESTION)
        few = AgentSearch(retriever, k=5, steps=4, found=1)(question=QUESTION)
    assert {p.id for p in chosen} == set(SAID)
    assert len(few) == 1
    assert retriever.queries[0] == QUESTION
    assert retriever.queries[1] not in ("", QUESTION)


def test_an_agents_query_is_taken_apart_where_perspectives_are_heeded() -> None:
    class Steering(Found):
        steers = True
        aims: ClassVar[list[Aim]] = []

        def search_aims(self, aims: Sequence[Aim], k: int) -> list[list[Passage]]:
            self.aims.extend(aims)
            return self.search([aim.query for aim in aims], k)

    backend = ExtractiveBackend()
    with dspy.context(lm=backend.lm("writer", Ledger()), adapter=backend.adapter()):
        asked = "Which arguments are there against free museums?"
        AgentSearch(Steering(), k=5, steps=4, found=9)(question=asked)
    aim = Steering.aims[0]
    assert (aim.query, aim.side) == (asked, -1)
    assert "against" in aim.perspective and "against" not in aim.root


def test_a_search_that_fails_fails_the_stage() -> None:
    with (
        dspy.context(lm=ExtractiveBackend().lm("planner", Ledger())),
        pytest.raises(OutageError, match="the provider is down"),
    ):
        AgentSearch(Found(fails=True), k=5, steps=3, found=9)(question=QUESTION)
