"""From debate to outline (S1 section 2.2, appendix A.2)."""

from __future__ import annotations

from typing import Any

from modules.debate import transcript
from modules.lm.ask import Ask
from modules.personas import candidate
from modules.stage import Stage
from signatures.debate import MakePlan
from signatures.types import Debate, EssayStance, Persona, Plan


class Planner(Stage):
    """Distils a debate into a plan.

    Args:
        minimum_points: The fewest main points.
        maximum_points: The most main points.
    """

    def __init__(self, *, minimum_points: int, maximum_points: int) -> None:
        super().__init__(minimum_points=minimum_points, maximum_points=maximum_points)
        self.make = Ask(MakePlan)

    def forward(
        self, *, subject: str, goal: EssayStance, personas: list[Persona], debate: Debate
    ) -> Plan:
        """The plan, its points within the bounds.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        reply = self.make(
            proposition=subject,
            goal=goal,
            team=[candidate(p) for p in personas if p.selected],
            transcript=transcript(debate, personas),
            minimum_points=self.settings["minimum_points"],
            maximum_points=self.settings["maximum_points"],
            check=self._problem,
        )
        plan: Plan = reply.plan
        return plan.model_copy(update={"points": plan.points[: self.settings["maximum_points"]]})

    def _problem(self, reply: Any) -> str | None:
        count = len(reply.plan.points)
        wanted = self.settings["minimum_points"]
        return None if count >= wanted else f"{count} main points, at least {wanted} wanted"


__all__ = ["Planner"]
