"""The configuration of ``moot evaluation``: what is compared, over what, by which measures."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, InstanceOf, field_validator, model_validator

from evals.datasets import Dataset
from flows.config import EssaySections
from modules.answering import AnswerMethod, AnswerSettings
from modules.essay import EssayMethod, EssaySettings
from modules.lm.backends import Backend

Method = EssayMethod | AnswerMethod
Kind = Literal["essay", "answer"]


class EvaluationConfig(EssaySections):
    """``moot evaluation``: methods x prompts x backends x datasets. It has no subject."""

    subject: Literal[""] = ""
    name: str = Field(pattern=r"^[\w.+-]{1,80}$")
    methods: dict[str, InstanceOf[EssayMethod] | InstanceOf[AnswerMethod]] = Field(min_length=1)
    prompts: dict[str, str | None]
    backends: dict[str, InstanceOf[Backend]]
    dataset: InstanceOf[Dataset]
    datasets: dict[str, InstanceOf[Dataset]]
    answering: AnswerSettings
    replicates: int = Field(ge=1, le=1000)
    judgements: int = Field(ge=1, le=100)
    primary: str
    reference: str
    match_budget: bool
    self_judging: Literal["refuse", "warn"]
    max_failed: float = Field(ge=0, le=1)
    probe: bool
    dry_run: bool

    @field_validator("methods", "backends", "datasets", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return {} if value is None else value  # pydantic says what it is instead
        return {name: spec for name, spec in value.items() if spec is not None}

    @model_validator(mode="before")
    @classmethod
    def _first_decides(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Where nothing is said, the first metric decides and the first method is the reference."""
        found = dict(values)
        for name, among in (("primary", "metrics"), ("reference", "methods")):
            named = found.get(among)
            given = (
                {k: v for k, v in named.items() if v is not None} if isinstance(named, dict) else {}
            )
            if found.get(name) is None and given:
                found[name] = next(iter(given))
        return found

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.reference not in self.methods:
            raise ValueError(
                f"reference names no method: {self.reference!r}; "
                f"there are {', '.join(self.methods)}"
            )
        if self.primary not in self.metrics:
            raise ValueError(
                f"primary names no metric: {self.primary!r}; there are {', '.join(self.metrics)}"
            )
        kinds = {name: kind_of(method) for name, method in self.methods.items()}
        if len(set(kinds.values())) > 1:
            said = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
            raise ValueError(f"methods of two kinds cannot stand in one table: {said}")
        if self.match_budget and self.kind == "answer":
            raise ValueError("match_budget=true is for essay methods")
        return self

    @property
    def kind(self) -> Kind:
        """What is written."""
        return kind_of(next(iter(self.methods.values())))

    @property
    def settings(self) -> EssaySettings:
        """The methods' settings; nothing is prepared ahead of its need, for many texts are under
        way and no core is idle meanwhile.
        """
        own = super().settings
        citations = own.citations.model_copy(update={"ahead": False})
        return own.model_copy(update={"citations": citations})

    def writers(self) -> list[Backend]:
        return list(self.columns().values())

    def columns(self) -> dict[str, Backend]:
        """The backends to compare by name: ``backends``, or ``backend`` alone where it is empty."""
        return dict(self.backends) or {self.backend.name: self.backend}

    def collections(self) -> dict[str, Dataset]:
        """The datasets by name: ``datasets``, or ``dataset`` alone where it is empty."""
        return dict(self.datasets) or {self.dataset.name: self.dataset}


def kind_of(method: Method) -> Kind:
    """Whether it writes essays or answers."""
    return "answer" if isinstance(method, AnswerMethod) else "essay"


__all__ = ["EvaluationConfig", "Kind", "Method"]
