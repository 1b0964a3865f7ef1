"""Which sentences of a passage can be lifted out of it and still make sense."""

from __future__ import annotations

import re
from typing import NamedTuple

from modules.lm.extractive.wordlists import (
    BARE_CONNECTIVES,
    COMMON_VERBS,
    CONNECTIVES,
    INSTRUCTION_WORDS,
    LEANING_OPENERS,
    ORDERS,
    OUTWARD,
    PERSONAL,
    PRONOUNS,
)
from modules.text import sentences as split_sentences

SHORTEST, LONGEST = 8, 40  # words of a sentence worth citing

_TOKEN = re.compile(r"[^\W\d_][\w'\u2019-]*|\d[\d.,]*%?")
_MARKER = re.compile(r"\[+\s*\d+(?:\s*[,;\u2013-]\s*\d+)*\s*\]+|\(\d{1,2}\)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_URL = re.compile(r"(?:https?://|www\.)\S+")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_MARKUP = re.compile(r"[*`~|]+|(?<!\w)_+|_+(?!\w)|^\s*#+\s*|^\s*>+\s*")
_ENUMERATOR = re.compile(
    r"^\s*(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+|[-*\u2022\u2013\u2014+]\s+)"
)
_EXPLETIVE = re.compile(
    r"^it (?:is|was|would be|will be|seems|makes)\b[^,.;]{1,45}?\b(?:to|that|whether)\b"
)
_VAGUE = re.compile(
    r"\b(?:this|these)\b|\bsuch\b(?! as\b)|\bthose\b(?! (?:who|of|in|with|for|whose|on|from|already|most)\b)"
)
_THAT_ONE = re.compile(
    r"\b(?:of|to|for|with|by|from|on|at|under|behind|about|into|after|before) that\b(?! of\b)|"
    r"\bthat (?:problem|issue|question|kind|way|reason|point|case|argument|objection|link|rule|risk|"
    r"burden|motive|danger|principle|understanding|experience|knowledge|cost|policy|system|money|"
    r"choice|decision|time|sort|type|number|figure|duty|difference|situation|process|group|part|"
    r"concern|fear|right|law|category|loss|result|effect|moment|power|information)\b"
)
_HEARSAY = re.compile(
    r"\b(?:reply|replies|say|says|said|claim|claims|argue|argues|argued|contend|object|objects|"
    r"insist|insists|maintain|maintains|point out|fear|fears|answer|believe|worry|warn) that\b|"
    r"\b(?:critics|opponents|sceptics|skeptics|supporters|advocates|proponents|defenders)\b"
)
_CONCESSION = re.compile(
    r"\b(?:certainly|admittedly|undoubtedly|concede|conceded|objection|it is true that|"
    r"to be sure|of course|granted that|are right that|is right that|correctly (?:observe|point))\b"
)
_GENERIC_HEAD = re.compile(
    r"^(?:in |for )?the same \b|^the (?:study|report|survey|poll|author|authors|researchers|judge|"
    r"speaker|document)\b(?! (?:of|by|from|on|into)\b)|^the (?:answer|result|reason|problem|point|difference|argument|effect|study|report|author|"
    r"article|second|third|other|others|first|last|same|idea|question|solution|outcome|conclusion|"
    r"consequence|example|case|former|latter|above|following|opposite|statement|claim|fact)s?"
    r"(?: \w+)? (?:is|are|was|were|will|would|also|has|have|can|could|may|should|here)\b"
)
#: What a lost word, an abbreviation or a list leaves behind.
_BROKEN = re.compile(
    r"\b(?:the|an?|of|in|by|to|for|and|that) ?(?:[,;.]|had |was |were |is |are |has |\u2013 )(?<!that was )"
    r"(?<!that is )(?<!that were )(?<!that are )(?<!that had )(?<!that has )|\betc\b|\be\.g\.|\bi\.e\.|"
    r"\bis is\b|\bthe the\b|\ba a\b|\bof of\b| [-\u2013] .* [-\u2013] .* [-\u2013] "
)
#: Adverbs that tie a sentence to the one before it, where they stand inside the sentence.
_STRAY = re.compile(
    r"(?<=[a-z])(?<!\band)(?<!\bthan)(?<!\bnot)(?: (?:also|therefore|thus|nevertheless|likewise)(?= [a-z])|"
    r", (?:however|therefore|though|moreover|too|then|of course|for example|for instance|in fact|"
    r"indeed|also|thus|in turn|on the other hand),)"
)
#: A heading that ran into its sentence: "Answering the doubts Taxpayers may fear ...".
_RUN_IN = re.compile(
    r"(?<=[a-z]) (?:The|A|An|It|In|This|There|When|If|For|As|[A-Z][a-z]+ers|People|"
    r"Visitors|Children|Families|Many|Some|Most|Governments?|Supporters|Critics|Local|Free|Public) "
)
_CONNECTIVE = re.compile(
    r"^(?:" + "|".join(re.escape(c) for c in CONNECTIVES) + r")(,)?\s+", re.IGNORECASE
)


class Lifted(NamedTuple):
    """A sentence of a passage as an essay could print it.

    ``standalone`` says that it makes sense without the sentence before it.
    """

    text: str
    standalone: bool


def tokens(text: str) -> list[str]:
    """Words and numbers of the text, as written."""
    return [token.replace("\u2019", "'") for token in _TOKEN.findall(text)]


def defang(text: str) -> str:
    """The text without bracketed numbers, which a reader would take for citations."""
    return _MARKER.sub("", text)


def plain(text: str) -> str:
    """One line of text without markup, links or markers."""
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub(" ", _URL.sub(" ", defang(text)))
    text = _MARKUP.sub("", text).replace("[", "").replace("]", "")
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s+([,.;:!?])", r"\1", text)


def _blocks(text: str) -> list[str]:
    """Paragraphs; a list item or heading is a block of its own."""
    blocks: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        current: list[str] = []
        for line in paragraph.splitlines():
            if _ENUMERATOR.match(line) or line.lstrip().startswith("#"):
                blocks.append(" ".join(current))
                blocks.append(_ENUMERATOR.sub("", line))
                current = []
            else:
                current.append(line)
        blocks.append(" ".join(current))
    return [block for block in blocks if block.strip()]


def lift(passage: str) -> list[Lifted]:
    """Printable sentences of a passage, in order; what cannot be printed leaves a gap (empty)."""
    lifted: list[Lifted] = []
    for block in _blocks(passage):
        for raw in split_sentences(block):
            text = plain(raw)
            repaired = _repair(text)
            if not printable(repaired):
                lifted.append(Lifted("", False))
            elif standalone(repaired):
                lifted.append(Lifted(repaired, True))
            else:
                lifted.append(Lifted(capitalised(text), False))
    return lifted


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


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


def printable(text: str) -> bool:
    """Whether the text is one complete declarative sentence of usable length."""
    words = tokens(text)
    lower = [word.lower() for word in words]
    if not SHORTEST <= len(words) <= LONGEST or not re.search(r"[.][\"'\u201d\u2019)]?$", text):
        return False
    if not (text[0].isupper() or text[0].isdigit() or text[0] in "\"'\u201c\u2018"):
        return False
    if text.endswith("..") or "\u2026" in text or "..." in text or "?" in text or "@" in text:
        return False
    if lower[0] in ORDERS and lower[0] != "do" and not _is_subject(lower):
        return False
    if set(lower) & (PERSONAL | INSTRUCTION_WORDS):
        return False
    if not any(w in COMMON_VERBS or w.endswith("ed") for w in lower):
        return False
    if _BROKEN.search(text):
        return False
    if _RUN_IN.search(text) and not re.search('["\u201c:]', text):
        return False
    return _balanced(text) and not _shouting(words)


def _is_subject(lower: list[str]) -> bool:
    """Whether a first word that could be an order is the noun before a verb: "Reading is ..."."""
    return lower[1] in {"is", "are", "was", "were", "has", "have", "can", "will", "would", "may"}


def _balanced(text: str) -> bool:
    pairs = (("(", ")"), ("\u201c", "\u201d"), ("{", "}"))
    even = text.count('"') % 2 == 0
    return even and all(text.count(left) == text.count(right) for left, right in pairs)


def _shouting(words: list[str]) -> bool:
    loud = [word for word in words if len(word) > 3 and word.isupper()]
    return len(loud) > 2 or any(len(word) > 6 for word in loud)


def standalone(text: str) -> bool:
    """Whether the sentence makes sense without its neighbours."""
    low = text.lower().replace("\u2019", "'").lstrip("\"'\u201c\u2018")
    lower = [word.lower() for word in tokens(text)]
    if lower[0] in LEANING_OPENERS or _GENERIC_HEAD.match(low) or _VAGUE.search(low):
        return False
    if _THAT_ONE.search(low):
        return False
    if any(re.search(rf"\b{re.escape(phrase)}\b", low) for phrase in OUTWARD):
        return False
    if lower[0] == "it":
        return _EXPLETIVE.match(low) is not None
    return not _pronoun_first(lower) and lower[-1] not in {"too", "either", "so"}


def _pronoun_first(lower: list[str]) -> bool:
    """Whether a pronoun comes before anything that it could stand for."""
    verb = next((i for i, w in enumerate(lower) if i > 1 and w in COMMON_VERBS), len(lower))
    return bool(set(lower[: max(verb, 4)]) & PRONOUNS)


def hedged(text: str) -> bool:
    """Whether the sentence reports or grants a view rather than holding it."""
    low = text.lower()
    return _HEARSAY.search(low) is not None or _CONCESSION.search(low) is not None


__all__ = [
    "LONGEST",
    "SHORTEST",
    "Lifted",
    "capitalised",
    "defang",
    "hedged",
    "lift",
    "plain",
    "printable",
    "standalone",
    "tokens",
]
