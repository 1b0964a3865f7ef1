"""What an essay is made of: which sentences carry which point, chosen before any prose."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from modules.lm.extractive.dealing import Dealer
from modules.lm.extractive.sentences import plain
from modules.lm.extractive.statements import Statement, best, merit, similar, vouched
from modules.lm.extractive.themes import ranked
from modules.lm.extractive.topics import of_phrase
from modules.lm.extractive.words import Weights, overlap, stems
from signatures.essay import PlannedEvidence
from signatures.types import Plan, PlanPoint

_JITTER = 0.08  # statements closer in worth than this may change places
_SAME = 0.75  # share of content from which a statement is the plan's own sentence


@dataclass
class Section:
    """One point of the essay. ``lead`` is the passage sentence that says the point, if any.

    ``numbers`` are the passages planned for the point, ``stems`` its content words with those
    of its sub-points; ``topic`` names it, or is empty.
    """

    point: str
    lead: Statement | None
    numbers: frozenset[int]
    stems: frozenset[str]
    topic: str = ""
    evidence: list[Statement] = field(default_factory=list)


@dataclass
class Matter:
    """All that the essay will say; ``answer`` is set against what is ``granted``."""

    sections: list[Section]
    granted: Statement | None
    answer: Statement | None


def gather(
    plan: Plan,
    parts: Sequence[PlannedEvidence],
    pool: Sequence[Statement],
    proposition: str,
    sign: int,
    words: int,
    rng: random.Random,
    spent: Sequence[Statement] = (),
    answer: str = "",
) -> Matter:
    """Sentences for each point, about ``words`` words of them in all, none twice.

    Nothing ``spent`` is said again. ``answer`` is what to set against the acknowledgment, where
    the author has chosen it.
    """
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}
    own = [text for p in plan.points for text in (p.point, *p.subpoints)]
    pool = vouched(pool, own, sign)
    pool = vouched(pool, [plan.acknowledgment] if plan.acknowledgment else [], -sign)
    sections = _sections(plan, parts, pool)
    used = [*spent, *(s.lead for s in sections if s.lead is not None)]
    granted = _granted(plan, pool, -sign, used, luck)
    used += [granted] if granted is not None else []
    chosen = said(answer, [s for s in pool if s not in used]) if answer else None
    chosen = chosen or _answer(granted, pool, sign, used, luck)
    used += [chosen] if chosen is not None else []
    dealer = Dealer(pool, sign, used, luck)
    dealer.deal(sections, words)
    for section in sections:
        if section.lead is None and similar(_point(section), used, _SAME):
            section.point = ""  # the acknowledgment has said it
    _name(sections, proposition)
    return Matter([s for s in sections if s.lead or s.evidence or s.point], granted, chosen)


def _point(section: Section) -> Statement:
    return Statement(section.point, 0, "", 0, True, stems=stems(section.point))


def _sections(
    plan: Plan, parts: Sequence[PlannedEvidence], pool: Sequence[Statement]
) -> list[Section]:
    """A section for each point, leads given out once."""
    planned = [p for p in parts if p.part != plan.acknowledgment]
    sections: list[Section] = []
    for place, point in enumerate(plan.points):
        mine = [p for p in parts if p.part == point.point] or planned[place : place + 1]
        numbers = frozenset(e.number for part in mine for e in part.passages)
        taken = [s.lead for s in sections]
        lead = said(plain(point.point), [s for s in pool if s not in taken])
        sections.append(_section(point, lead, numbers))
    return sections


def _section(point: PlanPoint, lead: Statement | None, numbers: frozenset[int]) -> Section:
    text = plain(point.point)
    around = stems(" ".join([text, *point.subpoints]))
    return Section(text if text.endswith((".", "!")) else text + ".", lead, numbers, around)


def said(text: str, pool: Sequence[Statement]) -> Statement | None:
    """The statement that says the text, if one does."""
    words = stems(text)
    share = {s.text: len(s.stems & words) / max(len(s.stems | words), 1) for s in pool}
    same = [s for s in pool if s.standalone and share[s.text] >= _SAME]
    return max(same, key=lambda s: share[s.text], default=None)


def _granted(
    plan: Plan,
    pool: Sequence[Statement],
    sign: int,
    used: Sequence[Statement],
    luck: dict[str, float],
) -> Statement | None:
    """The plan's acknowledgment as a passage says it, else the sentence that comes nearest."""
    if plan.acknowledgment is None:
        return None
    free = [s for s in pool if s not in used]
    words = stems(plan.acknowledgment)
    return said(plan.acknowledgment, free) or max(
        best(free, sign, least=0),
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
    return max(
        (s for s in best(pool, sign) if not similar(s, used)),
        key=lambda s: 1.5 * weights.cosine(s.stems, granted.stems) + merit(s, sign) + luck[s.text],
        default=None,
    )


def _name(sections: list[Section], proposition: str) -> None:
    """A different noun phrase for each section, from its own words or its theme."""
    subject = stems(proposition)
    taken: set[str] = set()
    for section in sections:
        text = section.lead.text if section.lead is not None else section.point
        own = {t.phrase for t in ranked(stems(text), subject)}
        said = stems(text).union(*(s.stems for s in section.evidence))
        themes = [t.phrase for t in ranked(said, subject, least=2.0) if t.phrase in own]
        options = [of_phrase(text) or "", *themes]
        section.topic = next((o for o in options if o and o not in taken), "")
        taken.add(section.topic)


__all__ = ["Matter", "Section", "gather", "said"]
