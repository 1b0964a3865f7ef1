"""What a paraphrase may not change: numbers, names, denials, how much and how surely."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from modules.text import STOPWORDS, sentences, tokens

_NEGATIONS_WORDS = """
    not no never none nobody nothing nowhere neither nor cannot without hardly scarcely barely
    lack lacks lacking fail fails failed refuse refuses refused deny denies denied"""
NEGATIONS = frozenset(_NEGATIONS_WORDS.split())
"""Words that turn round what follows them; so does every token that ends in ``n't``."""

DOUBTS = frozenset(
    {"doubt", "doubtful", "doubts", "false", "falsely", "mistaken", "myth", "untrue", "wrong",
     "wrongly"}
)  # fmt: skip
"""Words that take back what stands beside them."""

_HEDGES_WORDS = """
    some several many most few often sometimes usually generally mostly largely partly rarely
    may might could can would should likely unlikely possibly probably perhaps potentially
    suggest suggests appear appears seem seems tend tends about around roughly nearly almost
    typically occasionally frequently arguably certain"""
HEDGES = frozenset(_HEDGES_WORDS.split())
"""Words that say less than all, always or for sure."""

_ABSOLUTES_WORDS = """
    all every everyone everybody everything each any always never none no only sole solely must
    will cannot impossible certain certainly definitely surely undoubtedly inevitably
    invariably guarantee guarantees guaranteed completely totally entirely wholly fully
    absolutely utterly perfectly prove proves proved proven whole entire forever constantly
    exclusively unquestionably countless endless unlimited"""
ABSOLUTES = frozenset(_ABSOLUTES_WORDS.split())
"""Words that say all, always or for sure."""

_EXTREMES_WORDS = """
    huge enormous massive immense vast tremendous dramatic dramatically drastically catastrophe
    catastrophic disaster disastrous devastating devastates destroy destroys ruin ruins ruined
    eliminate eliminates eradicate eradicates abolishes revolutionise revolutionize
    unprecedented miracle miraculous horrific terrible outright extremely immensely hugely
    vastly far indispensable vital paramount million millions billions tenfold doubles triples
    worst best greatest biggest largest"""
EXTREMES = frozenset(_EXTREMES_WORDS.split())
"""Words that say how very much."""

_OPPOSED = """
    increase/decrease increase/reduce increase/fall raise/lower raise/reduce rise/fall
    rise/decline grow/shrink more/less more/fewer higher/lower high/low better/worse best/worst
    good/bad safe/dangerous safe/unsafe safe/risky harmful/harmless harm/benefit harm/help
    help/hinder legal/illegal lawful/unlawful allow/forbid allow/ban allow/prohibit permit/ban
    permit/forbid improve/worsen improve/harm success/failure succeed/fail
    successful/unsuccessful support/oppose support/reject accept/reject agree/disagree
    easy/hard easy/difficult rich/poor wealthy/poor strong/weak strengthen/weaken true/false
    right/wrong necessary/unnecessary cheap/expensive cheap/costly always/never often/rarely
    majority/minority create/destroy build/destroy effective/ineffective healthy/unhealthy
    healthy/sick possible/impossible free/forced positive/negative win/lose gain/lose
    save/waste save/cost protect/endanger protect/threaten encourage/discourage promote/prevent
    cause/prevent start/stop begin/end open/closed fair/unfair equal/unequal moral/immoral
    ethical/unethical before/after first/last old/young large/small big/small long/short
    fast/slow early/late public/private advantage/disadvantage useful/useless
    responsible/irresponsible respect/disrespect trust/distrust likely/unlikely able/unable
    include/exclude violate/respect enough/insufficient voluntary/compulsory
    voluntary/mandatory optional/mandatory optional/compulsory inside/outside above/below
    over/under love/hate life/death innocent/guilty honest/dishonest"""

_NUMERALS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
    ninety hundred thousand million billion half twice"""
_SPELLED = dict(
    zip(
        _NUMERALS.split(),
        [*map(str, range(21)), *map(str, range(30, 100, 10)),
         "100", "1000", "1000000", "1000000000", "0.5", "2"],
        strict=True,
    )
)  # fmt: skip
_VAGUE = frozenset({"1", "0"})  # "one" is mostly a pronoun, "zero" mostly a word
_NUMBER = re.compile(r"\d[\d.,]*")
_NAME = re.compile(r"(?<!^)(?<![.!?:;]\s)(?<![\"“'‘(])\b[A-Z][\w’'-]+")
_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[,;:()]|[-–—]{1,2}")
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-")
_LETTERS = 6
_ENDINGS = (
    "isations", "izations", "isation", "ization", "ations", "ation", "ments", "ment", "ities",
    "ising", "izing", "ised", "ized", "ises", "izes", "ings", "ing", "ions", "ion", "ity", "ies",
    "ers", "er", "ed", "es", "ly", "al", "s", "e", "y",
)  # fmt: skip


class Word(NamedTuple):
    """A word of a text: as written in lower case, its stem, and whether it carries content."""

    text: str
    stem: str
    content: bool
    clause: int
    """Which clause of the text it stands in, from 0."""


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A rough stem, under which the forms of a word meet: at most six letters."""
    word = word.removesuffix("'s").removesuffix("n't")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)][:_LETTERS]
    return word[:_LETTERS]


@lru_cache(maxsize=4096)
def read(text: str) -> tuple[Word, ...]:
    """The words of a text in order; clauses end at punctuation and at conjunctions."""
    found = []
    clause = 0
    for token in _TOKEN.findall(text.replace("’", "'").lower()):
        if not token[0].isalnum():
            clause += 1
            continue
        if token in _JOINTS:
            clause += 1
        content = token not in STOPWORDS and len(token) > 1
        found.append(Word(token, stem(token), content, clause))
    return tuple(found)


_JOINTS = frozenset(
    {"and", "but", "because", "while", "whereas", "although", "though", "since", "if", "when",
     "which", "who"}
)  # fmt: skip


def is_negation(word: str) -> bool:
    """Whether it turns round what follows it."""
    return word in NEGATIONS or word.endswith("n't")


@lru_cache(maxsize=4096)
def numbers(text: str) -> frozenset[str]:
    """Every number in one spelling: ``1,000`` and ``1000`` are one, ``four`` is ``4``."""
    found = set()
    for number in _NUMBER.findall(text):
        plain = number.rstrip(".,").replace(",", "")
        found.add(plain.rstrip("0").rstrip(".") if "." in plain else plain)
    return frozenset(found | {_SPELLED[t] for t in tokens(text) if t in _SPELLED})


@lru_cache(maxsize=4096)
def names(text: str) -> frozenset[str]:
    """Capitalised words inside sentences, in lower case."""
    return frozenset(
        name.casefold().replace("’", "'").removesuffix("'s")
        for sentence in sentences(text)
        for name in _NAME.findall(sentence)
        if name.casefold() not in STOPWORDS
    )


def missing(sentence: str, passage: str) -> tuple[int, int]:
    """How many numbers and how many names of the sentence the passage does not hold."""
    unknown = numbers(sentence) - numbers(passage) - _VAGUE
    held = {word.stem for word in read(passage)} | {word.text for word in read(passage)}
    strange = [n for n in names(sentence) if n not in held and stem(n) not in held]
    return len(unknown), len(strange)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    """Stem -> the stems that say the contrary."""
    found: dict[str, set[str]] = {}
    for pair in _OPPOSED.split():
        one, other = (stem(word) for word in pair.split("/"))
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def undone(word: str) -> frozenset[str]:
    """The word of which this one is the denial by its prefix: ``unlawful`` of ``lawful``."""
    return frozenset(word[len(p) :] for p in _PREFIXES if word.startswith(p) and len(word) > 6)


def contraries(word: Word) -> frozenset[str]:
    """Stems and words that say the contrary."""
    return _opposites().get(word.stem, frozenset()) | undone(word.text)


__all__ = [
    "ABSOLUTES", "DOUBTS", "EXTREMES", "HEDGES", "Word", "contraries", "is_negation", "missing",
    "names", "numbers", "read", "stem", "undone",
]  # fmt: skip
