"""Queries taken apart, by the engine without weights and by a model over the wire."""

from __future__ import annotations

import random

import dspy
import pytest

from modules.lm.backends import ExtractiveBackend
from modules.lm.extractive.perspective import find_perspective
from modules.lm.ledger import Ledger
from modules.perspectives import PerspectiveExtraction, taken_apart
from modules.retrieval.aiming import Aim


@pytest.mark.parametrize(
    ("query", "perspective", "root"),
    [
        ("Find a claim that opposes the argument: Museums are free",
         "a claim that opposes the argument", "Museums are free"),
        ("find a news article from the left wing on the topic: taxes",
         "a news article from the left wing", "taxes"),
        ("What is the legal age of marriage in Nebraska?", "in Nebraska",
         "What is the legal age of marriage ?"),
        ("Museums should be free", "", "Museums should be free"),
    ],
)  # fmt: skip
def test_the_engine_without_weights_goes_by_grammar(
    query: str, perspective: str, root: str
) -> None:
    found = find_perspective({"query": {"text": query}}, random.Random(0))["perspective"]
    assert taken_apart(query, found or "").texts == (query, root, perspective)


def test_extraction_is_a_stage_like_others() -> None:
    backend = ExtractiveBackend()
    with dspy.context(lm=backend.lm("planner", Ledger()), adapter=backend.adapter()):
        aim = PerspectiveExtraction()(query="Find a claim that supports the plan: build it")
    assert (aim.root, aim.perspective) == ("build it", "a claim that supports the plan")
    assert aim.side == 1 and taken_apart("reasons against museums", "against").side == -1


def test_words_that_are_not_in_the_query_are_no_perspective() -> None:
    assert taken_apart("free museums", "against") == Aim("free museums", "free museums", "")
    assert taken_apart("against it", "against it").root == "against it"
