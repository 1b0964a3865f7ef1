"""The configuration of ``moot answer``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, InstanceOf, field_validator

from flows.config import AskingConfig
from modules.answering import AnswerMethod, AnswerRecall, AnswerSettings
from modules.essay import CitationSettings, PoolSettings
from modules.retrieval.specs import RetrieverSpec


class AnswerConfig(AskingConfig):
    """``moot answer``."""

    method: InstanceOf[AnswerMethod]
    program: str | None = Field(default=None, min_length=1)
    personas: PoolSettings
    recall: AnswerRecall
    citations: CitationSettings
    retriever: InstanceOf[RetrieverSpec]
    trusted: bool | None
    replicate: int = Field(ge=0, le=100_000)

    @field_validator("subject")
    @classmethod
    def _one_line(cls, value: str) -> str:
        return " ".join(value.split())

    @field_validator("method", mode="before")
    @classmethod
    def _answers(cls, value: object) -> object:
        if isinstance(value, AnswerMethod):
            return value
        name = getattr(value, "name", value)
        raise ValueError(
            f"{name!r} does not answer questions; "
            "choose basic, comprehensive, detailed or perspectives"
        )

    @property
    def evidence(self) -> Literal["corpus", "none"]:
        """Whether anything is retrieved."""
        return "none" if self.method.retrieval == "none" else "corpus"

    @property
    def settings(self) -> AnswerSettings:
        """The method's settings."""
        return AnswerSettings(personas=self.personas, recall=self.recall, citations=self.citations)

    @property
    def source(self) -> RetrieverSpec:
        """The retriever, held to trusted domains as ``trusted`` says."""
        return self.retriever if self.trusted is None else self.retriever.trusting(self.trusted)


__all__ = ["AnswerConfig"]
