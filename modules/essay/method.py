"""What an essay method is: one verb, ``write``, over stages that the caller's step runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict

from modules.citations import Embedder
from modules.essay.settings import EssaySettings
from modules.evidence import Retriever
from modules.stage import Step, direct
from signatures.types import Debate, Discourse, Essay, EssayStance, Persona, Plan


class EssayParts(NamedTuple):
    """Everything a method produced on the way to its essay; what it has no use for is empty."""

    personas: list[Persona]
    debate: Debate
    plan: Plan
    essay: Essay
    notes: list[str]
    argument: Discourse | None = None


class EssayMethod(BaseModel, ABC):
    """How an essay comes about. A method of one's own subclasses this and is named in a yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    stages: ClassVar[int] = 9
    """How many stages it has, for the progress bar."""

    @abstractmethod
    def program(self, settings: EssaySettings, retriever: Retriever, embedder: Embedder) -> Any:
        """The DSPy program whose predictors get their LMs bound before :meth:`write`."""

    def write(
        self, program: Any, subject: str, goal: EssayStance, step: Step = direct
    ) -> EssayParts:
        """Run the program's stages through ``step``."""
        parts: EssayParts = program(subject=subject, goal=goal, step=step)
        return parts


__all__ = ["EssayMethod", "EssayParts"]
