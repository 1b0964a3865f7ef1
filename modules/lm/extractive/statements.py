"""Sentences of passages with their side, their subject and their place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from modules.lm.extractive.relevance import near, relevance
from modules.lm.extractive.sentences import Lifted, lift, plain
from modules.lm.extractive.soundness import hedged, tokens
from modules.lm.extractive.wordlists import PRONOUNS
from modules.lm.extractive.words import Weights, overlap, stems
from signatures.types import Evidence

#: (side, own side) that a statement needs, from confident to hardly so.
_TIERS = ((0.12, -0.05), (0.05, -0.1), (0.0, -0.2))
LENIENT = len(_TIERS) - 1
"""The tier that asks for least confidence; even it takes nothing that reads as the other side's."""
_HEDGED = 0.3  # own score that a sentence needs if it reports or grants a view
_TAKEN = 0.75  # share of content that makes two sentences one
_OWN = 0.2  # weight of a sentence's own score beside its document's
_SURE = 0.5  # a side score beyond which a statement gains nothing more
_ASIDE = 0.2  # what a sentence counts that shares no word with the proposition
_VOUCHED = 0.6  # what being drawn on by a side adds to a document
_BIAS = 0.2  # share of the common lean that is the reader's, where sides may be uneven
_NEAR = 0.5  # overlap from which two sentences would repeat one another
_LEAST = 4  # passages kept even if none is clearly on the subject


class Reader(Protocol):
    """Reads which side of a proposition a text takes, in [-1, 1]."""

    def score(self, text: str) -> float:
        """Above 0: the text supports the proposition."""


@dataclass(frozen=True)
class Statement:
    """One printable sentence of a numbered passage.

    ``side`` is in [-1, 1], above 0 for the proposition, ``own_side`` the same by its words
    alone; ``relevance`` is about 0 to 2, and ``near`` says whether its passage is about
    the proposition at all; ``stems`` are its content words.
    """

    text: str
    number: int
    title: str
    place: int
    standalone: bool
    side: float = 0.0
    own_side: float = 0.0
    relevance: float = 0.0
    near: bool = True
    stems: frozenset[str] = field(default=frozenset())


def statements(
    passages: Sequence[Evidence], reader: Reader, proposition: str, ranked: bool = False
) -> list[Statement]:
    """Printable sentences of the passages on the subject, none twice, each with its side.

    ``ranked`` says that the passages come in the order of a search for the proposition.
    """
    if not passages:
        return []
    subject = stems(proposition)
    about = relevance(passages, proposition, ranked)
    kept = {p.number for p in near(passages, about, _LEAST)}
    read = [_Read.of(passage, reader) for passage in passages]
    leaning = _leanings(read, reader, subject)
    # A search for a contested subject brings both sides; what all share is the reader's bias.
    common = _mean([leaning[n] for n in kept]) * (1.0 if ranked else _BIAS)
    weights = Weights(stems(p.text) for p in passages)
    found: list[Statement] = []
    for passage in read:
        for place, (text, alone) in enumerate(passage.lifted):
            words = stems(text)
            if not text or any(same(words, s.stems) for s in found):
                continue
            own = passage.scores[place]
            side = _OWN * own + leaning[passage.number] - common
            relevant = about[passage.number] + weights.cosine(words, subject)
            found.append(
                Statement(
                    text,
                    passage.number,
                    passage.title,
                    place,
                    alone,
                    side,
                    own,
                    relevant,
                    passage.number in kept,
                    words,
                )
            )
    return found


class _Read(NamedTuple):
    """A passage as read: its sentences, the score of each and of the whole."""

    number: int
    title: str
    lifted: list[Lifted]
    scores: list[float]
    whole: float

    @classmethod
    def of(cls, passage: Evidence, reader: Reader) -> _Read:
        lifted = lift(passage.text)
        scores = [reader.score(text) if text else 0.0 for text, _ in lifted]
        return cls(passage.number, passage.title, lifted, scores, reader.score(plain(passage.text)))


def _leanings(
    passages: Sequence[_Read], reader: Reader, subject: frozenset[str]
) -> dict[int, float]:
    """Passage number -> what its document says of the side of its sentences, in [-1, 1].

    One sentence is little to go by, and a passage not much more; a document mostly argues one
    side. It is read passage by passage and sentence by sentence, where sentences that speak of
    the proposition itself count most, and its title apart.
    """
    wholes: dict[str, list[float]] = {}
    singles: dict[str, list[tuple[float, float]]] = {}
    for p in passages:
        wholes.setdefault(p.title, []).append(p.whole)
        for (text, _), score in zip(p.lifted, p.scores, strict=True):
            weight = (_ASIDE + overlap(stems(text), subject)) if text else 0.0
            singles.setdefault(p.title, []).append((weight, score))
    clear = {}
    for title, whole in wholes.items():
        weight = sum(w for w, _ in singles.get(title, []))
        single = sum(w * score for w, score in singles.get(title, [])) / (weight + 1)
        clear[title] = 0.4 * math.tanh(5 * single) + 0.2 * math.tanh(4 * _mean(whole))
        clear[title] += 0.4 * reader.score(title)
    return {p.number: clear[p.title] for p in passages}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def vouched(pool: Sequence[Statement], said: Iterable[str], sign: int) -> list[Statement]:
    """The pool, with more trust in the documents that one side has drawn on.

    What is ``said`` by the side with this sign has come through the debate as its own; what
    stands around it in its document most likely argues the same side.
    """
    words = [stems(text) for text in said]
    titles = {s.title for s in pool for w in words if same(s.stems, w)}
    return [replace(s, side=s.side + _VOUCHED * sign) if s.title in titles else s for s in pool]


def same(left: frozenset[str], right: frozenset[str]) -> bool:
    """Whether two sentences with these stems are one."""
    return len(left & right) > _TAKEN * len(left | right)


def quality(statement: Statement) -> float:
    """How well the sentence reads on its own, in about [-1, 1]: plain, medium, no loose ends."""
    words = [w.lower() for w in tokens(statement.text)]
    length = -abs(len(words) - 19) / 21
    loose = 0.15 * sum(w in PRONOUNS for w in words)
    spoken = 0.15 * sum("n't" in w for w in words) + 0.2 * ("!" in statement.text)
    heavy = 0.1 * len(re.findall(r"[;:()\"\u201c]", statement.text))
    return length - loose - spoken - heavy


def on_side(statement: Statement, sign: int, tier: int = 0) -> bool:
    """Whether the statement stands on the side with this sign, by its words and surroundings.

    Higher tiers ask for less confidence; none takes a sentence that reads as the other side's.
    """
    confident, least = _TIERS[tier]
    own = statement.own_side * sign
    if statement.side * sign < confident or own < least:
        return False
    return own >= _HEDGED or not hedged(statement.text)


def merit(statement: Statement, sign: int) -> float:
    """How good a piece of evidence for the side with this sign: side, subject and style."""
    return (
        1.2 * min(statement.side * sign, _SURE)
        + 0.6 * statement.relevance
        + 0.35 * quality(statement)
    )


def best(pool: Iterable[Statement], sign: int, least: int = 4) -> list[Statement]:
    """Self-contained statements of a side, best first.

    Less confident ones come after, as far as they are needed for ``least`` statements.
    """
    alone = [s for s in pool if s.standalone and s.near]
    found: list[Statement] = []
    for tier in range(len(_TIERS)):
        more = [s for s in alone if s not in found and on_side(s, sign, tier)]
        found += sorted(more, key=lambda s: (-merit(s, sign), s.number, s.place))
        if len(found) >= least:
            break
    return found


def similar(statement: Statement, others: Iterable[Statement], limit: float = _NEAR) -> bool:
    """Whether the statement says much the same as one of the others."""
    return any(overlap(statement.stems, o.stems) > limit for o in others)


__all__ = [
    "LENIENT", "Reader", "Statement", "best", "merit", "on_side", "quality", "similar",
    "statements",
    "vouched",
]  # fmt: skip
