"""Essay methods: how the stages are put together (S1 section 2).

A method is a plain object with one verb, ``write``; it calls its stages through the ``step`` it
is given and knows nothing of flows, files or tracking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import dspy
from pydantic import BaseModel, ConfigDict, Field, model_validator

from modules.citations import CitationCheck, Embedder
from modules.debate import PlanningDebate
from modules.evidence import Background, PersonaEvidence, PlanEvidence, Retriever
from modules.personas import PersonaPool, TeamSelection
from modules.planning import Planner
from modules.stage import Step, direct
from modules.writing import EssayWriter
from signatures.types import Debate, Essay, EssayStance, Persona, Plan, Record


class PoolSettings(Record):
    """How many personas are created, on which sides, and how many argue."""

    minimum: int = Field(default=5, ge=1, le=20)
    maximum: int = Field(default=10, ge=1, le=20)
    pool: Literal["both", "one_sided"] = "both"
    team_size: int = Field(default=3, ge=1, le=10)

    @model_validator(mode="after")
    def _ordered(self) -> PoolSettings:
        if self.minimum > self.maximum:
            raise ValueError("minimum must not exceed maximum")
        if self.team_size > self.maximum:
            raise ValueError("team_size must not exceed maximum")
        return self


class DebateSettings(Record):
    """How long the planning debate may run, in rounds, and each turn, in words."""

    max_rounds: int = Field(default=2, ge=1, le=20)
    turn_words: int = Field(default=120, ge=20, le=1000)


class PlanSettings(Record):
    """How many main points a plan may have."""

    minimum: int = Field(default=3, ge=1, le=10)
    maximum: int = Field(default=5, ge=1, le=10)

    @model_validator(mode="after")
    def _ordered(self) -> PlanSettings:
        if self.minimum > self.maximum:
            raise ValueError("minimum must not exceed maximum")
        return self


class WritingSettings(Record):
    """The length to aim for, in words."""

    words: int = Field(default=500, ge=50, le=5000)


class RecallSettings(Record):
    """How many passages are fetched for the subject, each persona, each part of the plan.

    ``min_similarity``, ``sure_similarity`` and ``min_coverage`` say when the corpus holds evidence
    on the subject: see :class:`modules.evidence.Background`. The cosines' defaults are calibrated
    for the default embedder.
    """

    background: int = Field(default=24, ge=1, le=200)
    persona: int = Field(default=6, ge=1, le=50)
    point: int = Field(default=5, ge=1, le=50)
    min_similarity: float = Field(default=0.485, ge=-1, le=1)
    sure_similarity: float = Field(default=0.625, ge=-1, le=1)
    min_coverage: float = Field(default=0.5, ge=0, le=1)


class CitationSettings(Record):
    """The support in [0, 1] from which a citation counts as supported, or as weak."""

    supported: float = Field(default=0.65, ge=0, le=1)
    weak: float = Field(default=0.45, ge=0, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> CitationSettings:
        if self.weak > self.supported:
            raise ValueError("weak must not exceed supported")
        return self


class EssaySettings(Record):
    """What every essay method can be told; each part is a section of the configuration."""

    personas: PoolSettings = PoolSettings()
    debate: DebateSettings = DebateSettings()
    plan: PlanSettings = PlanSettings()
    essay: WritingSettings = WritingSettings()
    recall: RecallSettings = RecallSettings()
    citations: CitationSettings = CitationSettings()


class EssayParts(NamedTuple):
    """Everything a method produced on the way to its essay; what it has no use for is empty."""

    personas: list[Persona]
    debate: Debate
    plan: Plan
    essay: Essay
    notes: list[str]


class EssayMethod(BaseModel, ABC):
    """How an essay comes about. A method of one's own subclasses this and is named in a yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str

    @abstractmethod
    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        """The DSPy program whose predictors get their LMs bound before :meth:`write`."""

    def write(
        self, program: Any, subject: str, goal: EssayStance, step: Step = direct
    ) -> EssayParts:
        """Run the program's stages through ``step``."""
        parts: EssayParts = program(subject=subject, goal=goal, step=step)
        return parts


class PersonaDebateProgram(dspy.Module):
    """Personas, a team, a debate with a critic, a plan, evidence for it, the essay.

    Example:
        >>> program = PersonaDebateProgram(EssaySettings(), retriever, embedder)
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     parts = program(subject="We should make all museums free", goal="refute")
        >>> print(parts.essay.text)
    """

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__()
        s = settings
        self.recall = Background(
            retriever,
            k=s.recall.background,
            min_similarity=s.recall.min_similarity,
            sure_similarity=s.recall.sure_similarity,
            min_coverage=s.recall.min_coverage,
        )
        self.pool = PersonaPool(
            minimum=s.personas.minimum,
            maximum=s.personas.maximum,
            pool=s.personas.pool,
            team_size=s.personas.team_size,
        )
        self.select = TeamSelection(team_size=s.personas.team_size)
        self.gather = PersonaEvidence(retriever, k=s.recall.persona)
        self.debate = PlanningDebate(max_rounds=s.debate.max_rounds, word_limit=s.debate.turn_words)
        self.plan = Planner(minimum_points=s.plan.minimum, maximum_points=s.plan.maximum)
        self.support = PlanEvidence(retriever, k=s.recall.point)
        self.write = EssayWriter(words=s.essay.words)
        self.check = CitationCheck(embedder, supported=s.citations.supported, weak=s.citations.weak)

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay on ``subject`` and everything that led to it."""
        background = step("background", self.recall, subject=subject)
        pool = step("personas", self.pool, subject=subject, goal=goal, background=background)
        # Evidence needs the personas' claims alone: it is gathered while the team is chosen.
        gathering = step.start("evidence", self.gather, pool=pool)
        personas = step("team", self.select, subject=subject, goal=goal, pool=pool)
        debate = step(
            "debate",
            self.debate,
            subject=subject,
            goal=goal,
            personas=personas,
            evidence=gathering.result(),
            background=background,
        )
        plan = step("plan", self.plan, subject=subject, goal=goal, personas=personas, debate=debate)
        support = step("support", self.support, plan=plan)
        draft = step("essay", self.write, subject=subject, goal=goal, plan=plan, evidence=support)
        essay = step("citations", self.check, subject=subject, draft=draft)
        return EssayParts(personas, debate, plan, essay, pool.notes)


class PersonaDebate(EssayMethod):
    """S1's own method, with the evidence its authors left to future work."""

    name: str = "persona_debate"

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return PersonaDebateProgram(settings, retriever, embedder)


__all__ = [
    "CitationSettings",
    "DebateSettings",
    "EssayMethod",
    "EssayParts",
    "EssaySettings",
    "PersonaDebate",
    "PersonaDebateProgram",
    "PlanSettings",
    "PoolSettings",
    "RecallSettings",
    "WritingSettings",
]
