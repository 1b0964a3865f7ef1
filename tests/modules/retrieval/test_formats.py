"""Every file type to title and blocks; nothing of ours can be forged, nothing hidden survives."""

import csv
import io
from pathlib import Path

import docx
import pptx
import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate

from modules.retrieval.partition import clean, partition
from modules.retrieval.types import Candidate, Document, Origin


def read(kind: str, raw: bytes, **known: str) -> Document:
    origin = Origin(f"some-name.{kind}", kind=kind, **known)
    return partition(Candidate(origin, Path("unused")), raw)


def sections(document: Document) -> list[tuple[str, str]]:
    return [(block.section, block.text) for block in document.blocks]


def test_markdown_with_front_matter() -> None:
    raw = b"""---
title: "Free museums"
date: 2024-05-01
lang: en
---
# Another title

Entry is *free* [here](http://a.b).

## Costs
- staff
- heating

<script>alert(1)</script>
"""
    document = read("md", raw)
    assert document.origin.title == "Free museums"
    assert (document.origin.date, document.origin.lang) == ("2024-05-01", "en")
    assert sections(document) == [
        ("", "Entry is free here."),
        ("Costs", "staff"),
        ("Costs", "heating"),
    ]


def test_html_drops_boilerplate() -> None:
    raw = b"""<!doctype html><html lang="en-GB"><head><title>Votes | Site</title>
    <style>p{}</style></head><body><header><h1>Votes</h1>Login</header><nav>Home</nav>
    <main><p>Machines count fast.</p><h2>Risks</h2><p>They can fail<script>x()</script>.</p>
    <p style="display: none">hidden</p><aside>Ad</aside></main><footer>Imprint</footer></body>"""
    document = read("html", raw)
    assert (document.origin.title, document.origin.lang) == ("Votes", "en")
    assert sections(document) == [("", "Machines count fast."), ("Risks", "They can fail.")]


def test_html_in_its_declared_encoding() -> None:
    raw = '<html><meta charset="koi8-r"><p>Музеи должны быть бесплатными</p>'.encode("koi8-r")
    assert read("html", raw).blocks[0].text == "Музеи должны быть бесплатными"


def test_text_with_and_without_a_title() -> None:
    titled = read("txt", b"Animal testing\r\n\r\nAnimals feel\r\npain.\r\n\r\nMedicine matters.")
    assert titled.origin.title == "Animal testing"
    assert [block.text for block in titled.blocks] == ["Animals feel pain.", "Medicine matters."]
    plain = read("txt", b"Animals feel pain.")
    assert (plain.origin.title, len(plain.blocks)) == ("some name", 1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_encodings(encoding: str) -> None:
    assert read("txt", "Café owners’ view.".encode(encoding)).blocks[0].text == "Café owners’ view."


def test_csv_rows_carry_their_columns() -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows([["claim", "reason"], ["It helps", 'a "b"; c']])
    assert sections(read("csv", out.getvalue().encode())) == [
        ("", 'claim: It helps; reason: a "b"; c')
    ]


def test_email() -> None:
    raw = (
        b"From: a@example.org\nSubject: =?utf-8?q?Age_limits_=E2=9C=93?=\n"
        b"Date: Mon, 01 Jan 2024 10:00:00 +0100\nContent-Type: text/plain; charset=latin-1\n\n"
        b"Experience counts, caf\xe9 or not.\n\n> a quoted line\n\nSo do stakes.\n"
    )
    document = read("eml", raw)
    assert (document.origin.title, document.origin.date) == ("Age limits ✓", "2024-01-01")
    assert [b.text for b in document.blocks] == [
        "Experience counts, café or not.",
        "So do stakes.",
    ]


def test_word_file() -> None:
    file, out = docx.Document(), io.BytesIO()
    file.add_heading("School uniforms", 0)
    file.add_paragraph("Uniforms hide differences in income.")
    file.add_heading("Against", 1)
    file.add_paragraph("Pupils lose a way to express themselves.")
    file.save(out)
    document = read("docx", out.getvalue())
    assert document.origin.title == "School uniforms"
    assert [block.section for block in document.blocks] == ["", "Against"]


def test_slides() -> None:
    deck, out = pptx.Presentation(), io.BytesIO()
    for title, text in (("Nuclear power", "Low carbon"), ("Waste", "It lasts for long")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    deck.save(out)
    document = read("pptx", out.getvalue())
    assert document.origin.title == "Nuclear power"
    assert sections(document) == [("", "Low carbon"), ("Waste", "It lasts for long")]


def test_pdf_headings_by_size(tmp_path: Path) -> None:
    styles = getSampleStyleSheet()
    SimpleDocTemplate(str(tmp_path / "a.pdf")).build(
        [
            Paragraph("A four-day week", styles["Title"]),
            Paragraph("Workers gain a day of rest. " * 12, styles["BodyText"]),
            Paragraph("Costs", styles["Heading2"]),
            Paragraph("Firms must hire more staff. " * 12, styles["BodyText"]),
        ]
    )
    document = read("pdf", (tmp_path / "a.pdf").read_bytes())
    assert document.origin.title == "A four-day week"
    assert [block.section for block in document.blocks] == ["", "Costs"]
    assert document.blocks[0].text.startswith("Workers gain a day of rest. Workers gain")


def test_what_the_caller_knows_goes_first() -> None:
    document = read("md", b"# Heading\n\nText here.", title="Given [1]", topic="museums")
    assert (document.origin.title, document.origin.topic) == ("Given (1)", "museums")


def test_markers_cannot_pose_as_citations() -> None:
    assert clean("a [3], b [1, 2] c [4-6] d [\u200b7] e ［8］ f 【9】 g [^10]") == (
        "a (3), b (1, 2) c (4-6) d (7) e (8) f (9) g (^10)"
    )
    assert clean("[see 3] [x]") == "[see 3] [x]"
    page = b"<p>As shown<sup>[3]</sup> and [<b>4</b>].</p>"
    assert read("html", page).blocks[0].text == "As shown(3) and (4)."


def test_invisible_characters_are_removed() -> None:
    assert read("txt", "Mu\u200bseums\u202e are\u2066 free.".encode()).blocks[0].text == (
        "Museums are free."
    )
