"""What a page says of itself: its title, date and language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lxml import etree, html

from modules.text import normalise

_DATED = (
    "article:published_time", "citation_publication_date", "citation_date", "dc.date.issued",
    "dcterms.issued", "dcterms.created", "dc.date", "dcterms.date", "pubdate", "date",
)  # fmt: skip
_DAY = re.compile(r"(\d{4})[-/](0[1-9]|1[0-2])[-/](0[1-9]|[12]\d|3[01])")
_META = etree.XPath("//meta[@content]")
_TIMES = etree.XPath("//*[@itemprop='datePublished']|//time[@pubdate]")
_LINKED_DATA = etree.XPath("//script[@type='application/ld+json']")
_MOST = 100_000  # characters of linked data


def title(page: html.HtmlElement) -> str:
    """The page's name: its first heading where ``<title>`` only adds the site's name to it."""
    named = normalise(page.findtext(".//title") or "")
    heading = next((normalise(h1.text_content()) for h1 in page.iter("h1")), "")
    return heading if heading and (not named or named.startswith(heading)) else named


def language(page: html.HtmlElement) -> str:
    """The language code the page declares, as it does."""
    own = page.get("lang") or page.get("{http://www.w3.org/XML/1998/namespace}lang")
    return own or _meta(page).get("content-language", "") or _meta(page).get("og:locale", "")


def date(page: html.HtmlElement) -> str:
    """The day of publication the page declares, as YYYY-MM-DD; empty where it declares none."""
    meta = _meta(page)
    said = [meta[name] for name in _DATED if name in meta]
    said += [time.get("datetime") or time.get("content") or "" for time in _TIMES(page)]
    said += _linked_dates(page)
    days = (_DAY.search(text) for text in said)
    return next(("-".join(day.groups()) for day in days if day), "")


def _meta(page: html.HtmlElement) -> dict[str, str]:
    """The page's meta elements by lower-case name, the first of each."""
    found: dict[str, str] = {}
    for element in _META(page):
        for kind in ("name", "property", "http-equiv", "itemprop"):
            name = element.get(kind)
            if name:
                found.setdefault(name.strip().lower(), element.get("content").strip())
    return found


def _linked_dates(page: html.HtmlElement) -> Iterator[str]:
    """``datePublished`` of the page's linked data (schema.org), at its top level."""
    for script in _LINKED_DATA(page):
        try:
            told = json.loads((script.text or "")[:_MOST])
        except (ValueError, RecursionError):
            continue
        graph = told.get("@graph", [told]) if isinstance(told, dict) else told
        for node in graph if isinstance(graph, list) else ():
            if isinstance(node, dict) and isinstance(node.get("datePublished"), str):
                yield node["datePublished"]


__all__ = ["date", "language", "title"]
