"""What a sentence states without its introduction, and whether a passage holds it word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from modules.citations.cues import ABSOLUTES, DOUBTS, Word, is_negation, read

_INTRODUCTION = 12
"""Words that may stand before what a sentence states, as "Supporters add that ..."."""

_PRESENTING = re.compile(
    r"\b(?:add(?:s|ed)?|argu(?:e|es|ed)|believes?|case|contends?|considered|explains?|fact|holds?|"
    r"important|insists?|maintains?|mentioned|mind|not(?:e|es|ed|ing)|observ(?:e|es|ed|ation)|"
    r"point|points? out|reason|recall(?:ed)?|remember(?:ed)?|remarks?|reports?|sa(?:y|ys|id)|"
    r"stress(?:es|ed)?|warns?|worth|writes?)\b",
    re.IGNORECASE,
)
"""What an introduction ending in "that" speaks of: that something is said or worth a thought."""

_HARMLESS = re.compile(r"\b(?:no less|not only|not least|it must)\b", re.IGNORECASE)
"""Of what denies or makes absolute, what does neither in an introduction."""

_DOUBTS = DOUBTS | {"except", "if", "unless"}
"""Words that take back, or limit, what stands beside them."""


def verbatim(sentence: str, parts: Sequence[str]) -> str | None:
    """The sentence of the passage that says just this, or None.

    It holds all words of ``sentence`` in one run, but for an introduction before the whole of the
    passage's sentence. Nothing left out or put before may deny, doubt or make it absolute.
    """
    words = read(sentence)
    return next((part for part in parts if _says(words, read(part))), None) if words else None


def stated(sentence: str) -> str:
    """The sentence without an introduction that only presents it.

    >>> stated("It must also be borne in mind that fees fund repairs.")
    'fees fund repairs.'
    >>> stated("It is not true that fees fund repairs.")
    'It is not true that fees fund repairs.'
    """
    found = re.match(r"([^.;:()]*?)\bthat,? (?=\w)", sentence)
    if found is None or len(found[1].split()) >= _INTRODUCTION or not _PRESENTING.search(found[1]):
        return sentence
    rest = sentence[found.end() :]
    return (
        rest if _neutral(found[1]) and len(rest.split()) > len(found[1].split()) / 2 else sentence
    )


def _neutral(introduction: str) -> bool:
    words = [w.text for w in read(_HARMLESS.sub("", introduction))]
    return not any(is_negation(w) or w in _DOUBTS or w in ABSOLUTES for w in words)


def _says(words: Sequence[Word], there: Sequence[Word]) -> bool:
    one, other = [w.text for w in words], [w.text for w in there]
    run = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    if run.a + run.size < len(one) or run.a > min(_INTRODUCTION, run.size):
        return False
    if run.a and run.size < len(other):
        return False  # words were replaced or moved, not introduced: "B harms A" for "A harms B"
    left = [*one[: run.a], *other[: run.b], *other[run.b + run.size :]]
    return not any(is_negation(word) or word in _DOUBTS for word in left) and not any(
        word in ABSOLUTES for word in one[: run.a]
    )


__all__ = ["stated", "verbatim"]
