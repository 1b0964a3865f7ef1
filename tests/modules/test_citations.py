"""Markers: only the closed set survives. Citations: each is compared with its passage."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.citations import CitationCheck, balance, markers, references, render
from modules.retrieval import MiniLM
from signatures.types import Draft, Passage

FEES = (
    "Entrance fees give museum directors a source of income that they control. "
    "The museum in York opened a new wing in 2015 and employs 40 guards."
)
CROWDS = "Timed tickets spread visitors across the day. Fragile objects suffer in crowded rooms."


@pytest.fixture(scope="module")
def check() -> CitationCheck:
    return CitationCheck(MiniLM(), supported=0.65, weak=0.45)


def passages(*texts: str) -> list[Passage]:
    return [
        Passage(id=f"c{n}", text=text, source=f"s{n}.md", title=f"Title {n}")
        for n, text in enumerate(texts, start=1)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One [1]. Two [3][2].", [1, 3, 2]),
        ("List [1, 4;2].", [1, 4, 2]),
        ("Range [2-4] and [3–5].", [2, 3, 4, 5]),
        ("Not a marker [a], [1a], [].", []),
        ("[1] [1] [1]", [1]),
    ],
)
def test_markers(text: str, found: list[int]) -> None:
    assert markers(text) == found


def test_a_huge_range_stays_small() -> None:
    assert len(markers("[1-999999999]")) == 51


def test_render_drops_and_renumbers() -> None:
    text, order = render("Late [7] first. Then [2, 99] again [7]. Gone [0] [42].", 8)
    assert text == "Late [1] first. Then [2] again [1]. Gone."
    assert order == [7, 2]


@given(st.text(alphabet="ab. [],;-–0123456789\n", max_size=80), st.integers(0, 12))
def test_rendered_markers_are_always_a_closed_set(text: str, n_passages: int) -> None:
    rendered, order = render(text, n_passages)
    left = [int(n) for n in re.findall(r"\[(\d+)\]", rendered)]
    assert sorted(set(left)) == list(range(1, len(order) + 1))
    assert all(1 <= n <= n_passages for n in order)


def essay(check: CitationCheck, text: str) -> list[tuple[str, str]]:
    found = check(
        subject="Museums should be free", draft=Draft(text=text, passages=passages(FEES, CROWDS))
    )
    return [(c.sentence, c.verdict) for c in found.citations]


def test_a_faithful_sentence_is_supported(check: CitationCheck) -> None:
    [(sentence, verdict)] = essay(
        check, "Entrance fees give museum directors income that they control [1]."
    )
    assert verdict == "supported"
    assert sentence == "Entrance fees give museum directors income that they control."


@pytest.mark.parametrize(
    "text",
    [
        "Entrance fees give museum directors a source of income that they control [2].",
        "Whales migrate across the Pacific every winter [1].",
    ],
)
def test_a_wrong_passage_does_not_support(check: CitationCheck, text: str) -> None:
    assert essay(check, text)[0][1] == "unsupported"


@pytest.mark.parametrize(
    "text",
    [
        "The museum in York opened a new wing in 2015 and employs 90 guards [1].",
        "The museum in Leeds opened a new wing in 2015 and employs 40 guards [1].",
    ],
)
def test_an_invented_number_or_name_is_not_supported(check: CitationCheck, text: str) -> None:
    assert essay(check, text)[0][1] != "supported"


def test_the_quote_is_from_the_passage(check: CitationCheck) -> None:
    draft = Draft(text="Fragile objects suffer in crowds [2].", passages=passages(FEES, CROWDS))
    found = check(subject="Museums should be free", draft=draft)
    assert found.citations[0].quote in CROWDS
    assert (found.citations[0].marker, found.citations[0].chunk_id) == (1, "c2")


def test_uncited_sentences_are_listed_and_lower_recall(check: CitationCheck) -> None:
    draft = Draft(
        text="Fragile objects suffer in crowded rooms [2]. Fees are old.\n\nSo be it.",
        passages=passages(FEES, CROWDS),
    )
    found = check(subject="Museums should be free", draft=draft)
    assert found.uncited == ["Fees are old.", "So be it."]
    assert found.figures.recall == pytest.approx(1 / 3)
    assert found.figures.precision == 1.0


def test_figures_are_undefined_rather_than_zero(check: CitationCheck) -> None:
    found = check(subject="P", draft=Draft(text="Nothing is cited here.", passages=[]))
    assert found.figures.precision is None
    assert found.figures.evidence_balance is None
    assert found.figures.recall == 0.0


def test_balance_is_one_when_even_and_zero_when_one_sided() -> None:
    subject = "We should ban cars from city centres"
    good, bad = (
        "Cars harm the health of children and must be banned.",
        "A ban on cars would harm shops and is unfair to workers.",
    )
    assert balance(subject, passages(good, bad)) == pytest.approx(1.0)
    assert balance(subject, passages(good)) == 0.0


def test_references_are_one_line_per_marker(check: CitationCheck) -> None:
    draft = Draft(
        text="Fragile objects suffer in crowded rooms [2]. Timed tickets spread visitors [2].",
        passages=passages(FEES, CROWDS),
    )
    found = check(subject="P", draft=draft)
    assert references(found.citations) == ["[1] Title 2 (s2.md)"]
