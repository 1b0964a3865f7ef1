"""What an answer method is: one verb, ``write``, over stages that the caller's step runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from modules.answering.settings import AnswerSettings
from modules.evidence import Retriever
from modules.stage import Step, direct
from modules.vectors import Embedder
from signatures.types import Essay, Passage, Persona, Perspective

Retrieval = Literal["none", "vanilla", "react"]
"""Where an answer's evidence comes from: nowhere, one search, or an agent's searches (S4 7.3)."""


class AnswerParts(NamedTuple):
    """Everything a method produced on the way to its answer; what it has no use for is empty.

    ``answer`` is the checked text with its citations. ``disputed`` is what the method took the
    question for, None where it did not ask itself. ``passages`` are those the writer was given.
    """

    answer: Essay
    passages: list[Passage]
    perspectives: list[Perspective]
    personas: list[Persona]
    disputed: bool | None
    notes: list[str]


class AnswerMethod(BaseModel, ABC):
    """How an answer comes about. A method of one's own subclasses this and is named in a yaml.

    Args:
        name: As it appears in tables.
        retrieval: ``none``, ``vanilla`` or ``react``.
        tokens: Around how many tokens the answer is asked to have; None leaves it open.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    retrieval: Retrieval = "vanilla"
    tokens: int | None = Field(default=None, ge=20, le=20_000)
    stages: ClassVar[int] = 3
    """How many stages it has, for the progress bar."""

    @abstractmethod
    def program(self, settings: AnswerSettings, retriever: Retriever, embedder: Embedder) -> Any:
        """The DSPy program whose predictors get their LMs bound before :meth:`write`."""

    def write(self, program: Any, question: str, step: Step = direct) -> AnswerParts:
        """Run the program's stages through ``step``.

        Raises:
            EvidenceError: The retriever searches, and nothing in it is on the question.
            ReplyError: A model's replies stayed unusable.
        """
        parts: AnswerParts = program(question=question, step=step)
        return parts


__all__ = ["AnswerMethod", "AnswerParts", "Retrieval"]
