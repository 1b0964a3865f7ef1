"""What an essay is made of: which sentences carry which point, chosen before any prose."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from modules.lm.extractive.sentences import plain
from modules.lm.extractive.statements import (
    Statement,
    Weights,
    best,
    merit,
    on_side,
    overlap,
    similar,
    stems,
)
from modules.lm.extractive.topics import of_phrase
from modules.lm.extractive.themes import ranked
from signatures.essay import PlannedEvidence
from signatures.types import Plan, PlanPoint

_JITTER = 0.08
_SAME = 0.8  # overlap from which a statement is the plan's own sentence
_NEAR = 0.5  # overlap from which two sentences would repeat one another


@dataclass
class Section:
    """One point of the essay. ``lead`` is the passage sentence that says the point, if one does."""

    point: str
    lead: Statement | None
    numbers: frozenset[int]
    stems: frozenset[str]
    topic: str = ""
    evidence: list[Statement] = field(default_factory=list)


@dataclass
class Matter:
    """All that the essay will say."""

    sections: list[Section]
    granted: Statement | None
    answer: Statement | None


def gather(
    plan: Plan,
    parts: Sequence[PlannedEvidence],
    pool: Sequence[Statement],
    proposition: str,
    sign: int,
    room: int,
    rng: random.Random,
) -> Matter:
    """Sentences for each point in turn, ``room`` of them in all, none twice."""
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}
    sections = [_section(p, i, plan, parts, pool, sign) for i, p in enumerate(plan.points)]
    used = [s.lead for s in sections if s.lead is not None]
    granted = _granted(plan, pool, -sign, luck)
    answer = _answer(granted, pool, sign, [*used, *([granted] if granted else [])], luck)
    used += [s for s in (granted, answer) if s is not None]
    _fill(sections, pool, sign, room, used, luck)
    _name(sections, proposition)
    return Matter([s for s in sections if s.lead or s.evidence or s.point], granted, answer)


def _section(
    point: PlanPoint,
    place: int,
    plan: Plan,
    parts: Sequence[PlannedEvidence],
    pool: Sequence[Statement],
    sign: int,
) -> Section:
    """The point with the numbers of its passages and the sentence that says it, if any."""
    text = plain(point.point)
    words = stems(text)
    own = [s for s in pool if s.standalone and overlap(s.stems, words) >= _SAME]
    lead = max(own, key=lambda s: (overlap(s.stems, words), len(s.stems & words)), default=None)
    planned = [p for p in parts if p.part != plan.acknowledgment]
    mine = [p for p in parts if p.part == point.point] or planned[place : place + 1]
    numbers = frozenset(e.number for part in mine for e in part.passages)
    around = words.union(*(stems(s) for s in point.subpoints)) if point.subpoints else words
    text = text if text.endswith((".", "!")) else text + "."
    return Section(text, lead, numbers, around)


def _granted(
    plan: Plan, pool: Sequence[Statement], sign: int, luck: dict[str, float]
) -> Statement | None:
    """The other side's sentence that comes nearest to the plan's acknowledgment."""
    if plan.acknowledgment is None:
        return None
    words = stems(plan.acknowledgment)
    other = best(pool, sign)
    same = [s for s in pool if s.standalone and overlap(s.stems, words) >= _SAME]
    return max(
        same or other,
        key=lambda s: 2 * overlap(s.stems, words) + merit(s, sign) + luck[s.text],
        default=None,
    )


def _answer(
    granted: Statement | None,
    pool: Sequence[Statement],
    sign: int,
    used: Sequence[Statement],
    luck: dict[str, float],
) -> Statement | None:
    """The own side's sentence that bears most on what was granted."""
    if granted is None:
        return None
    weights = Weights(s.stems for s in pool)
    fit = [s for s in best(pool, sign) if not similar(s, used, _NEAR)]
    return max(
        fit,
        key=lambda s: 1.5 * weights.cosine(s.stems, granted.stems) + merit(s, sign) + luck[s.text],
        default=None,
    )


def _fill(
    sections: list[Section],
    pool: Sequence[Statement],
    sign: int,
    room: int,
    used: list[Statement],
    luck: dict[str, float],
) -> None:
    """Deal evidence to the sections in turn until the room is filled or nothing fits."""
    weights = Weights(s.stems for s in pool)
    candidates = best(pool, sign)
    left = room - len([s for s in sections if s.lead is not None])
    for _ in range(4):
        for section in sections:
            if left <= 0:
                return
            taken = [s.title for s in (section.lead, *section.evidence) if s is not None]

            def worth(s: Statement, section: Section = section, taken: list[str] = taken) -> float:
                near = 2.0 * weights.cosine(s.stems, section.stems)
                placed = 0.25 * (s.number in section.numbers) - 0.3 * taken.count(s.title)
                return near + placed + 0.7 * merit(s, sign) + luck[s.text]

            fresh = [s for s in candidates if not similar(s, used, _NEAR)]
            pick = max(fresh, key=worth, default=None)
            if pick is None:
                return
            section.evidence.append(pick)
            used.append(pick)
            left -= 1
            after = _follow_up(pick, pool, sign, used)
            if after is not None and left > 0:
                section.evidence.append(after)
                used.append(after)
                left -= 1


def _follow_up(
    statement: Statement, pool: Sequence[Statement], sign: int, used: Sequence[Statement]
) -> Statement | None:
    """The passage's next sentence, where it leans on this one and stays on its side."""
    for s in pool:
        if (s.number, s.place) == (statement.number, statement.place + 1):
            fits = not s.standalone and on_side(s, sign) and not similar(s, used, _NEAR)
            return s if fits else None
    return None


def _name(sections: list[Section], proposition: str) -> None:
    """A different noun phrase for each section, from its own words or its theme."""
    subject = stems(proposition)
    taken: set[str] = set()
    for section in sections:
        text = section.lead.text if section.lead is not None else section.point
        said = stems(text).union(*(s.stems for s in section.evidence))
        themes = [t.phrase for t in ranked(said, subject, least=2.0)]
        options = [of_phrase(text) or "", *themes]
        section.topic = next((o for o in options if o and o not in taken), "")
        taken.add(section.topic)


__all__ = ["Matter", "Section", "gather"]
