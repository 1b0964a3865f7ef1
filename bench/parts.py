"""Parts of the evaluation benchmarks' own: a method of three calls, one of none, a plain metric."""

from __future__ import annotations

from typing import Any, ClassVar

from evals.contract import Direction, Metric, Row, Score, Tools
from modules.citations import Embedder
from modules.discourse import ClaimStage
from modules.essay import EssayMethod, EssaySettings
from modules.essay.method import EssayParts
from modules.essay.plan_write import PlanThenWriteProgram
from modules.essay.program import NO_DEBATE, NO_PLAN
from modules.evidence import Retriever
from modules.stage import Step, direct
from signatures.types import CitationFigures, Essay, EssayStance


class ThreeCallsProgram(PlanThenWriteProgram):
    """A claim, a plan, an essay, its citations checked: three calls one after the other."""

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__(settings, retriever, embedder)
        self.claim = ClaimStage(refinements=0)

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay; its plan does not look at the claim."""
        background = self.background(step, subject)
        step("claim", self.claim, subject=subject, goal=goal, background=background)
        parts: EssayParts = super().forward(subject=subject, goal=goal, step=step)
        return parts


class ThreeCalls(EssayMethod):
    """Three calls and all that a text takes besides."""

    name: str = "three_calls"
    stages: ClassVar[int] = 6

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return ThreeCallsProgram(settings, retriever, embedder)


class NoCallsProgram(PlanThenWriteProgram):
    """The subject as its own essay."""

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """No stage is run."""
        figures = CitationFigures(precision=None, recall=None, evidence_balance=None)
        essay = Essay(text=subject * 20, citations=[], figures=figures, uncited=[], notes=[])
        return EssayParts([], NO_DEBATE, NO_PLAN, essay, [])


class NoCalls(ThreeCalls):
    """A unit that costs nothing but being one."""

    name: str = "no_calls"

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return NoCallsProgram(settings, retriever, embedder)


class Length(Metric):
    """Characters of a text, modulo 101."""

    name: ClassVar[str] = "length"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("essay",)

    def score(self, row: Row, tools: Tools) -> Score:
        """The figure of one text."""
        return Score(value=float(len(row["essay"]) % 101), explanation="characters")


__all__ = ["Length", "NoCalls", "ThreeCalls"]
