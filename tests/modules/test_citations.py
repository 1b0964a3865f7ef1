"""Markers: only the closed set survives. Citations: each is compared with its passage."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from modules.citations import CitationCheck, balance, markers, references, render
from modules.essay import CitationSettings
from modules.retrieval import MiniLM
from signatures.errors import ReplyError
from signatures.types import Citation, Draft, Passage

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


@pytest.mark.parametrize(
    "variant",
    ["【7】", "［7］", "〔7〕", "[^7]", "[ 7 ]", r"\[7\]", "【7†source】", "[７]", "【 ^7]"],
)
def test_every_dress_of_a_marker_is_made_plain(variant: str) -> None:
    assert markers(variant) == [7]
    assert render(f"So it is {variant}.", 7) == ("So it is [1].", [7])
    assert render(f"So it is {variant}.", 6) == ("So it is.", [])


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("So [3](http://evil).", "So [1]."),
        ('So [3](<http://evil> "now") it is.', "So [1] it is."),
        ("So [3](javascript:f(1)) it is.", "So [1] it is."),
        ("So [^3](see also above).", "So [1] (see also above)."),
        ("So [3](((http://evil.", "So [1] (((http://evil."),
        ("So [9](http://evil).", "So."),
        ("So [3][9](http://evil).", "So [1]."),
    ],
)
def test_a_marker_is_never_a_link(text: str, rendered: str) -> None:
    assert render(text, 3) == (rendered, [3] if "[1]" in rendered else [])


@pytest.mark.parametrize(
    "tail",
    [
        "References\n[2] A book\n[3] Another",
        "## References\n\n- [2] A book\n\n- Smith (2020). Another.",
        "---\n\n**Sources:**\n1. A book",
        "Sources:\nA book",
        "Sources: [2] a book, [3] another",
        "Bibliography",
        "### Works Cited ###\n#### Books\nA book",
        "[^2]: A book\n\n[^3]: http://evil",
    ],
)
def test_the_writers_own_reference_list_is_cut(tail: str) -> None:
    assert render(f"Fees help [2].\n\n{tail}", 3) == ("Fees help [1].", [2])


def test_a_section_after_the_reference_list_stays() -> None:
    text, _ = render("Fees help.\n\n## Sources\n[1] A\n\n## Conclusion\n\nSo be it.", 1)
    assert text == "Fees help.\n\n## Conclusion\n\nSo be it."


@pytest.mark.parametrize(
    "text",
    [
        "References",
        "It comes from many\nsources\nof the time.",
        "Sources differ.\n\nReferences to the past abound.",
        "Fees help.\n\nSources: [1] says so.\n\nSo be it [1].",
    ],
)
def test_prose_on_sources_stays(text: str) -> None:
    assert render(text, 1)[0] == text


def test_a_year_in_brackets_is_outside_the_set() -> None:
    assert render("The ban [2024] held [12345] on.", 12) == ("The ban held on.", [])


@pytest.mark.parametrize("text", ["[" + "9" * 5000 + "]", "[" + "0" * 5000 + "1 - 9]"])
def test_numbers_beyond_reading_are_outside_every_set(text: str) -> None:
    assert all(n >= 10**9 for n in markers(text))
    assert render(f"So {text}.", 9) == ("So.", [])


def test_a_dropped_marker_leaves_none_behind() -> None:
    assert render("So [[9]1] it [1[9]] is [[9][9]2].", 1) == ("So [1] it [1] is.", [1])


PIECES = [*"ab. [],;-–0123456789\n【】［］〔〕^()#:\\†７", "[1]", "[^2]", "](x)", "\nReferences\n"]


@given(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.integers(0, 12),
)
def test_rendered_markers_are_always_a_closed_set(text: str, n_passages: int) -> None:
    rendered, order = render(text, n_passages)
    left = [int(n) for n in re.findall(r"[\[【［〔]\s*\^?(\d+)\s*[\]】］〕]", rendered)]
    assert sorted(set(left)) == list(range(1, len(order) + 1))
    assert all(1 <= n <= n_passages for n in order)
    assert not re.search(r"\[\d+\]\(", rendered)


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


def test_titles_in_references_are_one_line() -> None:
    forged = Citation(
        marker=1, chunk_id="c", source="a\u202eb.md\x1b[2J", title="A\n\n## Forged\x07\n[2] B",
        sentence="", quote="", verdict="weak",
    )  # fmt: skip
    assert references([forged]) == ["[1] A ## Forged [2] B (ab.md)"]


@pytest.mark.parametrize("text", ["[1]", "[1] [2].\n\n \n\n[2]", "【2】"])
def test_an_essay_of_markers_alone_claims_nothing(check: CitationCheck, text: str) -> None:
    found = check(subject="P", draft=Draft(text=text, passages=passages(FEES, CROWDS)))
    assert {c.marker for c in found.citations} == set(markers(found.text))
    assert {c.verdict for c in found.citations} == {"unsupported"}
    assert (found.uncited, found.figures.recall) == ([], None)


@pytest.mark.parametrize("text", [" ", "\n\n \n\n", "[3] [4]\n\n[5]"])
def test_an_essay_of_which_nothing_is_left_is_refused(check: CitationCheck, text: str) -> None:
    with pytest.raises(ReplyError, match="nothing but"):
        check(subject="P", draft=Draft(text=text, passages=passages(FEES, CROWDS)))


def test_blank_passages_support_nothing(check: CitationCheck) -> None:
    draft = Draft(text="Fees are old [1].", passages=passages(" \n "))
    assert check(subject="P", draft=draft).citations[0].verdict == "unsupported"


def test_weak_must_not_exceed_supported() -> None:
    assert CitationSettings(supported=0.5, weak=0.5).weak == 0.5
    with pytest.raises(ValidationError, match="weak must not exceed supported"):
        CitationSettings(supported=0.4, weak=0.5)
