"""The persona debate without one of its parts: what that part is worth."""

from __future__ import annotations

from typing import Any, ClassVar

from modules.citations import Embedder
from modules.essay.method import EssayMethod, EssayParts
from modules.essay.persona_debate import PersonaDebateProgram
from modules.essay.program import NO_DEBATE, PersonaProgram, plan_options
from modules.essay.settings import EssaySettings
from modules.evidence import Retriever
from modules.planning import PersonaOutliner
from modules.stage import Step, direct
from signatures.types import EssayStance


class PersonaNoDebateProgram(PersonaProgram):
    """Personas, a team, a plan from their claims, evidence for it, the essay."""

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__(settings, retriever, embedder)
        self.plan = PersonaOutliner(**plan_options(settings))

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay on ``subject`` and everything that led to it."""
        background = self.background(step, subject)
        pool, personas, evidence = self.staffed(step, subject, goal, background)
        plan = step(
            "plan",
            self.plan,
            subject=subject,
            goal=goal,
            personas=personas,
            evidence=evidence,
            background=background,
        )
        essay = self.written(step, subject, goal, plan, background)
        return EssayParts(personas, NO_DEBATE, plan, essay, pool.notes)


class PersonaNoDebate(EssayMethod):
    """Personas bring their claims, and nobody answers them."""

    name: str = "persona_no_debate"
    stages: ClassVar[int] = 8

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return PersonaNoDebateProgram(settings, retriever, embedder)


class DebateNoCritic(EssayMethod):
    """The team debates among itself, unopposed."""

    name: str = "debate_no_critic"
    stages: ClassVar[int] = 9

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return PersonaDebateProgram(settings, retriever, embedder, critic=False)


__all__ = ["DebateNoCritic", "PersonaNoDebate", "PersonaNoDebateProgram"]
