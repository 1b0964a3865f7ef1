"""Whether a sentence can be printed, can stand alone, and speaks for itself."""

from __future__ import annotations

import re

from modules.lm.extractive.wordlists import (
    COMMON_VERBS,
    HEADING_STARTS,
    INSTRUCTION_WORDS,
    LEANING_OPENERS,
    ORDERS,
    OUTWARD,
    PERSONAL,
    POINTED_AT,
    PRONOUNS,
)

SHORTEST, LONGEST = 8, 40  # words of a sentence worth citing

_TOKEN = re.compile(r"[^\W\d_][\w'\u2019-]*|\d[\d.,]*%?")
_STOP = re.compile(r"[.][\"'\u201d\u2019)]?$")
#: What a lost word, an abbreviation or a list leaves behind.
_BROKEN = re.compile(
    r"\b(?:the|an?|of|in|by|to|for|and) ?(?:[,;.]|(?:had|was|were|is|are|has|\u2013) )|"
    r"\betc\b|\be\.g\.|\bi\.e\.|\b(is|the|a|of) \1\b|(?: [-\u2013] .*){3}"
)
_EXPLETIVE = re.compile(
    r"^it (?:is|was|would be|will be|seems|makes)\b[^,.;]{1,45}?\b(?:to|that|whether)\b"
)
#: Words that point at something said before.
_POINTER = re.compile(
    r"\b(?:this|these)\b|\bsuch\b(?! as\b)|"
    r"\bthose\b(?! (?:who|of|in|with|for|whose|on|from|already|most)\b)|"
    r"\b(?:of|to|for|with|by|from|on|at|under|behind|about|into|after|before) that\b(?! of\b)|"
    r"\bthat (?:" + "|".join(sorted(POINTED_AT)) + r")\b|"
    r"^(?:in |for )?the same \b|"
    r"\b(?:" + "|".join(map(re.escape, OUTWARD)) + r")\b"
)
#: "The answer is ...", "The second would ...": a head that only what came before can fill.
_EMPTY_HEAD = re.compile(
    r"^the (?:study|report|survey|poll|author|authors|researchers|judge|speaker|document)\b"
    r"(?! (?:of|by|from|on|into)\b)|"
    r"^the (?:answer|result|reason|problem|point|difference|argument|effect|article|second|third|"
    r"other|first|last|idea|question|solution|outcome|conclusion|consequence|example|case|former|"
    r"latter|above|following|opposite|statement|claim|fact)s?"
    r"(?: \w+)? (?:is|are|was|were|will|would|also|has|have|can|could|may|should|here)\b"
)
_HEARSAY = re.compile(
    r"\b(?:reply|replies|replied|say|says|said|claims?|argues?|argued|contend|objects?|insists?|"
    r"maintain|point out|fears?|answer|believe|worry|warn|suggests?|holds?|admit|stress) that\b|"
    r"\b(?:critics|opponents|sceptics|skeptics|supporters|advocates|proponents|defenders)\b"
)
_CONCESSION = re.compile(
    r"\b(?:certainly|admittedly|undoubtedly|indeed|is real|are real|concede|conceded|objection|"
    r"it is true that|to be sure|of course|"
    r"granted that|(?:are|is) right that|correctly (?:observe|point))\b|"
    r"\b(?:does|do) (?:bring|have|help|hold|matter|offer|place|raise|require|work)\b"
)
_IMPARTIAL = re.compile(
    r"\b(?:both sides|legitimate interests|different issues|both good and)\b|"
    r"\b(?:must|should|have to|need to|has to) (?:balance|weigh|consider|decide)\b"
)


def tokens(text: str) -> list[str]:
    """Words and numbers of the text, as written."""
    return [token.replace("\u2019", "'") for token in _TOKEN.findall(text)]


def printable(text: str, small: frozenset[str] = frozenset()) -> bool:
    """Whether the text is one complete declarative sentence of usable length.

    ``small`` are words known to be written without a capital.
    """
    words = tokens(text)
    lower = [word.lower() for word in words]
    if not SHORTEST <= len(words) <= LONGEST or not _shaped(text):
        return False
    if set(lower) & (PERSONAL | INSTRUCTION_WORDS) or _is_order(lower):
        return False
    if not any(w in COMMON_VERBS or w.endswith("ed") for w in lower):
        return False
    return not (_BROKEN.search(text) or _run_in(text, small) or _shouting(words))


def _shaped(text: str) -> bool:
    """Whether the text starts and ends as a sentence does, with its quotes and brackets closed."""
    opened = text[0].isupper() or text[0].isdigit() or text[0] in "\"'\u201c\u2018"
    clean = not any(mark in text for mark in ("..", "\u2026", "?", "@"))
    pairs = (("(", ")"), ("\u201c", "\u201d"), ("{", "}"))
    closed = all(text.count(left) == text.count(right) for left, right in pairs)
    return opened and clean and closed and text.count('"') % 2 == 0 and bool(_STOP.search(text))


def _is_order(lower: list[str]) -> bool:
    """Whether the sentence tells its reader to do something; "Reading is ..." does not."""
    subject = lower[1] in {"is", "are", "was", "were", "has", "have", "can", "will", "would", "may"}
    return lower[0] in ORDERS and not subject


def _run_in(text: str, small: frozenset[str]) -> bool:
    """Whether a heading ran into the sentence: "Answering the doubts Taxpayers may fear ...".

    A capital that its word does not own, between words in small letters, starts a sentence.
    """
    words = text.split()
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        known = word.lower() in HEADING_STARTS or word.lower() in small
        misplaced = word[0].isupper() and known and word != "I"
        if misplaced and before[-1].isalpha() and before.islower() and after[0].islower():
            return True
    return False


def _shouting(words: list[str]) -> bool:
    loud = [word for word in words if len(word) > 3 and word.isupper()]
    return len(loud) > 2 or any(len(word) > 6 for word in loud)


def standalone(text: str) -> bool:
    """Whether the sentence makes sense without its neighbours."""
    low = text.lower().replace("\u2019", "'").lstrip("\"'\u201c\u2018")
    lower = [word.lower() for word in tokens(text)]
    if lower[0] == "it":
        return _EXPLETIVE.match(low) is not None and not _POINTER.search(low)
    if lower[0] in LEANING_OPENERS or _EMPTY_HEAD.match(low) or _POINTER.search(low):
        return False
    return not _pronoun_first(lower) and lower[-1] not in {"too", "either", "so"}


def _pronoun_first(lower: list[str]) -> bool:
    """Whether a pronoun comes before anything that it could stand for."""
    verb = next((i for i, w in enumerate(lower) if i > 1 and w in COMMON_VERBS), len(lower))
    return bool(set(lower[: max(verb, 4)]) & PRONOUNS)


def hedged(text: str) -> bool:
    """Whether the sentence reports, grants or weighs a view rather than holding it."""
    low = text.lower()
    return any(p.search(low) is not None for p in (_HEARSAY, _CONCESSION, _IMPARTIAL))


__all__ = ["LONGEST", "SHORTEST", "hedged", "printable", "standalone", "tokens"]
