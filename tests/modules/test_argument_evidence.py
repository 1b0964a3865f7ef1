"""S0's evidence pipeline: query, sources, rewrite, checked citations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dspy
import pytest

from modules.argument_evidence import ArgumentEvidence, kept_wording
from modules.lm.extractive import answer
from modules.retrieval import MiniLM
from modules.stage import direct
from signatures.evidence import CitedArgument
from signatures.types import Passage
from tests.modules.fake import fake_lm

ARGUMENT = "Fees keep poor families out of public museums. I learned to whistle in the rain."
BORNE_OUT = "Curators agree: fees keep poor families out of public museums."
PASSAGES = [
    Passage(id="c1", text="Guards work at night.", source="g.md", title="Guards", similarity=0.5),
    Passage(id="c2", text=BORNE_OUT, source="f.md", title="Fees", similarity=0.8),
    Passage(id="c3", text="Whales sing.", source="w.md", title="Whales", similarity=0.01),
]
Answers = Callable[[str, Any], dict[str, Any]]


class Shelf:
    """A retriever that finds the same passages for every query, and notes the queries."""

    def __init__(self, passages: Sequence[Passage] = PASSAGES) -> None:
        self.passages = list(passages)
        self.asked: list[list[str]] = []

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        self.asked.append(list(queries))
        return [self.passages[:k] for _ in queries]

    def identity(self) -> dict[str, Any]:
        return {"retriever": "shelf"}


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


def replies(rewrite: str, query: str = " museum fees\nfamilies ") -> Answers:
    return lambda s, i: {"query": query} if s == "WriteSearchQuery" else {"text": rewrite}


def run(
    embedder: MiniLM, answers: Answers, shelf: Shelf | None = None
) -> tuple[CitedArgument, list[Any]]:
    evidence = ArgumentEvidence(shelf or Shelf(), embedder, supported=0.65, weak=0.37)
    lm = fake_lm(answers)
    with dspy.context(lm=lm):
        found = evidence(topic="Museums", argument=ARGUMENT)
    return found, lm.engine.asked


def test_the_argument_keeps_its_words_and_gains_checked_citations(embedder: MiniLM) -> None:
    rewrite = ARGUMENT.replace("museums.", "museums [2].")
    shelf = Shelf()
    found, asked = run(embedder, replies(rewrite), shelf)
    assert found.text == ARGUMENT.replace("museums.", "museums [1].")
    assert found.query == "museum fees families"
    assert shelf.asked == [[found.query]]
    assert [p.id for p in found.passages] == ["c2"]
    assert [(c.marker, c.chunk_id) for c in found.citations] == [(1, "c2")]
    assert found.citations[0].verdict != "unsupported"
    assert found.notes == []
    # What is far from the query is not shown.
    assert [e["title"] for e in asked[1][1]["evidence"]] == ["Guards", "Fees"]


@pytest.mark.parametrize(
    ("rewrite", "reason"),
    [
        ("Museums ought to let everybody in, since prices exclude the needy [2].", "keeps"),
        (ARGUMENT + " And so on and on." * 13 + " [2]", "adds 65 words, at most 60"),
        (ARGUMENT + " [7]", "not given"),
        ("", "keeps 0%"),
    ],
)
def test_a_rewrite_that_leaves_the_argument_is_asked_again_then_set_aside(
    embedder: MiniLM, rewrite: str, reason: str
) -> None:
    found, asked = run(embedder, replies(rewrite))
    assert [name for name, _ in asked] == ["WriteSearchQuery", *["CiteArgument"] * 3]
    assert found.text == ARGUMENT.replace("museums.", "museums [1].")
    assert [c.chunk_id for c in found.citations] == ["c2"]
    assert len(found.notes) == 1
    assert reason in found.notes[0]


def test_without_passages_the_argument_stands_alone(embedder: MiniLM) -> None:
    found, asked = run(embedder, replies("x"), Shelf([]))
    assert (found.text, found.citations, found.passages) == (ARGUMENT, [], [])
    assert found.notes == ["no passage was found for it"]
    assert [name for name, _ in asked] == ["WriteSearchQuery"]


def test_the_extractive_engine_keeps_the_wording_too(embedder: MiniLM) -> None:
    found, _ = run(embedder, lambda s, i: answer(s, i, 0))
    assert kept_wording(ARGUMENT, found.text)[0] == 1
    assert found.query.split()[0] == "museums"
    assert [c.chunk_id for c in found.citations] == ["c2"]
    assert found.citations[0].verdict == "supported"
    assert run(embedder, lambda s, i: answer(s, i, 0))[0] == found


def test_each_persona_has_evidence_of_its_own_from_one_search(embedder: MiniLM) -> None:
    shelf = Shelf()
    evidence = ArgumentEvidence(shelf, embedder, supported=0.65, weak=0.37, k=2)
    claims = {"p2": "Fees keep poor families out.", "p1": "Guards work at night."}
    names: list[str] = []

    class Noting:
        def __call__(self, name: str, stage: Any, **inputs: Any) -> Any:
            names.append(name)
            return direct(name, stage, **inputs)

        def start(self, name: str, stage: Any, **inputs: Any) -> Any:
            names.append(name)
            return direct.start(name, stage, **inputs)

    with dspy.context(lm=fake_lm(lambda s, i: answer(s, i, 0))):
        found = evidence.each("Museums", claims, Noting())
        alone = {key: evidence(topic="Museums", argument=text) for key, text in claims.items()}
    assert names == ["query-p2", "query-p1", "sources", "cite-p2", "cite-p1"]
    assert list(found) == ["p2", "p1"]
    assert found == alone
    assert len(shelf.asked[0]) == 2


def test_the_retriever_and_the_check_are_part_of_its_identity(embedder: MiniLM) -> None:
    one, other = (ArgumentEvidence(Shelf(), embedder, supported=s, weak=0.4) for s in (0.8, 0.9))
    with dspy.context(lm=fake_lm(lambda s, i: {})):
        assert one.identity()["retriever"] == {"retriever": "shelf"}
        assert one.identity() != other.identity()


def test_wording_is_counted_in_order_and_without_markers() -> None:
    assert kept_wording("one two three four", "One two [3] three four [1].") == (1.0, 0)
    assert kept_wording("one two three four", "four three two one") == (0.25, 3)
    assert kept_wording("one two", "one two three") == (1.0, 1)
