"""The configuration of ``moot meta``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, InstanceOf, field_validator

from evals.contract import Metric
from evals.datasets import Dataset
from flows.config import AskingConfig
from modules.perplexity import EvaluatorSpec
from signatures.restatement import RESTATEMENTS


class MetaConfig(AskingConfig):
    """``moot meta``: measures of answers against people and against one another."""

    metrics: dict[str, InstanceOf[Metric]]
    evaluators: dict[str, InstanceOf[EvaluatorSpec]]
    restatements: list[Annotated[int, Field(ge=0, lt=len(RESTATEMENTS))]] = Field(min_length=1)
    directions: dict[str, Literal["lower", "higher"]]
    dataset: InstanceOf[Dataset] | None
    max_failed: float = Field(ge=0, le=1)

    @field_validator("evaluators", mode="before")
    @classmethod
    def _given(cls, value: dict[str, Any] | None) -> dict[str, Any]:
        return {name: spec for name, spec in (value or {}).items() if spec is not None}

    @property
    def embeds(self) -> bool:
        return any(metric.embeds for metric in self.metrics.values())

    def readers(self) -> dict[str, EvaluatorSpec]:
        """The evaluators by name: ``evaluators``, or ``evaluator`` alone where it is empty."""
        if self.evaluators or self.evaluator is None:
            return dict(self.evaluators)
        return {"evaluator": self.evaluator}


__all__ = ["MetaConfig"]
