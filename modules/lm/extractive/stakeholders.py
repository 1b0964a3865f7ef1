"""Who has a stake, by the texts' own words: plural role nouns, how often and in what company."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from modules.lm.extractive.people import (
    AGENT_ENDINGS,
    AGENT_VERBS,
    DESCRIBERS,
    IRREGULAR,
    MEMBERS,
    NO_DESCRIBERS,
    NOT_PEOPLE,
    PEOPLE,
    SPEAKERS,
)
from modules.lm.extractive.sentences import capitalised
from modules.lm.extractive.wordlists import COMMON_VERBS, FUNCTION_WORDS, words

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|[^\sa-z]")
#: After these, one more word before the noun belongs to its name: "the museum directors".
_OPENERS = frozenset({"the", "of", "for", "by", "from", "among", "many", ".", ";"})
#: Endings of words that say how people are rather than who they are.
_ADJECTIVES = (
    "ly", "ing", "ed", "s", "er", "est", "ible", "able", "ful", "ous", "ive", "less", "ent",
)  # fmt: skip
#: Words too broad to be a stake of one's own unless something describes them.
_BROAD = words("""
    actors adults advisers advocates agents authorities candidates critics experts leaders locals
    men minors observers owners people professionals seniors servants users victims women
""")


class Stakeholder(NamedTuple):
    """A group that the texts name. ``phrase`` is as found, ``head`` its noun, both plural."""

    phrase: str
    head: str
    mentions: int

    @property
    def title(self) -> str:
        """One member of the group, as a persona's title: "museum directors", "Museum director"."""
        before = self.phrase.removesuffix(self.head)
        member = MEMBERS.get(self.head) or SPEAKERS.get(self.head) or singular(self.head)
        first = before.split(" ")[0]
        if member.split(" ")[0] in before.split() or first == member.split(" ")[0]:
            before = ""
        return capitalised(before + member)


def singular(noun: str) -> str:
    """The singular of an English plural."""
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("sses", "shes", "ches", "xes")):
        return noun[:-2]
    return noun.removesuffix("s")


def stakeholders(texts: Iterable[str]) -> list[Stakeholder]:
    """Groups named in the texts, those named most often first."""
    heads: Counter[str] = Counter()
    phrases: Counter[tuple[str, str]] = Counter()
    for text in texts:
        words = _WORD.findall(text.lower())
        for place, word in enumerate(words):
            if not _is_people(word, words[place + 1 : place + 2]):
                continue
            heads[word] += 1
            describer = _describer(words, place)
            if describer:
                phrases[(f"{describer} {word}", word)] += 1
    return sorted(_named(heads, phrases), key=lambda s: (-s.mentions, s.phrase))


def _named(heads: Counter[str], phrases: Counter[tuple[str, str]]) -> Iterable[Stakeholder]:
    """Described groups, and bare ones where the bare word says enough."""
    for (phrase, head), count in phrases.items():
        yield Stakeholder(phrase, head, count)
    described: Counter[str] = Counter()
    for (_, head), count in phrases.items():
        described[head] += count
    for head, count in heads.items():
        if head not in _BROAD and count > described[head]:
            yield Stakeholder(head, head, count - described[head])


def _is_people(word: str, following: list[str]) -> bool:
    if word == "candidates" and following == ["for"]:
        return False  # "strong candidates for reform" are nobody
    if word in PEOPLE or word in MEMBERS or word in SPEAKERS:
        return True
    if word in NOT_PEOPLE or not word.endswith(AGENT_ENDINGS) or len(word) < 7:
        return False
    return bool(following) and following[0] in AGENT_VERBS


def _describer(words: list[str], place: int) -> str | None:
    """The word before the noun, where it can only be read as part of its name."""
    if place == 0:
        return None
    word = words[place - 1]
    if word in DESCRIBERS:
        return word
    if not word.isalpha() or len(word) < 4 or word in FUNCTION_WORDS | NO_DESCRIBERS | COMMON_VERBS:
        return None
    if word.endswith(_ADJECTIVES):
        return None
    opened = place == 1 or words[place - 2] in _OPENERS
    return word if opened else None


__all__ = ["Stakeholder", "singular", "stakeholders"]
