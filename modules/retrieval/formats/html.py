"""HTML: boilerplate out, then ``unstructured``."""

from __future__ import annotations

import re
from dataclasses import replace

from lxml import etree, html

from modules.retrieval.decode import decode
from modules.retrieval.formats.elements import parsed
from modules.retrieval.formats.offline import prepare
from modules.retrieval.types import Parsed
from modules.text import normalise
from signatures.errors import InputError

_BOILERPLATE = etree.XPath(
    "//header|//nav|//footer|//aside|//script|//style|//template|//noscript|//iframe|//form"
    "|//button|//svg|//object|//embed|//comment()|//processing-instruction()"
    "|//*[@hidden or @aria-hidden='true']"
    "|//*[@role='navigation' or @role='banner' or @role='contentinfo' or @role='complementary']"
    "|//*[contains(translate(@style, ' ', ''), 'display:none')]"
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Void elements, and those whose end tag may be left out: they cannot nest without another.
_FLAT_TAGS = """area base br col dd dt embed hr img input li link meta optgroup option p param rp rt
    source tbody td tfoot th thead tr track wbr"""
_FLAT = frozenset(_FLAT_TAGS.split())
_MAX_DEPTH = 250


def read_html(raw: bytes) -> Parsed:
    """The main text of a page; the title from ``<title>`` or the first ``<h1>``."""
    declared = _CHARSET.search(raw[:4096])
    return html_blocks(decode(raw, declared.group(1).decode("ascii") if declared else None))


def html_blocks(text: str) -> Parsed:
    """As :func:`read_html`, from text.

    Raises:
        InputError: Nothing is left, or elements nest too deeply to be a page.
    """
    _check_depth(text)
    try:
        page = html.document_fromstring(_DECLARATION.sub("", text))
    except etree.LxmlError as error:
        raise InputError("holds no readable HTML") from error
    title, lang = _title(page), (page.get("lang") or "")[:2].lower()
    for element in _BOILERPLATE(page):
        if element.getparent() is not None:
            element.drop_tree()
    return replace(_partition(html.tostring(page, encoding="unicode"), title), lang=lang)


def _partition(page: str, title: str) -> Parsed:
    prepare()
    from unstructured.partition.html import partition_html

    try:
        return parsed(partition_html(text=page, languages=[""]), title)
    except RecursionError as error:
        raise InputError("nests its elements too deeply") from error


def _title(page: html.HtmlElement) -> str:
    """The page's name: its first heading where ``<title>`` only adds the site's name to it."""
    named = normalise(page.findtext(".//title") or "")
    heading = next((normalise(h1.text_content()) for h1 in page.iter("h1")), "")
    return heading if heading and (not named or named.startswith(heading)) else named


def _check_depth(text: str) -> None:
    depth = 0
    for closing, name in _TAG.findall(text):
        if name.lower() not in _FLAT:
            depth = max(depth - 1, 0) if closing else depth + 1
        if depth > _MAX_DEPTH:
            raise InputError("nests its elements too deeply", expected=f"at most {_MAX_DEPTH}")
