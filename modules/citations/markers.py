"""Markers ``[n]``: read in any dress, kept to a closed set, numbered by first appearance."""

from __future__ import annotations

import re

MARKER = re.compile(r"\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
"""``[3]``, ``[1, 4]`` or ``[2-5]``."""

VARIANT = re.compile(
    r"\\?[\[【［〔〖]\s*(\^?\d+(?:\s*[,;，、–—-]\s*\^?\d+)*)\s*"
    r"(?:†[^\[\]【】［］〔〕〖〗\n]*)?\\?[\]】］〕〗]"
)
"""A marker in any dress: 【7】, ［7］, 〔7〕, [^7], [ 7 ], 【7†source】, or with backslashes."""

LINKED = re.compile(MARKER.pattern + r"\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)")
"""A marker with something in parentheses right behind it, which Markdown reads as a link."""

TARGET = re.compile(r"""(?:<.*>|\S*)(?:\s+["'(].*)?|.*://.*""")
"""What Markdown takes for a link's target, and anything else with an address in it."""

LIST_HEADING = re.compile(
    r"^[ \t]*(?:(?P<level>#{1,6})[ \t]*)?[*_]{0,3}(?P<name>(?:list of )?"
    r"(?:references?(?: list| cited)?|sources?(?: cited)?|bibliography|works cited"
    r"|literature(?: cited)?|footnotes|endnotes))"
    r"[ \t]*(?::?[*_]{0,3}:?[ \t]*#*[ \t]*$|:[*_]{0,3}[ \t]*(?P<entry>\[\d))",
    re.IGNORECASE | re.MULTILINE,
)
"""The heading of a reference list, alone on its line or with the first marker behind it."""

LIST_ENTRY = re.compile(r"[ \t]*(?:[-*+][ \t]+)?" + MARKER.pattern + r"[ \t]*:.*|\s*")
"""A line ``[3]: ...`` as footnotes are defined, or a blank one."""

HUGE = 10**9
"""What a number of more than nine digits is read as: outside every set."""

_PLAIN = str.maketrans({"^": None, "，": ",", "、": ",", "—": "-"})


def markers(text: str) -> list[int]:
    """The marker numbers in order of appearance, ranges and lists spelled out, each once."""
    found: dict[int, None] = {}
    for match in MARKER.finditer(_uniform(text)):
        for number in _numbers(match.group(1)):
            found.setdefault(number)
    return list(found)


def render(text: str, n_passages: int) -> tuple[str, list[int]]:
    """Drop markers outside 1..n_passages and renumber the rest by first appearance.

    Other brackets are made plain, links behind markers lose their target, and a reference list
    of the writer's own is cut: the citations have theirs.

    Returns:
        The text, and for each new number (from 1) the passage number it stood for.
    """

    def known(match: re.Match[str]) -> str:
        kept = [n for n in _numbers(match.group(1)) if 1 <= n <= n_passages]
        return match.group() if kept else ""

    # What is dropped may leave a marker behind: "[[99]1]". Each round shortens the text.
    before = None
    while text != before:
        before, text = text, re.sub(r"[ \t]{2,}", " ", text)
        text = MARKER.sub(known, _without_list(_unlinked(_uniform(text))))
    order = [n for n in markers(text) if 1 <= n <= n_passages]
    new = {old: i for i, old in enumerate(order, start=1)}

    def replaced(match: re.Match[str]) -> str:
        kept = sorted({new[n] for n in _numbers(match.group(1)) if n in new})
        return "".join(f"[{n}]" for n in kept)

    text = MARKER.sub(replaced, text)
    # A dropped marker leaves its space behind, before a full stop or another space.
    return re.sub(r"[ \t]+([.,;:!?])", r"\1", re.sub(r"[ \t]{2,}", " ", text)).strip(), order


def paragraphs(text: str) -> list[str]:
    """Blocks between blank lines."""
    return [p.strip() for p in re.split(r"\n\s*\n", text) if p.strip()]


def _uniform(text: str) -> str:
    """The text with every variant of a marker in plain brackets."""

    def plain(match: re.Match[str]) -> str:
        return f"[{match.group(1).translate(_PLAIN)}]"

    return VARIANT.sub(plain, text)


def _unlinked(text: str) -> str:
    """The text with no link on a marker; a remark in parentheses keeps its words."""

    def alone(match: re.Match[str]) -> str:
        marker = f"[{match.group(1)}]"
        return (
            marker if TARGET.fullmatch(match.group(2).strip()) else f"{marker} ({match.group(2)})"
        )

    return re.sub(MARKER.pattern + r"(?=\()", r"\g<0> ", LINKED.sub(alone, text))


def _without_list(text: str) -> str:
    """The text without the reference list that ends it, or that is a section of it."""
    for heading in LIST_HEADING.finditer(text):
        before, after = text[: heading.start()].rstrip(), text[heading.end() :]
        if _opens_list(heading, before, after):
            # Only another section's heading ends the list.
            level = len(heading["level"] or "######")
            section = re.search(rf"^#{{1,{level}}}[ \t]+\S", after, re.MULTILINE)
            before = re.sub(r"\n[-*_]{3,}$", "", before).rstrip()
            return f"{before}\n\n{after[section.start() :]}" if section else before
    lines = text.split("\n")
    end = len(lines)
    while end and LIST_ENTRY.fullmatch(lines[end - 1]):
        end -= 1
    return "\n".join(lines[:end]) if end else text


def _opens_list(heading: re.Match[str], before: str, after: str) -> bool:
    """Whether it is a heading at all: not a wrapped line's last word, nor a remark on sources."""
    if not before or not (heading["level"] or heading["name"][0].isupper()):
        return False
    return not heading["entry"] or not re.search(r"\n[ \t]*\n", after)


def _numbers(group: str) -> list[int]:
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", group):
        ends = [int(n) if len(n) <= 9 else HUGE for n in re.split(r"\s*[–-]\s*", part)]
        # A range is closed at a sane width: "[1-9999999]" must not build a list of millions.
        numbers += range(ends[0], min(ends[-1], ends[0] + 50) + 1) if len(ends) == 2 else ends
    return numbers


def bare(sentence: str) -> str:
    """The sentence without its markers."""
    return re.sub(r"\s+([.,;:!?])", r"\1", MARKER.sub("", sentence)).strip()


__all__ = ["MARKER", "bare", "markers", "paragraphs", "render"]
