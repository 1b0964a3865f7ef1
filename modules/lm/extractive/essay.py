"""WriteEssay, WriteOutright, WriteArgument: points carried by cited sentences of the passages."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.extractive import phrases
from modules.lm.extractive.chance import Deck
from modules.lm.extractive.discourse import ground
from modules.lm.extractive.inputs import no_evidence, passages, side_of
from modules.lm.extractive.matter import Matter, Section, gather, said
from modules.lm.extractive.prose import (
    Casing,
    cite,
    is_clause,
    listing,
    paragraph,
    subject_line,
)
from modules.lm.extractive.stance import StanceReader, negate
from modules.lm.extractive.statements import Statement, best, merit, similar, statements
from modules.lm.extractive.words import overlap
from signatures.essay import PlannedEvidence
from signatures.types import Concession, Evidence, Plan, PlanPoint, Reason

_FRAME_WORDS = 150  # opening, acknowledgment and conclusion
_ALIKE = 0.3  # overlap from which two sentences speak of one thing
_JITTER = 0.15
_SAME = 0.65  # overlap from which two paragraphs would begin alike
_PARAGRAPHS = 3  # of an essay without a plan
_LEAST_WORDS = 60  # of cited sentences, however short the essay is to be


def write_essay(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The essay; every sentence out of a passage carries that passage's number."""
    parts = [PlannedEvidence.model_validate(part) for part in inputs["evidence"]]
    return _written(inputs, Plan.model_validate(inputs["plan"]), parts, rng)


def write_outright(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The essay without a plan: the side's best sentences as they come, nothing announced."""
    given = passages(inputs["evidence"])
    pool = _pool(inputs["proposition"], given, ranked=True)
    sign = side_of(inputs["goal"])
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}
    ranked = sorted(best(pool, sign), key=lambda s: -(merit(s, sign) + luck[s.text]))
    leads: list[Statement] = []
    for statement in ranked:
        if len(leads) < _PARAGRAPHS and not similar(statement, leads, _SAME):
            leads.append(statement)
    plan = Plan(points=[PlanPoint(point=s.text, subpoints=[]) for s in leads])
    parts = [PlannedEvidence(part=s.text, passages=given) for s in leads]
    return _written(inputs, plan, parts, rng, announced=False)


def write_argument(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The essay from claim, reasons and concession, the claim's ground stated at the outset."""
    reasons = [Reason.model_validate(reason) for reason in inputs["reasons"]]
    concession = Concession.model_validate(inputs["concession"])
    plan = Plan(
        acknowledgment=concession.objection,
        points=[PlanPoint(point=r.reason, subpoints=[r.explanation]) for r in reasons],
    )
    parts = [PlannedEvidence.model_validate(part) for part in inputs["evidence"]]
    return _written(inputs, plan, parts, rng, claim=inputs["claim"], answer=concession.answer)


def _pool(proposition: str, given: Sequence[Evidence], ranked: bool = False) -> list[Statement]:
    pool = statements(given, StanceReader(proposition), proposition, ranked)
    if not any(s.standalone for s in pool):
        raise no_evidence("no sentence to cite in the passages of the plan")
    return pool


def _written(
    inputs: Mapping[str, Any],
    plan: Plan,
    parts: Sequence[PlannedEvidence],
    rng: random.Random,
    *,
    announced: bool = True,
    claim: str = "",
    answer: str = "",
) -> dict[str, Any]:
    proposition, sign = inputs["proposition"], side_of(inputs["goal"])
    given = list({p.number: p for part in parts for p in part.passages}.values())
    pool = _pool(proposition, given)
    thesis = said(ground(claim).text, pool) if claim else None
    spent = [] if thesis is None else [thesis]
    room = max(_LEAST_WORDS, inputs["word_target"] - _FRAME_WORDS)
    matter = gather(plan, parts, pool, proposition, sign, room, rng, spent, answer)
    if not any(s.lead or s.evidence for s in matter.sections):
        raise no_evidence("no sentence on the side of the essay in the passages of the plan")
    casing = Casing([p.text for p in given])
    writer = _Writer(proposition, sign, matter, casing, rng, thesis, announced)
    return {"essay": writer.essay()}


class _Writer:
    """Renders gathered matter; holds the decks so that no phrase comes twice."""

    def __init__(
        self,
        proposition: str,
        sign: int,
        matter: Matter,
        casing: Casing,
        rng: random.Random,
        thesis: Statement | None = None,
        announced: bool = True,
    ) -> None:
        self.thesis = thesis
        self.announced = announced
        self.sign = sign
        self.matter = matter
        self.casing = casing
        self.line = subject_line(proposition, casing)
        self.clause = is_clause(self.line)
        self.denial = casing.lowered(negate(self.line).rstrip(" ."))
        self.rng = rng
        self.decks: dict[tuple[str, ...], Deck] = {}

    def draw(self, options: tuple[str, ...], **fields: str) -> str:
        """One phrase, filled in."""
        if options not in self.decks:
            self.decks[options] = Deck(options, self.rng)
        return self.decks[options].draw().format(**fields)

    def essay(self) -> str:
        """Paragraphs separated by blank lines."""
        sections = self.matter.sections
        body: list[str] = []
        for place, section in enumerate(sections):
            text = self.section(section, place, len(sections))
            if body and not section.evidence:
                body[-1] += " " + text  # one sentence is no paragraph
            else:
                body.append(text)
        parts = [self.opening(), *body, self.acknowledgment(), self.conclusion()]
        return "\n\n".join(part for part in parts if part)

    def opening(self) -> str:
        """The proposition, stated fairly, and the position taken."""
        if self.clause:
            stated = self.draw(phrases.STATE_CLAUSE, clause=self.casing.lowered(self.line))
        else:
            stated = self.draw(phrases.STATE_LINE, line=self.line)
        verdict: tuple[str, ...] = phrases.SUPPORT
        if self.sign < 0:
            verdict = phrases.REFUTE if self.clause else phrases.REFUTE_BARE
        topics = self.topics()
        return paragraph(
            [
                stated,
                self.draw(phrases.FAIRNESS),
                self.draw(verdict, denial=self.denial),
                self.grounded(),
                self.draw(phrases.ROADMAP, topics=topics) if topics and self.announced else "",
            ]
        )

    def grounded(self) -> str:
        """The sentence that says what the position rests on; empty where none was claimed."""
        if self.thesis is None:
            return ""
        if not self.casing.can_lower(self.thesis.text):
            return cite(self.thesis.text, self.thesis.number)
        text = self.draw(phrases.GROUND, s=self.casing.lowered(self.thesis.text))
        return cite(text, self.thesis.number)

    def topics(self) -> str:
        """What the sections are about, in order; empty where too few have a name."""
        names = list(dict.fromkeys(s.topic for s in self.matter.sections if s.topic))
        return listing(names) if len(names) > 1 else ""

    def section(self, section: Section, place: int, total: int) -> str:
        """One point: its own sentence first, then the evidence."""
        lead = self.lead(section, place, total)
        done = [section.lead] if section.lead is not None else []
        sentences = []
        for statement in section.evidence:
            sentences.append(self.joined(statement, done, first=not done and not lead))
            done.append(statement)
        return paragraph([*lead, *sentences])

    def lead(self, section: Section, place: int, total: int) -> list[str]:
        """The topic sentence, with its marker where a passage says the same."""
        stage = "FIRST" if place == 0 else "LAST" if place == total - 1 else "MIDDLE"
        point = section.lead.text if section.lead is not None else section.point
        if point and self.casing.can_lower(point):
            options: tuple[str, ...] = getattr(phrases, f"POINT_{stage}")
            text = self.draw(options, s=self.casing.lowered(point))
            return [cite(text, section.lead.number) if section.lead is not None else text]
        options = getattr(phrases, f"TOPIC_{stage}")
        opener = self.draw(options, topic=section.topic) if section.topic else ""
        if section.lead is None:
            return [opener] if opener else []
        return [opener, cite(point, section.lead.number)]

    def joined(self, statement: Statement, done: list[Statement], first: bool) -> str:
        """An evidence sentence with the connector that fits what precedes it."""
        text = statement.text
        before = done[-1] if done else None
        follows = before is not None and (before.number, before.place + 1) == (
            statement.number,
            statement.place,
        )
        if first or follows or not self.casing.can_lower(text):
            return cite(text, statement.number)
        if len(done) % 2 == 0 and self.rng.random() < 0.6:
            return cite(text, statement.number)
        alike = before is not None and overlap(before.stems, statement.stems) >= _ALIKE
        options = phrases.RELATIONS if alike else phrases.ESSAY_ADDITIONS
        return cite(self.draw(options, s=self.casing.lowered(text)), statement.number)

    def acknowledgment(self) -> str:
        """The other side's best evidence, granted and answered."""
        granted, answer = self.matter.granted, self.matter.answer
        if granted is None:
            return ""
        sentences = [self.draw(phrases.GRANT_OPEN), cite(granted.text, granted.number)]
        sentences.append(self.draw(phrases.GRANT))
        if answer is None:
            return paragraph([*sentences, self.draw(phrases.ANSWER_BARE)])
        if self.casing.can_lower(answer.text):
            text = self.draw(phrases.ANSWER, s=self.casing.lowered(answer.text))
            return paragraph([*sentences, cite(text, answer.number)])
        bare = self.draw(phrases.ANSWER_BARE)
        return paragraph([*sentences, bare, cite(answer.text, answer.number)])

    def conclusion(self) -> str:
        """What was said, recalled, and what follows."""
        topics = self.topics()
        close = phrases.CLOSE if topics else phrases.CLOSE_BARE
        verdict: tuple[str, ...] = phrases.VERDICT_SUPPORT
        if self.sign < 0:
            verdict = phrases.VERDICT_REFUTE if self.clause else phrases.VERDICT_REFUTE_BARE
        return paragraph(
            [
                self.draw(close, topics=topics),
                self.draw(verdict, denial=self.denial),
                self.draw(phrases.LAST_WORD if self.matter.granted else phrases.LAST_BARE),
            ]
        )


__all__ = ["write_argument", "write_essay", "write_outright"]
