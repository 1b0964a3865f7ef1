"""Outlines: from a debate (S1 section 2.2, appendix A.2), from evidence, from personas' claims."""

from __future__ import annotations

from typing import Any

from modules.debate import merged, transcript
from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.personas import candidate
from modules.stage import Stage
from signatures.debate import MakePlan
from signatures.methods import OutlineEssay, OutlineFromPersonas
from signatures.types import Debate, EssayStance, Passage, Persona, Plan


class PlanStage(Stage):
    """Makes a plan whose number of points is bounded.

    Args:
        signature: What the planner is asked.
        minimum_points: The fewest main points.
        maximum_points: The most main points.
    """

    def __init__(self, signature: Any, *, minimum_points: int, maximum_points: int) -> None:
        super().__init__(minimum_points=minimum_points, maximum_points=maximum_points)
        self.make = Ask(signature)

    def _plan(self, subject: str, goal: EssayStance, **inputs: Any) -> Plan:
        most = self.settings["maximum_points"]
        reply = self.make(
            proposition=subject,
            goal=goal,
            minimum_points=self.settings["minimum_points"],
            maximum_points=most,
            check=self._problem,
            **inputs,
        )
        plan: Plan = reply.plan
        return plan.model_copy(update={"points": plan.points[:most]})

    def _problem(self, reply: Any) -> str | None:
        count = len(reply.plan.points)
        wanted = self.settings["minimum_points"]
        return None if count >= wanted else f"{count} main points, at least {wanted} wanted"


class Planner(PlanStage):
    """Distils a debate into a plan."""

    def __init__(self, *, minimum_points: int, maximum_points: int) -> None:
        super().__init__(MakePlan, minimum_points=minimum_points, maximum_points=maximum_points)

    def forward(
        self, *, subject: str, goal: EssayStance, personas: list[Persona], debate: Debate
    ) -> Plan:
        """The plan, its points within the bounds.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        team = [candidate(p) for p in personas if p.selected]
        return self._plan(subject, goal, team=team, transcript=transcript(debate, personas))


class Outliner(PlanStage):
    """Plans from the evidence alone, before anything is written (S1's LLM-Plan)."""

    def __init__(self, *, minimum_points: int, maximum_points: int) -> None:
        super().__init__(OutlineEssay, minimum_points=minimum_points, maximum_points=maximum_points)

    def forward(self, *, subject: str, goal: EssayStance, background: list[Passage]) -> Plan:
        """The plan, its points within the bounds.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        return self._plan(subject, goal, evidence=numbered(background))


class PersonaOutliner(PlanStage):
    """Plans from the team's claims and the passages for them, without a debate."""

    def __init__(self, *, minimum_points: int, maximum_points: int) -> None:
        super().__init__(
            OutlineFromPersonas, minimum_points=minimum_points, maximum_points=maximum_points
        )

    def forward(
        self,
        *,
        subject: str,
        goal: EssayStance,
        personas: list[Persona],
        evidence: dict[str, list[Passage]],
        background: list[Passage],
    ) -> Plan:
        """The plan, its points within the bounds.

        The passages are each team member's own in turn, then those on the subject, which hold
        what the other side has to say.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        team = [p for p in personas if p.selected]
        passages = merged([evidence[p.id] for p in team], background)
        return self._plan(
            subject, goal, team=[candidate(p) for p in team], evidence=numbered(passages)
        )


__all__ = ["Outliner", "PersonaOutliner", "PlanStage", "Planner"]
