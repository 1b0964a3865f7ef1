"""An argument made component by component, each refined by feedback (S1's AMERICANO).

After Hu et al. (2023): claim, then reasoning, then concession, then the text. Their method has no
evidence; here passages are found for every reason, and cited.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from modules.citations import Embedder
from modules.discourse import (
    ArgumentWriter,
    ClaimStage,
    ConcessionStage,
    ReasonsStage,
    outline,
)
from modules.essay.method import EssayMethod, EssayParts
from modules.essay.program import NO_DEBATE, PlannedProgram, plan_options
from modules.essay.settings import EssaySettings
from modules.evidence import Retriever
from modules.stage import Step, direct
from signatures.types import Discourse, EssayStance


class AmericanoProgram(PlannedProgram):
    """Claim, reasons, concession, evidence for them, the essay; all but the evidence reviewed."""

    def __init__(
        self,
        settings: EssaySettings,
        retriever: Retriever,
        embedder: Embedder,
        *,
        refinements: int = 1,
    ) -> None:
        super().__init__(settings, retriever, embedder)
        self.claim = ClaimStage(refinements=refinements)
        self.reasons = ReasonsStage(**plan_options(settings), refinements=refinements)
        self.concession = ConcessionStage(refinements=refinements)
        self.write = ArgumentWriter(words=settings.essay.words, refinements=refinements)

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay on ``subject`` and the components it was written from."""
        background = self.background(step, subject)
        common = {"subject": subject, "goal": goal}
        claim = step("claim", self.claim, **common, background=background)
        reasons = step("reasons", self.reasons, **common, claim=claim.claim, background=background)
        concession = step(
            "concession",
            self.concession,
            **common,
            claim=claim.claim,
            reasons=reasons.reasons,
            background=background,
        )
        argument = Discourse(
            claim=claim.claim, reasons=reasons.reasons, concession=concession.concession
        )
        plan = outline(argument)
        support = self.supported(step, subject, goal, plan, background)
        done = step("essay", self.write, **common, argument=argument, evidence=support)
        essay = self.checked(step, subject, done.draft)
        reviewed = [r for part in (claim, reasons, concession, done) for r in part.revisions]
        argument = argument.model_copy(update={"revisions": reviewed})
        return EssayParts([], NO_DEBATE, plan, essay, [], argument)


class Americano(EssayMethod):
    """Decomposed by discourse structure; each component is revised on an agent's feedback.

    Args:
        refinements: The most revisions of a component.
    """

    name: str = "americano"
    refinements: int = Field(default=1, ge=0, le=5)
    stages: ClassVar[int] = 7

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return AmericanoProgram(settings, retriever, embedder, refinements=self.refinements)


__all__ = ["Americano", "AmericanoProgram"]
