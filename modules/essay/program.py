"""What all essay programs share: the search for the subject, and the way from plan to essay."""

from __future__ import annotations

from typing import Any

import dspy

from modules.beside import Meanwhile
from modules.citations import CitationCheck, Embedder
from modules.debate_quality import DebateMeter
from modules.essay.settings import EssaySettings
from modules.essay.shared import SharedPersonaEvidence, SharedPlanEvidence
from modules.evidence import Background, PersonaEvidence, PlanEvidence, Retriever
from modules.personas import PersonaPool, TeamSelection
from modules.stage import Pending, Stage, Step
from modules.summarize import HistorySummarizer
from modules.writing import EssayWriter
from signatures.types import (
    Debate,
    Draft,
    Essay,
    EssayStance,
    PartEvidence,
    Passage,
    Persona,
    Plan,
    Pool,
)

NO_DEBATE = Debate(turns=[], ended="no_debate")
NO_PLAN = Plan(points=[])


class EssayProgram(dspy.Module):
    """Base of the programs: fetches the background, checks the citations of what was written.

    Args:
        settings: What the method was told.
        retriever: Where evidence is searched.
        embedder: For citations, and for choosing among shared passages.
    """

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__()
        recall, citations = settings.recall, settings.citations
        self.shared = recall.shared
        self.recall = Background.within(recall, retriever, k=recall.background)
        self.check = CitationCheck(
            embedder,
            supported=citations.supported,
            weak=citations.weak,
            by=citations.by,
            repair=citations.repair,
        )
        self.ahead: Meanwhile = self.check.prepare if citations.ahead else list

    def background(self, step: Step, subject: str) -> list[Passage]:
        """Passages about the subject itself."""
        found: list[Passage] = step("background", self.recall, subject=subject)
        return found

    def checked(self, step: Step, subject: str, draft: Draft) -> Essay:
        """The draft as a finished essay."""
        essay: Essay = step("citations", self.check, subject=subject, draft=draft)
        return essay


class PlannedProgram(EssayProgram):
    """A program that makes a plan, gathers evidence for its parts, and writes from it."""

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__(settings, retriever, embedder)
        k = settings.recall.point
        self.support: Stage = (
            SharedPlanEvidence(embedder, k=k) if self.shared else PlanEvidence(retriever, k=k)
        )

    def supported(
        self, step: Step, subject: str, goal: EssayStance, plan: Plan, background: list[Passage]
    ) -> list[PartEvidence]:
        """Passages for each part of the plan."""
        aimed = {"subject": subject, "goal": goal}
        given: dict[str, Any] = {"background": background} if self.shared else aimed
        found: list[PartEvidence] = step("support", self.support, plan=plan, **given)
        return found

    def written(
        self,
        step: Step,
        subject: str,
        goal: EssayStance,
        plan: Plan,
        background: list[Passage],
    ) -> Essay:
        """The essay written from the plan by ``self.write``."""
        support = self.supported(step, subject, goal, plan, background)
        draft = step("essay", self.write, subject=subject, goal=goal, plan=plan, evidence=support)
        return self.checked(step, subject, draft)


class PersonaProgram(PlannedProgram):
    """A program with a pool of personas, evidence for each, and a team among them."""

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__(settings, retriever, embedder)
        s = settings.personas
        self.pool = PersonaPool(
            minimum=s.minimum,
            maximum=s.maximum,
            pool=s.pool,
            team_size=s.team_size,
            values=s.values,
        )
        self.select = TeamSelection(team_size=s.team_size)
        k = settings.recall.persona
        self.gather: Stage = (
            SharedPersonaEvidence(embedder, k=k) if self.shared else PersonaEvidence(retriever, k=k)
        )
        self.write = EssayWriter(words=settings.essay.words, meanwhile=self.ahead)

    def staffed(
        self, step: Step, subject: str, goal: EssayStance, background: list[Passage]
    ) -> tuple[Pool, list[Persona], dict[str, list[Passage]]]:
        """The pool, its personas with the team marked, and the passages of each."""
        pool: Pool = step("personas", self.pool, subject=subject, goal=goal, background=background)
        # Evidence needs the personas' claims alone: it is gathered while the team is chosen.
        given: dict[str, Any] = {"background": background} if self.shared else {"subject": subject}
        gathering: Pending = step.start("evidence", self.gather, pool=pool, **given)
        personas: list[Persona] = step("team", self.select, subject=subject, goal=goal, pool=pool)
        return pool, personas, gathering.result()


def debate_options(settings: EssaySettings, embedder: Embedder) -> dict[str, Any]:
    """What every debate stage is told."""
    return {
        "max_rounds": settings.debate.max_rounds,
        "word_limit": settings.debate.turn_words,
        "meter": DebateMeter(embedder) if settings.debate.measure else None,
        "stop_on_no_novelty": settings.debate.stop_on_no_novelty,
        "shorten": HistorySummarizer(embedder),
        "history_words": settings.debate.history_words,
    }


def plan_options(settings: EssaySettings) -> dict[str, int]:
    """What every planning stage is told."""
    return {
        "minimum_points": settings.plan.minimum,
        "maximum_points": settings.plan.maximum,
    }


__all__ = [
    "NO_DEBATE",
    "NO_PLAN",
    "EssayProgram",
    "PersonaProgram",
    "PlannedProgram",
    "debate_options",
    "plan_options",
]
