"""Text, Markdown, CSV and e-mail."""

from __future__ import annotations

import csv
import email
import email.policy
import io
import re
from dataclasses import replace
from email.utils import parsedate_to_datetime

from modules.retrieval.decode import decode
from modules.retrieval.formats.html import html_blocks
from modules.retrieval.types import Block, Parsed
from modules.text import normalise
from signatures.errors import InputError

_BLANK = re.compile(r"\n[ \t]*\n\s*")
_FRONT = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|date|url|topic|lang)\s*:\s*(.+?)\s*$", re.MULTILINE)
_TITLE_WORDS = 14
_LONG_BLOCK = 100_000  # characters


def read_txt(raw: bytes) -> Parsed:
    """Paragraphs between blank lines; a short first line without a full stop is the title."""
    return text_blocks(decode(raw))


def text_blocks(text: str) -> Parsed:
    """As :func:`read_txt`, from text."""
    paragraphs = _BLANK.split(_newlines(text).strip())
    first = normalise(paragraphs[0])
    titled = len(paragraphs) > 1 and len(first.split()) <= _TITLE_WORDS and first[-1:] not in ".!;,"
    blocks = [Block(line) for part in paragraphs[titled:] for line in _lines(part)]
    return Parsed(tuple(blocks), first if titled else "")


def read_md(raw: bytes) -> Parsed:
    """Markdown by way of HTML; simple front matter gives title, date, url, topic and lang."""
    from markdown_it import MarkdownIt

    text = _newlines(decode(raw))
    front = _FRONT.match(text)
    fields = dict(_FIELD.findall(front.group(1))) if front else {}
    body = text[front.end() :] if front else text
    # Not the library "markdown": its time is quadratic in open brackets.
    page = html_blocks(
        MarkdownIt("commonmark").enable("table").render(body) or "<p></p>", furnished=False
    )
    return replace(page, **{name: value.strip("'\"") for name, value in fields.items()})


def read_csv(raw: bytes) -> Parsed:
    """One block per row, each cell behind the name of its column.

    Raises:
        InputError: The rows cannot be told apart.
    """
    text = _newlines(decode(raw))
    head = text[:10_000]
    delimiter = max(",;\t|", key=head.split("\n", 1)[0].count)
    try:
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter, restkey="more"))
    except csv.Error as error:
        raise InputError("is no readable CSV", got=str(error)) from error
    return Parsed(tuple(Block(_row(row)) for row in rows))


def read_eml(raw: bytes) -> Parsed:
    """The body of an e-mail, plain before HTML; the subject is the title; no attachments.

    Raises:
        InputError: It has no headers of an e-mail, or no text.
    """
    message = email.message_from_bytes(raw, policy=email.policy.default)
    if not any(name in message for name in ("From", "Subject", "Date", "Message-ID")):
        raise InputError("has no e-mail headers")
    body = message.get_body(("plain", "html"))
    if body is None:
        raise InputError("is an e-mail without text")
    payload = body.get_payload(decode=True)
    text = decode(payload if isinstance(payload, bytes) else b"", body.get_content_charset())
    page = html_blocks(text) if body.get_content_subtype() == "html" else _body(text)
    return replace(page, title=str(message["Subject"] or ""), date=_date(message["Date"]))


def _body(text: str) -> Parsed:
    kept = (line for line in _newlines(text).split("\n") if not line.startswith(">"))
    parts = _BLANK.split("\n".join(kept).strip())
    return Parsed(tuple(Block(line) for part in parts for line in _lines(part)))


def _date(value: object) -> str:
    try:
        return parsedate_to_datetime(str(value)).date().isoformat() if value else ""
    except ValueError:
        return ""


def _row(row: dict[str, str | list[str] | None]) -> str:
    told = []
    for name, cell in row.items():
        value = " ".join(cell) if isinstance(cell, list) else cell or ""
        if name and value.strip():
            told.append(f"{name}: {value}")
    return "; ".join(told)


def _lines(paragraph: str) -> list[str]:
    return [paragraph] if len(paragraph) <= _LONG_BLOCK else paragraph.split("\n")


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
