"""A planner and a critic debate without personas, then the essay is written (S1's AGENT-DEBATE)."""

from __future__ import annotations

from typing import Any, ClassVar

from modules.citations import Embedder
from modules.debate import AgentDebate
from modules.essay.method import EssayMethod, EssayParts
from modules.essay.program import PlannedProgram, debate_options, plan_options
from modules.essay.settings import EssaySettings
from modules.evidence import Retriever
from modules.planning import Planner
from modules.stage import Step, direct
from modules.writing import EssayWriter
from signatures.types import EssayStance


class AgentDebateProgram(PlannedProgram):
    """Two agents debate over one set of passages; a plan, evidence for it, the essay."""

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__(settings, retriever, embedder)
        self.debate = AgentDebate(**debate_options(settings, embedder))
        self.plan = Planner(**plan_options(settings))
        self.write = EssayWriter(words=settings.essay.words, meanwhile=self.ahead)

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay on ``subject``, its debate and its plan."""
        background = self.background(step, subject)
        debate = step("debate", self.debate, subject=subject, goal=goal, background=background)
        plan = step("plan", self.plan, subject=subject, goal=goal, personas=[], debate=debate)
        essay = self.written(step, subject, goal, plan, background)
        return EssayParts([], debate, plan, essay, [])


class AgentDebateMethod(EssayMethod):
    """Planner against critic, nobody with a persona."""

    name: str = "agent_debate"
    stages: ClassVar[int] = 6

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return AgentDebateProgram(settings, retriever, embedder)


__all__ = ["AgentDebateMethod", "AgentDebateProgram"]
