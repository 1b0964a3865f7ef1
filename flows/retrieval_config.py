"""The configuration of ``moot retrieval``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, InstanceOf, field_validator, model_validator

from evals.datasets import Dataset
from evals.pir.datasets import Benchmark
from evals.pir.measures import Single
from evals.pir.task import Gold
from flows.config import Bootstrap, FlowConfig
from modules.retrieval.operations import Operation
from modules.retrieval.specs import EmbedderSpec, RetrieverSpec
from signatures.errors import ConfigError

K = Annotated[int, Field(ge=1, le=10_000)]


class RetrievalConfig(FlowConfig):
    """``moot retrieval``. It has no subject."""

    subject: Literal[""] = ""
    dataset: InstanceOf[Dataset]
    retriever: InstanceOf[RetrieverSpec]
    embedder: InstanceOf[EmbedderSpec]
    operation: tuple[Operation, ...] = Field(min_length=1)
    alpha: float = Field(ge=-100, le=100)
    gold: tuple[Gold, ...] = Field(min_length=1)
    k: tuple[K, ...] = Field(min_length=1)
    single: Single
    bootstrap: Bootstrap
    seed: int = Field(ge=0, lt=2**31)

    @field_validator("operation", "k", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return value if isinstance(value, (list, tuple)) else [value]

    @field_validator("gold", mode="before")
    @classmethod
    def _readings(cls, value: Any) -> Any:
        chosen = value if isinstance(value, (list, tuple)) else [value]
        return [gold for each in chosen for gold in (_BOTH if each == "both" else (each,))]

    @field_validator("operation", "gold", "k")
    @classmethod
    def _once(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(value))

    @property
    def embeds(self) -> bool:
        """Whether vectors are wanted: full text needs none."""
        return getattr(self.retriever, "mode", "dense") != "fulltext"

    @property
    def benchmark(self) -> Benchmark:
        """The dataset.

        Raises:
            ConfigError: It holds texts to write about, and no retrieval tasks.
        """
        if isinstance(self.dataset, Benchmark):
            return self.dataset
        raise ConfigError(
            f"dataset={self.dataset.name} is no retrieval benchmark",
            expected="dataset=pir, perspectrum or pir_hub",
        )

    @model_validator(mode="after")
    def _about_perspectives(self) -> Self:
        if getattr(self.retriever, "operation", "none") != "none":
            raise ValueError("retriever.operation is for essays and debates; here it is operation=")
        return self


_BOTH: tuple[Gold, ...] = ("clean", "aliased")

__all__ = ["RetrievalConfig"]
