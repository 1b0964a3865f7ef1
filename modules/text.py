"""Plain text: sentences, words, normal form. Shared by retrieval, modules and metrics."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

from sentencex import segment

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # C0 and C1 controls that are not white space
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero-width, joiners, bidi embeddings, isolates
    "\ufeff\ufff0-\ufffb\ud800-\udfff"  # byte order mark, interlinear marks, lone surrogates
    "\U000e0000-\U000e0fff]"  # tag characters
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019\-][^\W_]+)*")

_FUNCTION_WORDS = """
    a about above after again against all also am an and any are aren't as at be because been
    before being below between both but by can can't cannot could couldn't did didn't do does
    doesn't doing don't down during each few for from further had hadn't has hasn't have haven't
    having he her here hers herself him himself his how i if in into is isn't it it's its itself
    just let's me more most my myself no nor not of off on once only or other ought our ours
    ourselves out over own same shall she should shouldn't so some such than that that's the their
    theirs them themselves then there there's these they this those through to too under until up
    upon us very was wasn't we were weren't what when where which while who whom whose why will
    with within without won't would wouldn't you your yours yourself yourselves"""
STOPWORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words, which say nothing about a text's subject."""


def normalise(text: str) -> str:
    """One line in Unicode's composed form (NFC), white space collapsed, invisibles removed.

    Zero-width, bidirectional and control characters go because they can hide or reorder what a
    reader sees, and make equal texts differ. Emoji sequences lose their joiners: not for emoji.
    """
    return " ".join(unicodedata.normalize("NFC", _INVISIBLE.sub("", text)).split())


def sentences(text: str, language: str = "en") -> list[str]:
    """The sentences of ``text`` in order, each normalised; abbreviations do not end one.

    A blank line always ends a sentence. ``language`` is an ISO 639-1 code.
    """
    found = (normalise(part) for part in segment(language, text))
    return [sentence for sentence in found if sentence]


def tokens(text: str) -> list[str]:
    """Every word in lower case, in order, typographic apostrophes made plain."""
    return [word.replace("\u2019", "'") for word in _WORD.findall(text.lower())]


def words(text: str) -> list[str]:
    """The content words in lower case, in order: :func:`tokens` without :data:`STOPWORDS`."""
    return [token for token in tokens(text) if token not in STOPWORDS]


def clip_words(text: str, limit: int) -> str:
    """At most ``limit`` words: whole sentences while they fit, else a cut marked by ``…``."""
    if len(text.split()) <= limit:
        return text
    parts = sentences(text)
    sizes = accumulate(len(part.split()) for part in parts)
    whole = sum(size <= limit for size in sizes)
    if whole:
        return " ".join(parts[:whole])
    return " ".join(text.split()[: max(limit, 0)]) + "…"


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters, a cut marked by ``…``."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


__all__ = ["STOPWORDS", "clip_words", "normalise", "sentences", "shortened", "tokens", "words"]
