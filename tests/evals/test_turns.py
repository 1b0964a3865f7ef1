"""Figures over a debate's turns, and over an argument that was given its evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.arguments import Argument, ArgumentFile
from evals.contract import Tools
from evals.turns import TurnNovelty, TurnRelevance
from evals.wording import KeptWording
from modules.retrieval import MiniLM
from signatures.errors import InputError
from tests.support import ROOT

MONEY = "Entrance fees pay for guards and conservation."
FAMILIES = "A fee keeps poor families away from the museum."
WEATHER = "It rained all day in the mountains."


@pytest.fixture(scope="module")
def tools() -> Tools:
    return Tools(MiniLM())


def debate(*texts: str) -> dict[str, object]:
    turns = [{"id": f"t{n}", "text": text} for n, text in enumerate(texts, start=1)]
    return {"question": "Should museums charge a fee?", "debate": turns}


def test_a_turn_that_repeats_is_named_and_lowers_novelty(tools: Tools) -> None:
    new = TurnNovelty().score(debate(MONEY, FAMILIES), tools)
    stale = TurnNovelty().score(debate(MONEY, FAMILIES, MONEY), tools)
    assert new.value is not None
    assert stale.value == pytest.approx(new.value / 2, abs=1e-3)
    assert f't3 (0.00 new): "{MONEY}"' in stale.explanation
    assert TurnNovelty().score(debate(MONEY), tools).value is None
    assert TurnNovelty().score(debate(), tools).value is None


def test_a_turn_that_strays_is_named_and_lowers_relevance(tools: Tools) -> None:
    near = TurnRelevance().score(debate(MONEY, FAMILIES), tools)
    far = TurnRelevance().score(debate(MONEY, FAMILIES, WEATHER), tools)
    assert near.value is not None
    assert far.value is not None
    assert far.value < near.value
    assert "the turn furthest from it, t3" in far.explanation


@pytest.mark.parametrize("row", [{}, {"debate": "x"}, {"debate": [{"id": "t1"}]}])
def test_a_row_without_turns_is_a_bad_row(row: dict[str, object], tools: Tools) -> None:
    with pytest.raises(InputError):
        TurnNovelty().score({"question": "Q?", **row}, tools)


def test_wording_counts_what_is_kept_in_order() -> None:
    def score(text: str) -> float | None:
        return KeptWording().score({"argument": MONEY, "generation": text}, Tools()).value

    assert score(MONEY.replace(".", " [1].")) == 1.0
    assert score("Entrance fees pay for guards.") == pytest.approx(5 / 7)
    with pytest.raises(InputError, match="no argument"):
        KeptWording().score({"generation": MONEY}, Tools())


def test_each_partial_answer_is_an_argument_on_its_question(tmp_path: Path) -> None:
    own = ArgumentFile(name="own", path=ROOT / "data" / "questions" / "questions.jsonl", limit=4)
    found = own.items()
    assert len(found) == 4
    assert len({item.id for item in found}) == 4
    assert all(isinstance(item, Argument) and item.topic == "free-museums" for item in found)
    path = tmp_path / "own.jsonl"
    path.write_text('{"question": "Q?", "partial_answers": ["One.", "Two."]}\n')
    plain = ArgumentFile(name="own", path=path).items()
    assert [(item.text, item.topic) for item in plain] == [("One.", "Q?"), ("Two.", "Q?")]
