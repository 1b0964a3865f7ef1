"""The configuration of ``moot optimize``."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, InstanceOf, field_validator, model_validator

from evals.contract import Metric
from evals.datasets import Dataset
from evals.optimizing.judges import judged, without_judge
from evals.optimizing.objective import ObjectiveSettings
from evals.optimizing.optimizers import Optimizer
from evals.optimizing.rated_comments import ANNOTATION
from evals.optimizing.split import Shares
from flows.config import AskingConfig
from modules.answering import AnswerMethod, AnswerSettings
from modules.essay import EssayMethod, EssaySettings
from modules.retrieval.specs import RetrieverSpec
from modules.roundtable import RoundtableSettings
from signatures.errors import ConfigError
from signatures.moderation import Criterion
from signatures.types import EssayStance

TargetName = Literal["answer", "essay", "debate", "evidence", "judge"]

SETTINGS: dict[str, Any] = {
    "answer": AnswerSettings,
    "essay": EssaySettings,
    "debate": RoundtableSettings,
    "evidence": RoundtableSettings,
}
"""Target -> the type of what its method is told."""

METHODS: dict[str, type[Any]] = {"answer": AnswerMethod, "essay": EssayMethod}
"""Target -> what its methods are."""


class OptimizeConfig(AskingConfig):
    """``moot optimize``. It has no subject: ``target`` says what is tuned.

    The sections of the target's method (``recall``, ``citations`` ...) stand in the configuration
    as in that method's own flow, and become ``settings``.
    """

    subject: Literal[""] = ""
    target: TargetName
    method: Any = None
    settings: Any = None
    judge: str | None = None
    criteria: dict[str, Criterion] = Field(default_factory=dict)
    stance: EssayStance = "refute"
    evidence: Literal["corpus", "none"] = "corpus"
    dataset: InstanceOf[Dataset]
    optimizer: InstanceOf[Optimizer]
    retriever: InstanceOf[RetrieverSpec] | None = None
    split: Shares
    objective: ObjectiveSettings
    register_champion: bool = Field(alias="register")
    max_failed: float = Field(ge=0, le=1)
    failures_in_a_row: int = Field(ge=1, le=1000)
    self_judging: Literal["refuse", "warn"]
    replicates: int = Field(ge=1, le=100)

    @field_validator("metrics")
    @classmethod
    def _some(cls, value: dict[str, Any]) -> dict[str, Any]:
        if not value:
            raise ValueError("an objective needs metrics: metric=[citations]")
        return value

    @model_validator(mode="before")
    @classmethod
    def _sections(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The sections of the target's method, together."""
        kind = SETTINGS.get(str(values.get("target")))
        if kind is None or "settings" in values:
            return values
        own = {name: values[name] for name in kind.model_fields if name in values}
        left = {name: value for name, value in values.items() if name not in own}
        return {**left, "settings": kind.model_validate(own)}

    @model_validator(mode="after")
    def _fits(self) -> Self:
        kind = METHODS.get(self.target)
        if kind is not None and not isinstance(self.method, kind):
            name = getattr(self.method, "name", self.method)
            raise ValueError(f"method: {name!r} is no method of target={self.target}")
        if self.target == "debate" and not self.settings.debate.rounds:
            raise ValueError("debate.rounds=0 has nobody speak: there is nothing to tune")
        if self.target == "judge" and self.replicates > 1:
            raise ConfigError(
                "replicates is for texts", got="target=judge", remedy="leave replicates=1"
            )
        writer = self.roles.get("writer", self.backend)
        if self.replicates > 1 and writer.temperature == 0:
            raise ConfigError(
                f"replicates={self.replicates} would be one text {self.replicates} times",
                got="a writer at temperature 0",
                remedy="raise backend.temperature, or set it to null: the server's own",
            )
        metrics = self.measures if self.target == "judge" else self.metrics
        self.objective.check(metrics, several=self.several)
        return self

    @property
    def several(self) -> bool:
        """Whether a question has several texts: its replicates, or a debate's turns."""
        return self.replicates > 1 or self.target == "debate"

    @property
    def judged(self) -> Metric | None:
        """The metric whose judge is tuned; None where none is, or comments' annotators are.

        Raises:
            ConfigError: There is no such judge.
        """
        if self.target != "judge" or self.judge == ANNOTATION:
            return None
        return judged(self.judge or "quality", self.metrics)

    @property
    def measures(self) -> dict[str, Metric]:
        """The metrics that score a question's texts, without that of a judge of one's own."""
        judge = self.judged
        return {
            name: metric
            for name, metric in self.metrics.items()
            if metric.level == "item" and metric is not judge
        }

    @property
    def embeds(self) -> bool:
        metrics = [*self.metrics.values()]
        if (judge := self.judged) is not None:
            metrics += [judge, *filter(None, [without_judge(judge)])]
        return self.target != "judge" or any(metric.embeds for metric in metrics)


__all__ = ["OptimizeConfig"]
