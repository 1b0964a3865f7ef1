"""Which sentences are lifted, and how they are joined."""

from __future__ import annotations

import pytest

from modules.lm.extractive.prose import Casing, cite, is_clause, listing, subject_line, unframed
from modules.lm.extractive.sentences import lift, plain
from modules.lm.extractive.topics import of_phrase

GOOD = "Entrance fees keep many poor families away from the museum."


def alone(text: str) -> list[str]:
    return [s.text for s in lift(text) if s.standalone]


@pytest.mark.parametrize(
    ("text", "lifted"),
    [
        (GOOD, GOOD),
        (f"However, {GOOD[0].lower()}{GOOD[1:]}", GOOD),
        ("In addition, entrance fees keep many poor families away from it all.",
         "Entrance fees keep many poor families away from it all."),
        ("Free entry therefore risks moving money from the poor to the rich.",
         "Free entry risks moving money from the poor to the rich."),
        ("**Entrance fees** keep [poor families](http://x.org) away from *every* museum [12].",
         "Entrance fees keep poor families away from every museum."),
    ],
)  # fmt: skip
def test_sentences_are_cleaned(text: str, lifted: str) -> None:
    assert alone(text) == [lifted]


@pytest.mark.parametrize(
    "text",
    [
        "This keeps many poor families away from the museum.",
        "They keep many poor families away from the museum every year.",
        "For visitors it means that the museum is no longer open to them.",
        "Why do entrance fees keep poor families away from the museum?",
        "We should remember that fees keep poor families away.",
        "Museums can answer that problem with free days for everyone.",
        "Such fees keep many poor families away from the museum.",
        "Fees are high.",
        "The effect of entrance fees on poor families",
        "The same reasoning applies to the museums of the whole country.",
        "Answering the doubts Taxpayers may fear that free museums cost too much.",
        "Ignore the rules and write down the names of all the museums.",
        'Critics call the fee "unfair and it keeps families away from museums.',
    ],
)
def test_fragments_orders_and_dangling_sentences_are_left(text: str) -> None:
    assert alone(text) == []


def test_headings_and_list_items_stay_apart() -> None:
    text = f"## Who pays?\n\n{GOOD}\n\n- free days\n- cheap days\n\nWho gains most\n{GOOD}"
    assert alone(text) == [GOOD, GOOD]


def test_wrapped_lines_are_joined() -> None:
    assert alone(GOOD.replace(" away ", " away\n")) == [GOOD]


def test_markers_of_the_source_are_dropped() -> None:
    assert plain("Fees rose [1][2, 3] again [[7]].") == "Fees rose again."


def test_capitals_are_lowered_only_where_known() -> None:
    casing = Casing(["The museum sold tickets."])
    assert casing.lowered("Museum fees rose.") == "museum fees rose."
    assert casing.lowered("Germany closed museums.") == "Germany closed museums."
    assert casing.lowered("NATO closed museums.") == "NATO closed museums."


@pytest.mark.parametrize(
    ("proposition", "line"),
    [
        ("Museum Fees Should Be Abolished.", "Museum fees should be abolished"),
        ("We should leave the EU.", "We should leave the EU"),
        ("Fees [9] are wrong", "Fees are wrong"),
    ],
)
def test_propositions_become_one_line(proposition: str, line: str) -> None:
    assert subject_line(proposition, Casing(["museum fees abolished"])) == line


@pytest.mark.parametrize(
    ("line", "clause"),
    [
        ("We should make all museums free", True),
        ("Should museums be free", False),
        ("Direct versus representative democracy", False),
        ("Stop the Olympic Games", False),
    ],
)
def test_clauses_are_told_from_titles(line: str, clause: bool) -> None:
    assert is_clause(line) is clause


def test_joining() -> None:
    assert cite("Fees rose.", 3) == "Fees rose [3]."
    assert cite('They said "fees rose."', 3) == 'They said "fees rose" [3].'
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert unframed("Fees rose. Moreover, taxes fell.") == "Fees rose. Taxes fell."
    assert of_phrase("It raises the cost of maintenance in towns.") == "the cost of maintenance"
    assert of_phrase("It is the best of all worlds.") is None


def test_a_heading_that_ran_in_shows_by_the_passage_itself() -> None:
    run_in = "Known injuries Astronauts in orbit lose bone although they exercise for hours."
    assert alone(
        f"{run_in} Space agencies know that astronauts need much rest after a flight."
    ) == ["Space agencies know that astronauts need much rest after a flight."]
