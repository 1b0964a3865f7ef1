"""A plan first, then the essay (S1's LLM-Plan)."""

from __future__ import annotations

from typing import Any, ClassVar

from modules.citations import Embedder
from modules.essay.method import EssayMethod, EssayParts
from modules.essay.program import NO_DEBATE, PlannedProgram, plan_options
from modules.essay.settings import EssaySettings
from modules.evidence import Retriever
from modules.planning import Outliner
from modules.stage import Step, direct
from modules.writing import EssayWriter
from signatures.types import EssayStance


class PlanThenWriteProgram(PlannedProgram):
    """An outline from the passages on the subject, evidence for it, the essay."""

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__(settings, retriever, embedder)
        self.plan = Outliner(**plan_options(settings))
        self.write = EssayWriter(words=settings.essay.words, meanwhile=self.ahead)

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay on ``subject`` and its plan."""
        background = self.background(step, subject)
        plan = step("plan", self.plan, subject=subject, goal=goal, background=background)
        essay = self.written(step, subject, goal, plan, background)
        return EssayParts([], NO_DEBATE, plan, essay, [])


class PlanThenWrite(EssayMethod):
    """Plan, then write: one mind, no debate."""

    name: str = "plan"
    stages: ClassVar[int] = 5

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return PlanThenWriteProgram(settings, retriever, embedder)


__all__ = ["PlanThenWrite", "PlanThenWriteProgram"]
