"""A short, grammatical name for what a text is about, or none."""

from __future__ import annotations

import re

from modules.lm.extractive.themes import main_theme
from modules.lm.extractive.words import stems

_OF_PHRASE = re.compile(
    r"\bthe ([a-z]{4,}) of ((?:the |an? |public |local |young |older |free )?[a-z-]{3,})"
    r"(?=[,.;]| (?:is|are|was|were|and|in|for|to|that|which|would|will|can|could|has|have|must|"
    r"should|may|with|by|from|on|at|when|while|because|or)\b)"
)
_NOT_HEADS = frozenset(
    """rest best number majority kind sort part most amount name sake form matter case lives same
    name middle time some many none half percent order means worst more less share thousands
    millions hundreds dozens back front face basis center centre first last second third fact
    idea end bulk issue question problem result level levels types type range lack bottom other
    many several each either purpose point power right rights""".split()
)
_NOT_OBJECTS = frozenset(
    """them it this that these those us you me him her its their our his your all which whom
    being having making giving what how whether one two any some such many other others""".split()
)


def of_phrase(text: str) -> str | None:
    """A phrase such as "the cost of maintenance" that the text itself uses."""
    for match in _OF_PHRASE.finditer(text.lower()):
        last = match[2].split()[-1]
        if match[1] in _NOT_HEADS or last in _NOT_OBJECTS or last.endswith(("ing", "ed", "ly")):
            continue
        return match[0]
    return None


def topic(text: str, proposition: str) -> str | None:
    """What the text is about, as a noun phrase: from its words, or the theme it touches."""
    phrase = of_phrase(text)
    if phrase is not None:
        return phrase
    theme = main_theme(stems(text), stems(proposition))
    return theme.phrase if theme is not None else None


__all__ = ["of_phrase", "topic"]
