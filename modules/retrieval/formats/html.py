"""HTML: boilerplate out, then ``unstructured``."""

from __future__ import annotations

import re
from dataclasses import replace

from lxml import etree, html

from modules.retrieval.decode import decode
from modules.retrieval.formats import declared
from modules.retrieval.formats.boilerplate import stripped, visible
from modules.retrieval.formats.elements import parsed
from modules.retrieval.formats.offline import prepare
from modules.retrieval.types import Parsed
from signatures.errors import InputError

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Void elements, and those whose end tag may be left out: they cannot nest without another.
_FLAT_TAGS = """area base br col dd dt embed hr img input li link meta optgroup option p param rp rt
    source tbody td tfoot th thead tr track wbr"""
_FLAT = frozenset(_FLAT_TAGS.split())
_MAX_DEPTH = 250


def read_html(raw: bytes) -> Parsed:
    """The main text of a page, and the title, date and language it declares."""
    charset = _CHARSET.search(raw[:4096])
    return html_blocks(decode(raw, charset.group(1).decode("ascii") if charset else None))


def html_blocks(text: str, *, furnished: bool = True) -> Parsed:
    """As :func:`read_html`, from text.

    Args:
        text: The page.
        furnished: Whether it may have navigation, footers and the like, which are dropped.

    Raises:
        InputError: Nothing is left, or elements nest too deeply to be a page.
    """
    _check_depth(text)
    try:
        page = html.document_fromstring(_DECLARATION.sub("", text))
    except etree.LxmlError as error:
        raise InputError("holds no readable HTML") from error
    title, lang, date = declared.title(page), declared.language(page), declared.date(page)
    kept = stripped(page) if furnished else visible(page)
    text = html.tostring(kept, encoding="unicode", with_tail=False)
    return replace(_partition(text, title), lang=lang, date=date)


def _partition(page: str, title: str) -> Parsed:
    prepare()
    from unstructured.partition.html import partition_html

    try:
        return parsed(partition_html(text=page, languages=[""]), title)
    except RecursionError as error:
        raise InputError("nests its elements too deeply") from error


def _check_depth(text: str) -> None:
    depth = 0
    for closing, name in _TAG.findall(text):
        if name.lower() not in _FLAT:
            depth = max(depth - 1, 0) if closing else depth + 1
        if depth > _MAX_DEPTH:
            raise InputError("nests its elements too deeply", expected=f"at most {_MAX_DEPTH}")
