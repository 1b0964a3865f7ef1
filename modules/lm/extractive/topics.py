"""A short, grammatical name for what a text is about, or none."""

from __future__ import annotations

import re

from modules.lm.extractive.themes import main_theme
from modules.lm.extractive.wordlists import words
from modules.lm.extractive.words import stems

_OF_PHRASE = re.compile(
    r"\bthe ([a-z]{4,}) of ((?:the |an? |public |local |young |older |free )?[a-z-]{3,})"
    r"(?=[,.;]| (?:is|are|was|were|and|in|for|to|that|which|would|will|can|could|has|have|must|"
    r"should|may|with|by|from|on|at|when|while|because|or)\b)"
)
#: Nouns that say nothing of their own in "the ... of ...".
_NOT_HEADS = words("""
    back basis best bottom bulk case center centre dozens each either end face fact first form
    front half hundreds idea issue kind lack last less level levels lives majority many matter means
    middle millions more most name name number none order other part percent point power problem
    purpose question range rest result right rights sake same second several share some sort third
    thousands time type types worst amount
""")
#: Words that a noun phrase cannot end in.
_NOT_OBJECTS = words("""
    all any being giving having her him his how it its making many me one other others our some
    such that their them these this those two us what whether which whom you your
""")


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
