"""Extractive answers about evidence."""

from __future__ import annotations

from typing import Any

from modules.lm.extractive import answer

TOPIC = "We should make all museums free of charge"
FREE = "Free entry brings school classes and poor families into museums."
FEES = "Entrance fees pay for the repair of fragile paintings and for guards."
EVIDENCE = [
    {"number": 1, "title": "Open doors", "text": FREE},
    {"number": 2, "title": "Fees", "text": FEES},
]


def cited(argument: str, evidence: list[dict[str, Any]] = EVIDENCE) -> str:
    inputs = {"topic": TOPIC, "argument": {"text": argument}, "evidence": evidence}
    text = answer("CiteArgument", inputs, 0)["text"]
    assert text == answer("CiteArgument", inputs, 7)["text"]
    return str(text)


def test_a_query_names_the_topic_and_the_argument_once() -> None:
    inputs = {"topic": TOPIC, "argument": {"text": "The museums need guards, and guards cost."}}
    words = answer("WriteSearchQuery", inputs, 0)["query"].split()
    assert {"museums", "guards"} <= set(words)
    assert len(words) == len(set(words)) <= 12


def test_a_query_is_never_empty() -> None:
    inputs = {"topic": "We", "argument": {"text": "It is so."}}
    assert answer("WriteSearchQuery", inputs, 0)["query"] == "We"


def test_a_sentence_that_a_passage_repeats_gets_its_marker() -> None:
    argument = "Fees pay for the repair of fragile paintings. I like rain."
    assert cited(argument) == "Fees pay for the repair of fragile paintings [2]. I like rain."


def test_a_passage_on_the_same_matter_is_put_beside_the_sentence() -> None:
    text = cited("Poor families should see museums.\n\nI like rain.")
    assert text == f"Poor families should see museums. {FREE[:-1]} [1].\n\nI like rain."


def test_without_evidence_the_argument_stays_as_it_is() -> None:
    assert cited("Poor families should see museums.", []) == "Poor families should see museums."


def test_the_judge_of_citations_abstains() -> None:
    pair = {"number": 1, "sentence": FEES, "passage": FEES}
    assert answer("JudgeCitations", {"citations": [pair]}, 0) == {"judgements": None}


def test_a_sentence_is_repaired_from_its_passages_or_loses_its_marker() -> None:
    faulty = [
        {"number": 1, "before": "", "sentence": "Fees pay for all paintings [2].",
         "passages": EVIDENCE[1:]},
        {"number": 2, "before": "", "sentence": "Whales sing at night [1].",
         "passages": EVIDENCE[:1]},
        {"number": 3, "before": FEES, "sentence": "Fees pay for paintings [2].",
         "passages": EVIDENCE[1:]},
    ]  # fmt: skip
    found = answer("RepairCitations", {"sentences": faulty}, 0)["repaired"]
    assert found == [
        {"number": 1, "text": f"{FEES[:-1]} [2]."},
        {"number": 2, "text": "Whales sing at night."},
        {"number": 3, "text": "Fees pay for paintings."},
    ]
