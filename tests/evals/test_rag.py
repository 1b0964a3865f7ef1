"""Figures of an answer with its passages: built in on real text, judged by a scripted LM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy
import pytest

from evals import rag
from evals.contract import Metric, Tools
from evals.metrics import CitationPrecision, CitationRecall
from evals.rag import AnswerRelevance, ContextPrecision, ContextRecall, Groundedness
from modules.citations.support import Support
from modules.retrieval import MiniLM
from signatures.errors import InputError
from tests.modules.fake import fake_lm

FEES = "Entrance fees pay for the guards and the conservation of the collections."
CROWD = "Free entry fills the galleries with visitors and wears out the floors."
BREAD = "Sourdough bread needs flour, water, salt and a long rest."
TOOLS = Tools(MiniLM())


class Verbatim:
    """A check that a reader can do: a passage supports the sentences it holds word for word."""

    def __init__(self, embedder: Any, **thresholds: float) -> None:
        pass

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[Support]:
        return [Support("supported" if s in text else "weak", s) for s, text in pairs]


@pytest.fixture
def verbatim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rag, "SupportCheck", Verbatim)


def _row(**fields: Any) -> dict[str, Any]:
    passages = [{"id": str(n), "text": text} for n, text in enumerate((BREAD, FEES, CROWD), 1)]
    return {"id": "r", "question": "Should museums be free?", "passages": passages, **fields}


@pytest.mark.usefixtures("verbatim")
def test_groundedness_counts_supported_sentences() -> None:
    row = _row(generation=f"{FEES} Paris has 40,000 dolphins in its canals.")
    score = Groundedness(by="builtin").score(row, TOOLS)
    assert score.value == 0.5
    assert score.explanation.startswith("built in: 1 of 2 sentences supported")
    assert "dolphins" in score.explanation
    assert Groundedness(by="builtin").score(_row(generation="..."), TOOLS).value is None


@pytest.mark.usefixtures("verbatim")
def test_context_recall_reads_the_reference() -> None:
    recall = ContextRecall(by="builtin")
    assert recall.score(_row(reference=f"{FEES} {CROWD}"), TOOLS).value == 1
    partial = [
        {"point_of_view": "p", "explanation": FEES},
        {"explanation": "Whales sing at night."},
    ]
    assert recall.score(_row(partial_answers=partial), TOOLS).value == 0.5
    with pytest.raises(InputError, match="no reference"):
        recall.score(_row(generation=FEES), TOOLS)


@pytest.mark.usefixtures("verbatim")
def test_context_precision_is_average_precision() -> None:
    precision = ContextPrecision(by="builtin")
    # Useful at ranks 2 and 3: (1/2 + 2/3) / 2.
    score = precision.score(_row(generation=f"{FEES} {CROWD}"), TOOLS)
    assert score.value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert "help with the answer, at ranks [2, 3]" in score.explanation
    assert precision.score(_row(generation="Whales sing at night."), TOOLS).value == 0
    # The reference goes before the answer.
    assert precision.score(_row(generation=FEES, reference=BREAD), TOOLS).value == 1


def test_answer_relevance_prefers_the_answer_to_the_question() -> None:
    relevance = AnswerRelevance(by="builtin")
    near = relevance.score(_row(generation="Museums should be free for everybody."), TOOLS)
    far = relevance.score(_row(generation=BREAD), TOOLS)
    assert near.value is not None and far.value is not None
    assert near.value > 0.6 > 0.3 > far.value


JUDGED: list[tuple[Metric, dict[str, Any], float]] = [
    (
        Groundedness(),
        {"system_response_claims": "c", "discussion": "d", "groundedness": 0.25},
        0.25,
    ),
    (AnswerRelevance(), {"explanation": "d", "answer_relevance": 1.0}, 1.0),
    (ContextPrecision(), {"explanation": "d", "useful": [1, 3, 99]}, (1 + 2 / 3) / 2),
    (
        ContextRecall(),
        {
            "ground_truth_key_ideas": "g",
            "system_response_key_ideas": "s",
            "discussion": "d",
            "completeness": 0.5,
        },
        0.5,
    ),
]


@pytest.mark.parametrize(("metric", "reply", "value"), JUDGED, ids=lambda x: getattr(x, "name", ""))
def test_a_judge_is_asked_with_the_passages(
    metric: Metric, reply: dict[str, Any], value: float
) -> None:
    lm = fake_lm(lambda signature, inputs: reply)
    row = _row(generation=FEES, reference=CROWD)
    with dspy.context(lm=lm):
        score = metric.score(row, Tools())
    assert score.value == pytest.approx(value)
    assert "d" in score.explanation
    asked = lm.engine.asked[0][1]
    given = [v for v in asked.values() if isinstance(v, list)]
    expected = [] if metric.name == "answer_relevance" else [[BREAD, FEES, CROWD]]
    assert [[p["text"] for p in passages] for passages in given] == expected


@pytest.mark.parametrize(("metric", "reply"), [(m, r) for m, r, _ in JUDGED])
def test_a_judge_may_abstain(metric: Metric, reply: dict[str, Any]) -> None:
    last = list(reply)[-1]
    with dspy.context(lm=fake_lm(lambda signature, inputs: {**reply, last: None})):
        assert metric.score(_row(generation=FEES, reference=CROWD), Tools()).value is None


def test_the_real_check_tells_what_is_borne_out_from_what_is_not() -> None:
    metric = Groundedness(by="builtin")
    long = "The three museums of the town spent 412,000 euros on guards in 2019, the council says."
    row = _row(generation=long, passages=[{"id": "1", "text": f"{BREAD} {long} {CROWD}"}])
    assert metric.score(row, TOOLS).value == 1
    assert metric.score(_row(generation=long), TOOLS).value == 0


def test_citation_figures_are_made_for_texts_that_have_none() -> None:
    row = _row(generation=f"{CROWD[:-1]} [1]. Bread is good.")
    assert CitationPrecision().score(row, TOOLS).value == 0
    assert CitationRecall().score(row, TOOLS).value == 0
    assert CitationPrecision().score(_row(generation="Bread is good."), TOOLS).value is None
    kept = {"citation_figures": {"precision": None, "recall": 0.25}}
    assert CitationPrecision().score(kept, TOOLS).value is None
    assert CitationRecall().score(kept, TOOLS).value == 0.25


@pytest.mark.parametrize("passages", [None, [], ["text"], [{"id": "1"}], [{"text": " "}]])
def test_rows_without_usable_passages_are_bad(passages: Any) -> None:
    with pytest.raises(InputError, match="passage"):
        Groundedness(by="builtin").score(_row(generation=FEES) | {"passages": passages}, TOOLS)
