"""CreatePersonas: the people whom the passages name, each with a claim out of the passages."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from modules.lm.extractive.icons import icon
from modules.lm.extractive.inputs import no_evidence, passages, voices
from modules.lm.extractive.prose import article
from modules.lm.extractive.stakeholders import Stakeholder, stakeholders
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, best, merit, similar, statements
from modules.lm.extractive.themes import ranked
from modules.lm.extractive.values import held
from modules.lm.extractive.words import stems

_JITTER = 0.12  # how far apart two statements may be and still count as near-equals
_DECIDED = 0.15  # a claim takes a side by its own words, not by its surroundings alone
_DRAWN = 0.35  # what each claim already taken from a document counts against another
_UNDECIDED = 0.4
_STANCES = {1: "for", -1: "against"}

#: Background in one sentence; the opinion has no place in it.
_BACKGROUNDS = (
    "{Role} who deals with questions of {theme} in daily life.",
    "{Role} with long first-hand experience of questions of {theme}.",
    "{Role} who has followed the subject closely for many years.",
    "{Role} whose daily life is touched by how this question is settled.",
    "{Role} who speaks from everyday experience rather than theory.",
    "{Role} who has seen the practical side of the matter at close range.",
    "{Role} who has talked with many others in the same position.",
    "{Role} who knows the subject, and questions of {theme} above all, at first hand.",
    "{Role} who has often had to think about {theme}.",
    "{Role} who keeps in touch with people on all sides of the question.",
)


class _Proposal(NamedTuple):
    """A possible persona."""

    title: str
    statement: Statement
    sign: int
    worth: float


def create_personas(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Between ``minimum`` and ``maximum`` personas, fewer where the evidence holds no more."""
    proposition = inputs["proposition"]
    background = passages(inputs["background"])
    pool = statements(background, StanceReader(proposition), proposition, ranked=True)
    existing = voices(inputs["existing"])
    if not pool or not any(s.stems & stems(proposition) for s in pool):
        raise no_evidence("no sentence about the proposition in the background passages")
    signs = {"both": (1, -1), "for": (1,), "against": (-1,)}[inputs["sides"]]
    proposals = list(_proposals(pool, [p.text for p in background], signs, rng, proposition))
    taken = {v.title.lower() for v in existing}
    told = [Statement(v.claim, 0, "", 0, True, stems=stems(v.claim)) for v in existing]
    chosen = _choose(proposals, signs, inputs["maximum"], taken, told)
    if not chosen and not existing:
        raise no_evidence("no sentence that takes the side asked for")
    decks = rng.sample(_BACKGROUNDS, len(_BACKGROUNDS))
    return {
        "personas": [
            _draft(p, decks[i % len(decks)], proposition, inputs["values"])
            for i, p in enumerate(chosen)
        ]
    }


def _proposals(
    pool: list[Statement],
    texts: list[str],
    signs: tuple[int, ...],
    rng: random.Random,
    proposition: str,
) -> Iterator[_Proposal]:
    """Every stakeholder with every claim it could make, and every claim with its theme's title."""
    named = stakeholders(texts)[:40]
    subject = stems(proposition)
    for sign in signs:
        for statement in best(pool, sign, least=8):
            worth = merit(statement, sign) + rng.uniform(0, _JITTER)
            worth -= _UNDECIDED * (statement.own_side * sign < _DECIDED)
            for group, bonus in _bonds(named, statement):
                yield _Proposal(group.title, statement, sign, worth + bonus)
            for place, theme in enumerate(ranked(statement.stems, subject)[:2]):
                for title in theme.titles:
                    yield _Proposal(title, statement, sign, worth - 0.1 * place)


def _bonds(named: list[Stakeholder], statement: Statement) -> Iterator[tuple[Stakeholder, float]]:
    """The groups that the statement names, each by its fullest name, and how close they are."""
    found = {group: bond for group in named if (bond := _bond(group, statement))}
    for group, bond in found.items():
        if not any(other.phrase.endswith(f" {group.phrase}") for other in found):
            yield group, bond


def _bond(group: Stakeholder, statement: Statement) -> float:
    """How closely the statement belongs to the group: as its subject, or by naming it."""
    low = statement.text.lower()
    place = re.search(rf"\b{re.escape(group.phrase)}\b", low)
    if place is None:
        return 0.0
    crowd = low.count(",") + low.count(" and ") > 2
    return 0.2 + 0.25 * (place.start() < 12 and not crowd) + min(group.mentions, 6) * 0.04


def _choose(
    proposals: list[_Proposal],
    signs: tuple[int, ...],
    maximum: int,
    taken: set[str],
    told: list[Statement],
) -> list[_Proposal]:
    """The best proposals, sides in turn, no title and no thought twice."""
    order = sorted(
        proposals, key=lambda p: (-p.worth, p.statement.number, p.statement.place, p.title)
    )
    chosen: list[_Proposal] = []
    told = list(told)
    heads = {title.split()[-1] for title in taken}
    spent: set[int] = set()
    while len(chosen) < maximum and len(spent) < len(signs):
        for sign in signs:
            fresh = [p for p in order if p.sign == sign and _fresh(p, taken, heads, told)]
            drawn = Counter(p.statement.title for p in chosen)
            pick = max(
                fresh, key=lambda p: p.worth - _DRAWN * drawn[p.statement.title], default=None
            )
            if pick is None or len(chosen) >= maximum:
                spent.add(sign)
                continue
            chosen.append(pick)
            taken.add(pick.title.lower())
            heads.add(pick.title.lower().split()[-1])
            told.append(pick.statement)
    return chosen


def _fresh(proposal: _Proposal, taken: set[str], heads: set[str], told: list[Statement]) -> bool:
    title = proposal.title.lower()
    if title in taken or title.split()[-1] in heads - {"adviser", "campaigner", "advocate"}:
        return False
    return not similar(proposal.statement, told, limit=0.45)


def _draft(
    proposal: _Proposal, background: str, proposition: str, values: str | list[str]
) -> dict[str, Any]:
    """The persona as plain JSON."""
    words = proposal.statement.stems
    themes = ranked(words, stems(proposition))[:3]
    phrase = themes[0].phrase if themes else "daily life"
    role = article(proposal.title[0].lower() + proposal.title[1:])
    return {
        "title": proposal.title,
        "description": background.format(Role=role[0].upper() + role[1:], theme=phrase),
        "claim": proposal.statement.text,
        "emoji": icon(proposal.title, proposal.statement.text),
        "stance": _STANCES[proposal.sign],
        "values": held(words, themes, values, stems(proposition)),
    }


__all__ = ["create_personas"]
