"""Lifting sentences out of a passage: clean, whole, and cut loose from what stood around them."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import NamedTuple

from modules.lm.extractive.soundness import printable, standalone, tokens
from modules.lm.extractive.wordlists import BARE_CONNECTIVES, CONNECTIVES
from modules.text import sentences as split_sentences

_MARKER = re.compile(r"\[+\s*\d+(?:\s*[,;\u2013-]\s*\d+)*\s*\]+|\(\d{1,2}\)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_URL = re.compile(r"(?:https?://|www\.)\S+")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_MARKUP = re.compile(r"[*`~|]+|(?<!\w)_+|_+(?!\w)|^\s*#+\s*|^\s*>+\s*")
_ENUMERATOR = re.compile(
    r"^\s*(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+|[-*\u2022\u2013\u2014+]\s+)"
)
_CONNECTIVE = re.compile(
    r"^(?:" + "|".join(re.escape(c) for c in CONNECTIVES) + r")(,)?\s+", re.IGNORECASE
)
#: Adverbs that tie a sentence to the one before it, where they stand inside the sentence.
_STRAY = re.compile(
    r"(?<=[a-z])(?<!\band)(?<!\bthan)(?<!\bnot)"
    r"(?: (?:also|therefore|thus|nevertheless|likewise)(?= [a-z])|"
    r", (?:however|therefore|though|moreover|too|then|of course|for example|for instance|in fact|"
    r"indeed|also|thus|in turn|on the other hand),)"
)
_HEADING_WORDS = 8


class Lifted(NamedTuple):
    """A sentence of a passage as an essay could print it; empty where it could not.

    ``standalone`` says that it makes sense without the sentence before it.
    """

    text: str
    standalone: bool


def lift(passage: str) -> list[Lifted]:
    """The sentences of a passage, in order; what cannot be printed leaves its place empty."""
    small = frozenset(word for word in tokens(passage) if word.islower())
    whole = [plain(raw) for block in _blocks(passage) for raw in split_sentences(block)]
    return [_lifted(text, small) for text in whole]


def _lifted(text: str, small: frozenset[str]) -> Lifted:
    repaired = _repair(text)
    if not printable(repaired, small):
        return Lifted("", False)
    if standalone(repaired):
        return Lifted(repaired, True)
    # Unrepaired: after the sentence that it leans on, its connective is what joins them.
    return Lifted(capitalised(text), False)


def _repair(text: str) -> str:
    """The sentence without leading connectives and without a stray "also"."""
    for _ in range(2):
        match = _CONNECTIVE.match(text)
        if match is None:
            break
        bare = match[0].rstrip(" ,").lower() in BARE_CONNECTIVES
        if match[1] is None and not bare:
            break
        text = text[match.end() :]
    return capitalised(_STRAY.sub("", text))


def _blocks(text: str) -> list[str]:
    """Paragraphs; a list item or heading is a block of its own."""
    blocks: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        current: list[str] = []
        lines = paragraph.splitlines()
        for line, following in zip_longest(lines, lines[1:], fillvalue=""):
            if not current and _is_heading(line, following):
                blocks.append(line)
            elif _ENUMERATOR.match(line) or line.lstrip().startswith("#"):
                blocks.append(" ".join(current))
                blocks.append(_ENUMERATOR.sub("", line))
                current = []
            else:
                current.append(line)
        blocks.append(" ".join(current))
    return [block for block in blocks if block.strip()]


def _is_heading(line: str, following: str) -> bool:
    """A short line without a stop, before one that starts a sentence."""
    short = 0 < len(line.split()) <= _HEADING_WORDS and len(line) < 0.75 * len(following)
    return short and line.rstrip()[-1].isalnum() and following.lstrip()[:1].isupper()


def plain(text: str) -> str:
    """One line of text without markup, links or markers."""
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub(" ", _URL.sub(" ", defang(text)))
    text = _MARKUP.sub("", text).replace("[", "").replace("]", "")
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s+([,.;:!?])", r"\1", text)


def defang(text: str) -> str:
    """The text without bracketed numbers, which a reader would take for citations."""
    return _MARKER.sub("", text)


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


__all__ = ["Lifted", "capitalised", "defang", "lift", "plain"]
