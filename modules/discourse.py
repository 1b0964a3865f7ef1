"""An argument decomposed by its discourse structure (AMERICANO, Hu et al., 2023).

Claim, reasons and concession are made one after the other, each reviewed by an agent and revised
on its feedback; the essay written from them is reviewed and revised in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import dspy

from modules.evidence import numbered
from modules.lm.ask import Ask, Check
from modules.stage import Stage
from modules.writing import closed_set, unusable
from signatures.judging import WrittenText
from signatures.methods import (
    Component,
    GiveReasons,
    MakeConcession,
    Review,
    ReviewComponent,
    StateClaim,
    WriteArgument,
)
from signatures.types import (
    Concession,
    Discourse,
    Draft,
    EssayStance,
    Evidence,
    PartEvidence,
    Passage,
    Plan,
    PlanPoint,
    Reason,
    Record,
    Revision,
)


class ClaimDraft(Record):
    """A claim and the reviews it went through."""

    claim: str
    revisions: list[Revision]


class ReasonsDraft(Record):
    """The reasons and the reviews they went through."""

    reasons: list[Reason]
    revisions: list[Revision]


class ConcessionDraft(Record):
    """The concession and the reviews it went through."""

    concession: Concession
    revisions: list[Revision]


class ArgumentDraft(Record):
    """The essay as written and the reviews it went through."""

    draft: Draft
    revisions: list[Revision]


class _Refined(NamedTuple):
    reply: Any
    revisions: list[Revision]


class Refining(dspy.Module):
    """Makes a component and revises it while a reviewer finds fault.

    A reviewer that calls the draft adequate, or gives no feedback, ends it.

    Args:
        signature: What the author is asked; it takes a ``review``.
        component: What the signature makes.
        refinements: The most revisions.
    """

    def __init__(self, signature: Any, component: Component, refinements: int) -> None:
        super().__init__()
        self.make = Ask(signature)
        self.review = Ask(ReviewComponent)
        self.component: Component = component
        self.refinements = refinements

    def forward(
        self,
        *,
        shown: Callable[[Any], str],
        check: Check,
        passages: list[Evidence],
        **inputs: Any,
    ) -> _Refined:
        """The last reply, and every reviewed draft with the feedback it got.

        Args:
            shown: A reply as the reviewer reads it.
            check: Says what makes a reply unusable.
            passages: What the reviewer may hold the draft against.
            **inputs: The inputs of the component's signature, but for the review.
        """
        reply = self.make(review=None, check=check, **inputs)
        revisions: list[Revision] = []
        for _ in range(self.refinements):
            draft = shown(reply)
            found = self.review(
                proposition=inputs["proposition"],
                goal=inputs["goal"],
                component=self.component,
                claim=inputs.get("claim"),
                draft=WrittenText(text=draft),
                evidence=passages,
            )
            feedback = None if found.adequate else (found.feedback or "").strip() or None
            revisions.append(Revision(component=self.component, draft=draft, feedback=feedback))
            if feedback is None:
                break
            review = Review(draft=draft, feedback=feedback)
            reply = self.make(review=review, check=check, **inputs)
        return _Refined(reply, revisions)


class ClaimStage(Stage):
    """States the claim that the argument proves; ``refinements`` is the most revisions."""

    def __init__(self, *, refinements: int) -> None:
        super().__init__(refinements=refinements)
        self.refine = Refining(StateClaim, "claim", refinements)

    def forward(self, *, subject: str, goal: EssayStance, background: list[Passage]) -> ClaimDraft:
        """The claim.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        passages = numbered(background)
        reply, revisions = self.refine(
            proposition=subject,
            goal=goal,
            evidence=passages,
            passages=passages,
            shown=lambda r: str(r.claim),
            check=lambda r: None if r.claim.strip() else "the claim is empty",
        )
        return ClaimDraft(claim=reply.claim.strip(), revisions=revisions)


class ReasonsStage(Stage):
    """Gives the reasons for a claim.

    Args:
        minimum_points: The fewest reasons.
        maximum_points: The most reasons.
        refinements: The most revisions.
    """

    def __init__(self, *, minimum_points: int, maximum_points: int, refinements: int) -> None:
        super().__init__(
            minimum_points=minimum_points, maximum_points=maximum_points, refinements=refinements
        )
        self.refine = Refining(GiveReasons, "reasons", refinements)

    def forward(
        self, *, subject: str, goal: EssayStance, claim: str, background: list[Passage]
    ) -> ReasonsDraft:
        """The reasons, their number within the bounds.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        passages = numbered(background)
        least, most = self.settings["minimum_points"], self.settings["maximum_points"]

        def problem(reply: Any) -> str | None:
            count = len(reply.reasons)
            return None if count >= least else f"{count} reasons, at least {least} wanted"

        reply, revisions = self.refine(
            proposition=subject,
            goal=goal,
            claim=claim,
            evidence=passages,
            minimum_points=least,
            maximum_points=most,
            passages=passages,
            shown=lambda r: "\n".join(f"{x.reason} {x.explanation}".strip() for x in r.reasons),
            check=problem,
        )
        return ReasonsDraft(reasons=reply.reasons[:most], revisions=revisions)


class ConcessionStage(Stage):
    """Grants the strongest objection and answers it; ``refinements`` is the most revisions."""

    def __init__(self, *, refinements: int) -> None:
        super().__init__(refinements=refinements)
        self.refine = Refining(MakeConcession, "concession", refinements)

    def forward(
        self,
        *,
        subject: str,
        goal: EssayStance,
        claim: str,
        reasons: list[Reason],
        background: list[Passage],
    ) -> ConcessionDraft:
        """The concession.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        passages = numbered(background)
        reply, revisions = self.refine(
            proposition=subject,
            goal=goal,
            claim=claim,
            reasons=reasons,
            evidence=passages,
            passages=passages,
            shown=lambda r: f"{r.concession.objection}\n{r.concession.answer}".strip(),
            check=lambda r: None if r.concession.objection.strip() else "nothing is conceded",
        )
        return ConcessionDraft(concession=reply.concession, revisions=revisions)


class ArgumentWriter(Stage):
    """Writes the essay from the components, over a closed set of numbered passages.

    Args:
        words: The length to aim for, in words.
        refinements: The most revisions.
        min_share: The share of ``words`` below which a reply is asked for again.
    """

    def __init__(self, *, words: int, refinements: int, min_share: float = 0.4) -> None:
        super().__init__(words=words, refinements=refinements, min_share=min_share)
        self.refine = Refining(WriteArgument, "essay", refinements)

    def forward(
        self,
        *,
        subject: str,
        goal: EssayStance,
        argument: Discourse,
        evidence: list[PartEvidence],
    ) -> ArgumentDraft:
        """The essay as written, with the passages its markers number from 1.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        passages, planned = closed_set(evidence)
        least = round(self.settings["words"] * self.settings["min_share"])
        reply, revisions = self.refine(
            proposition=subject,
            goal=goal,
            claim=argument.claim,
            reasons=argument.reasons,
            concession=argument.concession,
            evidence=planned,
            word_target=self.settings["words"],
            passages=numbered(passages),
            shown=lambda r: str(r.essay),
            check=lambda r: unusable(r.essay, least, len(passages)),
        )
        draft = Draft(text=reply.essay.strip(), passages=passages)
        return ArgumentDraft(draft=draft, revisions=revisions)


def outline(argument: Discourse) -> Plan:
    """The argument as an outline: its reasons are the points, its objection is acknowledged."""
    return Plan(
        acknowledgment=argument.concession.objection,
        points=[
            PlanPoint(point=r.reason, subpoints=[r.explanation] if r.explanation else [])
            for r in argument.reasons
        ],
    )


__all__ = [
    "ArgumentDraft",
    "ArgumentWriter",
    "ClaimDraft",
    "ClaimStage",
    "ConcessionDraft",
    "ConcessionStage",
    "ReasonsDraft",
    "ReasonsStage",
    "Refining",
    "outline",
]
