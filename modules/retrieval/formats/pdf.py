"""PDF files that carry text, through ``pypdf`` (scans are refused: nothing here reads images)."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from modules.retrieval.types import Block, Parsed
from modules.text import normalise
from signatures.errors import InputError

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_MAX_PAGES = 3000
_HEADING = 1.15  # a heading's letters are this much larger than the body's
_HEADING_CHARS = 150
_BROKEN = re.compile(r"(\w+)-\n(\w+)")


class _Line(NamedTuple):
    text: str
    size: float


def read_pdf(raw: bytes) -> Parsed:
    """Text by page; lines in larger letters are headings, the first of them the title.

    Raises:
        InputError: It is encrypted, damaged, has too many pages, or no text.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its remarks on damage: ours is said
    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("is an encrypted PDF")
        if len(reader.pages) > _MAX_PAGES:
            raise InputError(f"has {len(reader.pages)} pages", expected=f"at most {_MAX_PAGES}")
        lines = [line for page in reader.pages for line in _lines(page)]
    except PyPdfError as error:
        raise InputError("is a damaged PDF", got=str(error)) from error
    if not any(line.text.strip() for line in lines):
        raise InputError("is a PDF without text (a scan?)")
    return _blocks(lines, _stated_title(reader))


def _lines(page: PageObject) -> list[_Line]:
    """The page's lines with the size of their letters, and an empty line behind them."""
    lines: list[_Line] = []
    parts: list[str] = []
    sizes: list[float] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        for index, piece in enumerate(text.split("\n")):
            if index:
                lines.append(_Line("".join(parts), max(sizes, default=0.0)))
                parts.clear()
                sizes.clear()
            parts.append(piece)
            if piece.strip():
                sizes.append(round(size * abs(tm[3] or tm[0] or 1.0), 1))

    page.extract_text(visitor_text=visit)
    return [*lines, _Line("".join(parts), max(sizes, default=0.0)), _Line("", 0.0)]


def _blocks(lines: list[_Line], title: str) -> Parsed:
    weights: Counter[float] = Counter()
    for line in lines:
        weights[line.size] += len(line.text.strip())
    body = weights.most_common(1)[0][0]
    blocks: list[Block] = []
    section, text = "", ""
    heading: list[str] = []
    for line in [*lines, _Line("", 0.0)]:
        large = line.size > _HEADING * body and len(line.text) <= _HEADING_CHARS
        if text and (large or not line.text.strip()) and _ended(text, large):
            blocks.append(Block(_joined(text), section))
            text = ""
        if large:
            heading.append(line.text.strip())
        elif line.text.strip():
            if heading:
                words = normalise(" ".join(heading))
                first = not blocks and not section
                title = title or (words if first else "")
                section = "" if first and words == title else words
                heading = []
            text += line.text + "\n"
    if text:
        blocks.append(Block(_joined(text), section))
    return Parsed(tuple(blocks), title)


def _ended(text: str, large: bool) -> bool:
    """Whether a gap ends a paragraph: a sentence that runs on over a page break does not."""
    return large or text.rstrip()[-1:] in ".!?:\"')\u2019\u201d"


def _joined(text: str) -> str:
    """Broken lines made whole; a hyphen at the break goes if the word stands whole elsewhere."""
    known = set(re.findall(r"\w+", text))

    def mend(match: re.Match[str]) -> str:
        whole = match.group(1) + match.group(2)
        return whole if whole in known else f"{match.group(1)}-{match.group(2)}"

    return _BROKEN.sub(mend, text)


def _stated_title(reader: PdfReader) -> str:
    stated = normalise(str((reader.metadata and reader.metadata.title) or ""))
    return "" if stated.lower() in ("untitled", "(anonymous)", "anonymous") else stated
