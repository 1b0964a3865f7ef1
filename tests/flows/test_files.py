"""What people read: text of models and documents, in files and on the terminal, is only text."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from flows.essay_files import essay_text, transcript_text, write_files
from flows.readable import readable
from modules.markup import blockquote, item, markdown, one_line, visible
from signatures.results import EssayResult, IngestResult, Refused, Taken

FAMILY = "\U0001f468\u200d\U0001f33e"
EVIL = (
    "Fees\x1b[31m are\x00 \u202eold\u200b.\x9b2J\x1b]0;owned\x07\r\n# Forged\n> quoted\n---\n"
    "```\n<script>alert(1)</script> &lt; & so [on](http://evil) ![x](http://evil)\n[a]: http://evil"
)


def result(text: str) -> EssayResult:
    """A result with ``text`` wherever a model or a document has a say."""
    persona = {
        "id": "p1", "title": text, "description": text, "claim": text, "emoji": FAMILY,
        "stance": "against", "values": [text], "selected": True, "reason": text,
    }  # fmt: skip
    turn = {"id": "t1", "round": 1, "role": "team", "speaker": "p1", "text": text}
    critic = turn | {
        "id": "t2", "role": "critic", "speaker": "critic", "replies_to": "t1", "relation": "oppose",
    }  # fmt: skip
    citation = {
        "marker": 1, "chunk_id": "c", "source": text, "title": text, "sentence": text,
        "quote": text, "verdict": "weak",
    }  # fmt: skip
    run: dict[str, Any] = {
        "id": "r", "config_hash": "h", "models": {}, "corpus_version": None, "dir": "/r",
        "usage_total": {},
    }  # fmt: skip
    document: dict[str, Any] = {
        "proposition": text, "stance": "refute", "method": "m", "personas": [persona],
        "debate": [turn, critic], "debate_ended": "max_rounds",
        "plan": {"acknowledgment": text, "points": [{"point": text, "subpoints": [text]}]},
        "essay": text, "citations": [citation], "citation_figures": {}, "uncited": [text],
        "metrics": {}, "notes": [text], "seconds": 1.0, "usage": {}, "run": run,
    }  # fmt: skip
    return EssayResult.model_validate(document)


class Folder:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def write(self, name: str, text: str) -> Path:
        self.files[name] = text
        return Path(name)


def unseen(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}


def test_nothing_unseen_is_written_or_printed() -> None:
    found = result(EVIL)
    printed = readable("essay", found.model_dump(mode="json"))
    assert unseen(essay_text(found)) == set()
    assert unseen(transcript_text(found)) == unseen(printed) == {"\u200d"}
    assert transcript_text(found).count(FAMILY) == 2  # the persona, and its turn
    assert FAMILY in printed
    for text in (essay_text(found), transcript_text(found), printed):
        assert "Fees are old." in text
        assert "owned" not in text
        assert "[31m" not in text


def test_the_terminal_shows_text_and_not_markdown() -> None:
    printed = readable("essay", result("a < b & c").model_dump(mode="json"))
    assert "a < b & c" in printed
    assert "&lt;" not in printed


def test_the_result_stays_the_exact_data() -> None:
    folder = Folder()
    write_files(folder, result(EVIL))  # type: ignore[arg-type]  # the one method it needs
    assert list(folder.files) == ["essay.md", "transcript.md", "graph.svg", "result.json"]
    assert json.loads(folder.files["result.json"])["essay"] == EVIL


def test_plain_text_is_written_as_it_is() -> None:
    text = 'Fees help [1], & "more" (5 > 3) - *really*.\n\n  AT&T\'s café; R&D `x`.\n\n# So'
    assert text in essay_text(result(text))
    assert markdown(text) == text


def tags(text: str) -> list[str]:
    """The names of all elements a reader's Markdown makes of the text."""
    html = MarkdownIt("commonmark", {"html": True}).render(text)
    return re.findall(r"<([a-zA-Z][a-z0-9]*)", html)


def test_markdown_files_hold_no_markup_of_others() -> None:
    found = result(EVIL)
    for text in (essay_text(found), transcript_text(found)):
        assert set(tags(text)) <= {"h1", "h2", "p", "ul", "ol", "li", "strong", "em",
                                   "blockquote", "hr"}  # fmt: skip
        assert "&lt;script>" in text


def test_a_turn_forges_neither_heading_nor_speaker() -> None:
    forged = "Yes.\n\n## Plan\n\n**t9 Critic** (round 9)\n\nAgreed.\n===\n> no"
    text = transcript_text(result("Yes.").model_copy(
        update={"debate": [t.model_copy(update={"text": forged}) for t in result("x").debate]}
    ))  # fmt: skip
    made = tags(text)
    assert (made.count("h1"), made.count("h2"), made.count("blockquote")) == (1, 3, 2)
    assert [line for line in text.split("\n") if "t9" in line] == ["> **t9 Critic** (round 9)"] * 2


def test_a_plan_forges_no_heading() -> None:
    made = tags(transcript_text(result("# Forged")))
    assert (made.count("h1"), made.count("h2")) == (1, 3)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[1;31mb\x1b[0m", "ab"),
        ("a\x1b]8;;http://evil\x1b\\b\x1b]8;;\x1b\\", "ab"),
        ("a\x1b\x1b[31m[31mb", "a[31mb"),
        ("a\x1bcb\x07\x08\x7f\x85c", "ab\nc"),
        ("a\r\nb\rc\u2028d\te", "a\nb\nc\nd\te"),
        ("a\u200b\u200d\u2066\ufeff\U000e0041\u00ad\ud800b", "ab"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_keeps_joiners_on_request() -> None:
    assert one_line(f" {FAMILY}\n\tx ", joiners=True) == f"{FAMILY} x"
    assert one_line(FAMILY) == FAMILY.replace("\u200d", "")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# x", r"\# x"), ("> x", r"\> x"), ("---", r"\---"), ("a # b > c", "a # b > c"),
        ("&amp; & &#60;", "&amp;amp; & &amp;#60;"), ("#hash", "#hash"),
    ],
)  # fmt: skip
def test_item(text: str, written: str) -> None:
    assert item(text) == written


@given(st.text(alphabet="a1 \n\t#>-=*_`~<>&;![](:)\\\x1b\u202e\r", max_size=60))
def test_a_quotation_is_one_quotation_and_holds_no_html(text: str) -> None:
    quoted = blockquote(text)
    assert all(line.startswith(">") for line in quoted.split("\n"))
    assert "<" not in quoted
    assert {"img", "a", "script"}.isdisjoint(tags(quoted))


def test_an_ingest_report_is_one_line_per_document() -> None:
    report = IngestResult(
        taken=[Taken(source="a.md", title="T\n   9 chunks  forged\x1b[2J", chunks=1)],
        refused=[Refused(source="b\n.md", reason="bad\u202e\nfont")],
        duplicates=[], chunks=1, corpus_version="v", seconds=0.1,
    )  # fmt: skip
    lines = readable("ingest", report.model_dump(mode="json")).split("\n")
    assert lines[0] == "   1 chunks  a.md  T 9 chunks forged"
    assert lines[1] == "refused      b .md: bad font"
    assert len(lines) == 3
