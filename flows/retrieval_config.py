"""The configuration of ``moot retrieval``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, InstanceOf, field_validator, model_validator

from evals.contract import Metric
from evals.datasets import Dataset
from evals.pir.datasets import Benchmark
from evals.pir.measures import Single
from evals.pir.task import Gold
from flows.config import AskingConfig, Bootstrap
from modules.retrieval.operations import Operation
from modules.retrieval.specs import RetrieverSpec
from signatures.errors import ConfigError

K = Annotated[int, Field(ge=1, le=10_000)]


class RetrievalConfig(AskingConfig):
    """``moot retrieval``. It has no subject.

    ``retrievers`` are those compared, by name; where there are none, ``retriever`` is measured
    alone. Models are asked only where ``perspectives`` are to be ``found``.
    """

    subject: Literal[""] = ""
    metrics: dict[str, InstanceOf[Metric]] = Field(default_factory=dict, max_length=0)
    dataset: InstanceOf[Dataset]
    retriever: InstanceOf[RetrieverSpec]
    retrievers: dict[str, InstanceOf[RetrieverSpec]]
    perspectives: Literal["given", "found"]
    max_failed: float = Field(ge=0, le=1)
    operation: tuple[Operation, ...] = Field(min_length=1)
    alpha: float = Field(ge=-100, le=100)
    gold: tuple[Gold, ...] = Field(min_length=1)
    k: tuple[K, ...] = Field(min_length=1)
    single: Single
    bootstrap: Bootstrap

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
        modes = [getattr(spec, "mode", "dense") for spec in self.ranked.values()]
        return any(mode != "fulltext" for mode in modes)

    @property
    def ranked(self) -> dict[str, RetrieverSpec]:
        """What is measured, by name."""
        return dict(self.retrievers) or {_name(self.retriever): self.retriever}

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
        if any(getattr(spec, "operation", "none") != "none" for spec in self.ranked.values()):
            raise ValueError("retriever.operation is for essays and debates; here it is operation=")
        return self


_BOTH: tuple[Gold, ...] = ("clean", "aliased")


def _name(spec: RetrieverSpec) -> str:
    """A retriever's name: how it ranks, by a store's mode or by the class of its spec."""
    named = {"fulltext": "bm25", "dense": "dense", "hybrid": "hybrid"}
    own = getattr(spec, "name", None)
    return str(own or named.get(str(getattr(spec, "mode", None)), type(spec).__name__))


__all__ = ["RetrievalConfig"]
