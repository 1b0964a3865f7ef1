"""Text from models and documents, made safe to show: on a terminal, and inside Markdown.

Nothing here changes data: results keep the exact text, only what people read passes through.
"""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[P\]X^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\)"  # titles, links
    r"|\x1b[ -/]*[0-Z\\^-~]"
)
_BREAK = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0000-\U000e0fff]"
)
_JOINER = "\u200d"

_ENTITY = re.compile(r"&(?=#\d|#[xX]|[A-Za-z][A-Za-z0-9]*;)")
_FENCE = re.compile(r"`{3,}|~{3,}")
_BLOCK = re.compile(r"^([ \t]*)(?=#{1,6}(?:\s|$)|>|=+\s*$|([-*_])(?:[ \t]*\2)*[ \t]*$)")


def visible(text: str, *, joiners: bool = False) -> str:
    """The text without what a reader cannot see, over any number of lines.

    Escape sequences, control characters, zero-width and bidirectional controls go: they can hide
    or reorder what is shown, or steer a terminal. New lines and tabs stay.

    Args:
        text: Anything.
        joiners: Keep the joiners that hold an emoji sequence together.
    """
    text = _BLANK.sub("", _BREAK.sub("\n", _ESCAPE.sub("", text)))
    if _plain(text):
        return text
    kept = "\n\t" + (_JOINER if joiners else "")
    return "".join(
        c for c in text if c in kept or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )


def _plain(text: str) -> bool:
    """Whether every character can be seen: told at once, where most texts are so."""
    return text.replace("\n", "").replace("\t", "").isprintable()


def one_line(text: str, *, joiners: bool = False) -> str:
    """The visible text on one line."""
    return " ".join(visible(text, joiners=joiners).split())


def markdown(text: str, *, joiners: bool = False) -> str:
    """The visible text as Markdown that holds no HTML, link, image or code block.

    ``&`` is escaped only where it would begin an entity; other text stays as it reads.
    """
    text = _ENTITY.sub("&amp;", visible(text, joiners=joiners)).replace("<", "&lt;")
    text = re.sub(r"\](?=[(:])", r"]\\", text).replace("![", r"!\[")
    return _FENCE.sub(lambda run: "".join(f"\\{c}" for c in run.group()), text)


def item(text: str) -> str:
    """One line of Markdown that begins no heading, quotation or rule."""
    return _BLOCK.sub(r"\1\\", markdown(one_line(text)))


def blockquote(text: str) -> str:
    """The text as a Markdown quotation: every line is prefixed, and forges no heading or quote."""
    lines = [_BLOCK.sub(r"\1\\", line) for line in markdown(text).split("\n")]
    return "\n".join(f"> {line}".rstrip() for line in lines)


__all__ = ["blockquote", "item", "markdown", "one_line", "visible"]
