"""A page without its furniture: navigation, cookie notes, footers, advertisements.

Rules over tags, roles, class names and links, each bounded by how much of the page's prose (words
outside links) it would take away: a form, or a ``div class="with-sidebar"``, that wraps the whole
article is no furniture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from lxml import etree, html

_INERT = etree.XPath(
    "//script|//style|//template|//noscript|//iframe|//button|//svg|//object|//embed|//select"
    "|//comment()|//processing-instruction()"
    "|//*[@hidden or @aria-hidden='true']"
    "|//*[contains(translate(@style, ' ', ''), 'display:none')]"
)
_TAGGED = etree.XPath(
    "//nav|//footer|//aside|//dialog|//form|//header[not(ancestor::article or ancestor::main)]"
    "|//*[@role='navigation' or @role='banner' or @role='contentinfo' or @role='complementary'"
    " or @role='search' or @role='dialog' or @role='alertdialog']"
)
_NAMED = etree.XPath("//*[@class or @id]")
_BLOCKS = ("p", "ul", "ol", "div")
_WRAPPERS = ("form", "table", "tbody", "tr", "td")
_TITLES = ("h1", "h2", "h3")
_LANDMARKS = etree.XPath("//main|//article|//*[@role='main']")
_MAINS = etree.XPath("//main|//*[@role='main']")
_ARTICLES = etree.XPath("//article|//*[@itemprop='articleBody']")

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_CERTAIN = "breadcrumb breadcrumbs ccpa comments consent cookie cookies disqus gdpr newsletter"
_LIKELY = """
    ad ads advert advertisement advertising banner footer masthead menu modal nav navbar navigation
    overlay pager pagination paywall popup promo promotion recommended related share sharing sidebar
    signup skip skiplink social sponsor sponsored subscribe teasers toolbar"""
_SURE_NAMES = frozenset(_CERTAIN.split())
_NAMES = frozenset(_LIKELY.split())
_ROOTS = ("html", "body", "main", "article")

_MOST = 0.8
"""The share of a page's prose that no furniture has."""

_MOST_NAMED = 1 / 3
"""The same for what only a class name, which may mean something else, calls furniture."""

_MAIN = 0.6
"""The share of the prose that makes a region the page's main one."""

_LINKED = 0.8
"""The share of words in links from which a list is one of links."""

_LINKS = 3


class _Tally(NamedTuple):
    """What an element holds with all below it: words outside links, words in links, links."""

    prose: int
    linked: int
    links: int


def stripped(page: html.HtmlElement) -> html.HtmlElement:
    """The part of ``page`` that is its text. Changes ``page``."""
    visible(page)
    tallies = _tallies(page)
    whole = max(tallies[page].prose, 1)
    landmarks, headed = _around(_LANDMARKS(page)), _around(page.iter("h1"))
    _drop(
        element
        for element in _TAGGED(page)
        if element not in landmarks
        and not (element.tag == "form" and element in headed)
        and tallies[element].prose <= _MOST * whole
    )
    guarded = landmarks | headed
    _drop(
        element
        for element in _NAMED(page)
        if element not in guarded and _is_named(element, tallies[element].prose / whole)
    )
    blocks = _around(page.iter(*_BLOCKS))
    _drop(
        element
        for element in page.iter(*_BLOCKS)
        if _is_links(tallies[element]) and not (element.tag == "div" and element in blocks)
    )
    titled = _around(page.iter(*_TITLES))
    for element in list(page.iter(*_WRAPPERS)):
        # A form around the article, a table that lays out the page: no reader looks inside.
        if element.tag == "form" or element in titled:
            element.tag = "div"
    return _main(page)


def visible(page: html.HtmlElement) -> html.HtmlElement:
    """The page without what a reader does not see, or cannot read. Changes ``page``."""
    _drop(_INERT(page))
    return page


def _is_named(element: html.HtmlElement, share: float) -> bool:
    """Whether its class or id calls it furniture, and it has no more of the prose than that."""
    if element.tag in _ROOTS:
        return False
    called = f"{element.get('class')} {element.get('id')}"
    names = {token.lower() for token in _TOKEN.findall(called)}
    if element.get("id") == "header":
        names.add("banner")
    most = _MOST if names & _SURE_NAMES else _MOST_NAMED if names & _NAMES else -1.0
    return share <= most


def _is_links(tally: _Tally) -> bool:
    """Whether an element holds links and next to nothing else."""
    return tally.links >= _LINKS and tally.linked >= _LINKED * (tally.linked + tally.prose)


def _main(page: html.HtmlElement) -> html.HtmlElement:
    """The one region that holds most of what is left, or the page."""
    tallies = _tallies(page)
    for regions in (_ARTICLES(page), _MAINS(page)):
        share = tallies[regions[0]].prose / max(tallies[page].prose, 1) if regions else 0.0
        if len(regions) == 1 and share >= _MAIN:
            return regions[0]
    return page


def _tallies(page: html.HtmlElement) -> dict[html.HtmlElement, _Tally]:
    """Each element's tally, in one walk: pages may be large, and nested on purpose."""
    found: dict[html.HtmlElement, _Tally] = {}
    for element in reversed(list(page.iter())):  # what is below comes first
        below = [found[child] for child in element]
        own = _words(element.text) + sum(_words(child.tail) for child in element)
        prose, linked, links = (sum(each) for each in zip((own, 0, 0), *below, strict=True))
        if element.tag == "a":
            prose, linked, links = 0, prose + linked, links + 1
        found[element] = _Tally(prose, linked, links)
    return found


def _around(elements: Iterable[html.HtmlElement]) -> set[html.HtmlElement]:
    """Every element that holds one of ``elements``, in one walk."""
    found: set[html.HtmlElement] = set()
    for element in elements:
        for ancestor in element.iterancestors():
            if ancestor in found:
                break
            found.add(ancestor)
    return found


def _words(text: str | None) -> int:
    return len(text.split()) if text else 0


def _drop(elements: Iterable[html.HtmlElement]) -> None:
    for element in list(elements):
        if element.getparent() is not None:
            element.drop_tree()


__all__ = ["stripped", "visible"]
