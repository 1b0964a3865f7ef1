"""S1's own method: personas debate with a critic towards a plan, then the essay is written."""

from __future__ import annotations

from typing import Any, ClassVar

from modules.citations import Embedder
from modules.debate import PlanningDebate
from modules.essay.method import EssayMethod, EssayParts
from modules.essay.program import PersonaProgram, debate_options, plan_options
from modules.essay.settings import EssaySettings
from modules.evidence import Retriever
from modules.planning import Planner
from modules.stage import Step, direct
from signatures.types import EssayStance


class PersonaDebateProgram(PersonaProgram):
    """Personas, a team, a debate with a critic, a plan, evidence for it, the essay.

    Args:
        settings: What the method was told.
        retriever: Where evidence is searched.
        embedder: For citations and the debate's novelty.
        critic: Whether there is a critic.

    Example:
        >>> program = PersonaDebateProgram(EssaySettings(), retriever, embedder)
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     parts = program(subject="We should make all museums free", goal="refute")
        >>> print(parts.essay.text)
    """

    def __init__(
        self,
        settings: EssaySettings,
        retriever: Retriever,
        embedder: Embedder,
        *,
        critic: bool = True,
    ) -> None:
        super().__init__(settings, retriever, embedder)
        self.debate = PlanningDebate(
            **debate_options(settings, embedder), critic=critic, meanwhile=self.ahead
        )
        self.plan = Planner(**plan_options(settings))

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay on ``subject`` and everything that led to it."""
        background = self.background(step, subject)
        pool, personas, evidence = self.staffed(step, subject, goal, background)
        debate = step(
            "debate",
            self.debate,
            subject=subject,
            goal=goal,
            personas=personas,
            evidence=evidence,
            background=background,
        )
        plan = step("plan", self.plan, subject=subject, goal=goal, personas=personas, debate=debate)
        essay = self.written(step, subject, goal, plan, background)
        return EssayParts(personas, debate, plan, essay, pool.notes)


class PersonaDebate(EssayMethod):
    """S1's own method, with the evidence its authors left to future work."""

    name: str = "persona_debate"
    stages: ClassVar[int] = 9

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return PersonaDebateProgram(settings, retriever, embedder)


__all__ = ["PersonaDebate", "PersonaDebateProgram"]
