"""The whole essay in one call (S1's LLM-E2E)."""

from __future__ import annotations

from typing import Any, ClassVar

from modules.citations import Embedder
from modules.essay.method import EssayMethod, EssayParts
from modules.essay.program import NO_DEBATE, NO_PLAN, EssayProgram
from modules.essay.settings import EssaySettings
from modules.evidence import Retriever
from modules.stage import Step, direct
from modules.writing import OutrightWriter
from signatures.types import EssayStance


class EndToEndProgram(EssayProgram):
    """The passages on the subject, and an essay from them."""

    def __init__(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> None:
        super().__init__(settings, retriever, embedder)
        self.write = OutrightWriter(words=settings.essay.words)

    def forward(self, *, subject: str, goal: EssayStance, step: Step = direct) -> EssayParts:
        """The essay on ``subject``."""
        background = self.background(step, subject)
        draft = step("essay", self.write, subject=subject, goal=goal, background=background)
        return EssayParts([], NO_DEBATE, NO_PLAN, self.checked(step, subject, draft), [])


class EndToEnd(EssayMethod):
    """One call: proposition and passages in, essay out."""

    name: str = "e2e"
    stages: ClassVar[int] = 3

    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        return EndToEndProgram(settings, retriever, embedder)


__all__ = ["EndToEnd", "EndToEndProgram"]
