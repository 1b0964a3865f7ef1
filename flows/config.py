"""The run-time edge: a composed configuration becomes one frozen typed object.

``DictConfig`` stops here. What comes out refuses unknown keys and out-of-range values, and every
node with a ``_target_`` has become the object it names.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    Field,
    InstanceOf,
    ValidationError,
    field_validator,
    model_validator,
)

from evals.contract import Metric
from evals.datasets import Dataset
from flows.arguments import CONF, MAX_SUBJECT
from flows.building import built, refusal
from flows.persona_files import read_personas
from flows.sections import Paths, Runner, Section, Tracking
from modules.discussion_files import Policy
from modules.discussion_grid import DiscussionSettings, Person
from modules.discussion_settings import (
    AnalysisSettings,
    AnnotatorSettings,
    PassageSettings,
    Reading,
    criteria_named,
)
from modules.essay import (
    CitationSettings,
    DebateSettings,
    EssayMethod,
    EssaySettings,
    PlanSettings,
    PoolSettings,
    RecallSettings,
    WritingSettings,
)
from modules.lm.backends import Backend
from modules.lm.ledger import Budget
from modules.perplexity import EvaluatorSpec
from modules.retrieval.specs import EmbedderSpec, RetrieverSpec
from modules.retrieval.web.settings import FetchSettings
from modules.roundtable import RoundtableSettings, SourceSettings, TableSettings
from signatures import Role
from signatures.moderation import Criterion
from signatures.table import PersonaInput
from signatures.types import EssayStance, Text

UNKEYED = ("paths", "output", "tracking", "runner", "budget")
"""Parts of a configuration that say where and how, not what: no part of its hash."""

UNTYPED = ("experiment", "hydra", "search")
"""Parts that are no section: Hydra's own, and what retriever=web takes in as retriever.search."""

C = TypeVar("C", bound="FlowConfig")


class FlowConfig(Section):
    """What every flow's configuration has."""

    subject: str
    output: Literal["text", "json"]
    paths: Paths
    tracking: Tracking
    runner: Runner

    @field_validator("subject")
    @classmethod
    def _usable(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the subject is empty")
        if len(value) > MAX_SUBJECT:
            raise ValueError(f"the subject has {len(value)} characters, at most {MAX_SUBJECT}")
        return value

    @property
    def embeds(self) -> bool:
        """Whether the flow will need its embedder."""
        return True


class AskingConfig(FlowConfig):
    """What every flow that asks LMs can be told."""

    backend: InstanceOf[Backend]
    roles: dict[Role, InstanceOf[Backend]]
    embedder: InstanceOf[EmbedderSpec]
    evaluator: InstanceOf[EvaluatorSpec] | None = None
    metrics: dict[str, InstanceOf[Metric]]
    judges: dict[str, str] = Field(default_factory=dict)
    prices: dict[str, dict[str, float]]
    budget: Budget
    seed: int = Field(ge=0, lt=2**31)

    @field_validator("roles", "judges", mode="before")
    @classmethod
    def _chosen(cls, value: dict[str, Any] | None) -> dict[str, Any]:
        return {name: spec for name, spec in (value or {}).items() if spec is not None}

    @model_validator(mode="after")
    def _priced(self) -> Self:
        for backend in (*self.writers(), *self.roles.values()):
            if self.budget.usd is not None and backend.price() is None:
                raise ValueError(
                    f"budget.usd cannot be kept: the price of {backend.model!r} is unknown; "
                    "add it to prices, or cap budget.tokens instead"
                )
        return self

    def writers(self) -> list[Backend]:
        """The backends that answer for every role without one of its own."""
        return [self.backend]


class EssaySections(AskingConfig):
    """What every flow that writes essays can be told."""

    stance: EssayStance
    evidence: Literal["corpus", "none"]
    personas: PoolSettings
    debate: DebateSettings
    plan: PlanSettings
    essay: WritingSettings
    recall: RecallSettings
    citations: CitationSettings
    retriever: InstanceOf[RetrieverSpec]

    @property
    def settings(self) -> EssaySettings:
        """The method's settings."""
        return EssaySettings(
            personas=self.personas,
            debate=self.debate,
            plan=self.plan,
            essay=self.essay,
            recall=self.recall,
            citations=self.citations,
        )


class EssayConfig(EssaySections):
    """``moot essay``."""

    method: InstanceOf[EssayMethod]
    program: str | None = Field(default=None, min_length=1)
    samples: int = Field(ge=1, le=100)
    samples_tokens: int | None = Field(ge=1)
    replicate: int = Field(ge=0, le=100_000)

    @field_validator("subject")
    @classmethod
    def _one_line(cls, value: str) -> str:
        return " ".join(value.split())

    @field_validator("method", mode="before")
    @classmethod
    def _writes_essays(cls, value: object) -> object:
        if isinstance(value, EssayMethod):
            return value
        name = getattr(value, "name", value)
        raise ValueError(
            f"{name!r} writes no essays; choose persona_debate, plan or another, or ask moot answer"
        )


class Bootstrap(Section):
    """How the interval of a figure is had."""

    resamples: int = Field(ge=100, le=1_000_000)
    level: float = Field(gt=0, lt=1)


class ScoreConfig(AskingConfig):
    """``moot score``: one metric over the texts of a file."""

    dataset: InstanceOf[Dataset] | None
    self_judging: Literal["refuse", "warn"]
    max_failed: float = Field(ge=0, le=1)
    bootstrap: Bootstrap

    @field_validator("metrics")
    @classmethod
    def _one(cls, value: dict[str, Metric]) -> dict[str, Metric]:
        if len(value) == 1:
            return value
        known = ", ".join(sorted(path.stem for path in (CONF / "metric").glob("*.yaml")))
        got = f"got {', '.join(sorted(value))}" if value else f"there are {known}"
        raise ValueError(f"exactly one is wanted, metric=NAME; {got}")

    @property
    def embeds(self) -> bool:
        return any(metric.embeds for metric in self.metrics.values())

    @property
    def metric(self) -> Metric:
        """The one metric."""
        return next(iter(self.metrics.values()))


class RatingConfig(AskingConfig):
    """What every flow that has comments rated can be told."""

    metrics: dict[str, InstanceOf[Metric]] = Field(default_factory=dict, max_length=0)
    annotators: AnnotatorSettings
    program: str | None = Field(default=None, min_length=1)
    criteria: dict[str, Criterion]
    analysis: AnalysisSettings
    context_tokens: int
    comment_words: int
    max_failed: float = Field(ge=0, le=1)
    replicate: int = Field(ge=0, le=100_000)

    @field_validator("criteria")
    @classmethod
    def _told_apart(cls, value: dict[str, Criterion]) -> dict[str, Criterion]:
        return criteria_named(value)

    @property
    def reading(self) -> Reading:
        """What a model can read at once."""
        return Reading(context_tokens=self.context_tokens, comment_words=self.comment_words)


class DiscussConfig(RatingConfig):
    """``moot discuss``."""

    evidence: Literal["auto", "corpus", "none"]
    topics: list[Annotated[str, Field(min_length=1)]]
    moderated: list[bool] = Field(min_length=1)
    seeds: list[Annotated[int, Field(ge=0, lt=2**31)]] | None = Field(min_length=1)
    discussion: DiscussionSettings
    moderator: Person
    backgrounds: dict[str, list[Person]] = Field(min_length=1)
    policies: dict[str, Policy] = Field(min_length=1)
    retriever: InstanceOf[RetrieverSpec]
    recall: PassageSettings

    @property
    def grounded(self) -> bool:
        """Whether users draw on passages."""
        users = self.roles.get("writer", self.backend)
        return self.evidence == "corpus" or (self.evidence == "auto" and users.deterministic)

    @property
    def embeds(self) -> bool:
        return self.grounded


class AnnotateConfig(RatingConfig):
    """``moot annotate``."""

    embedder: None = None  # type: ignore[assignment]  # rating needs no embedder

    @property
    def embeds(self) -> bool:
        return False


class DebateConfig(AskingConfig):
    """``moot debate``."""

    evidence: Literal["corpus", "none"]
    personas: list[PersonaInput] | None
    debate: TableSettings
    recall: SourceSettings
    citations: CitationSettings
    retriever: InstanceOf[RetrieverSpec]
    program: str | None = Field(default=None, min_length=1)
    evidence_program: str | None = Field(default=None, min_length=1)
    replicate: int = Field(ge=0, le=100_000)

    @field_validator("subject")
    @classmethod
    def _one_line(cls, value: str) -> str:
        return " ".join(value.split())

    @field_validator("personas", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        return read_personas(Path(value)) if isinstance(value, str) else value

    @field_validator("personas")
    @classmethod
    def _enough(cls, value: list[PersonaInput] | None) -> list[PersonaInput] | None:
        if value is not None and not 2 <= len(value) <= 12:
            raise ValueError(f"a roundtable seats 2 to 12 personas, got {len(value)}")
        ids = [p.id for p in value or () if p.id is not None]
        if len(ids) != len(set(ids)):
            raise ValueError(f"two personas have one id: {ids}")
        return value

    @property
    def settings(self) -> RoundtableSettings:
        """The roundtable's settings."""
        return RoundtableSettings(debate=self.debate, recall=self.recall, citations=self.citations)


class IngestConfig(FlowConfig):
    """``moot ingest``."""

    embedder: InstanceOf[EmbedderSpec]
    max_megabytes: float = Field(gt=0, le=100_000)
    prune: bool
    perspectives: tuple[Text, ...] = ()
    fetch: FetchSettings


def typed(kind: type[C], plain: dict[str, Any]) -> C:
    """A plain configuration as its typed object.

    Args:
        kind: The flow's configuration type.
        plain: What Hydra composed, resolved, as plain dictionaries and lists.

    Raises:
        ConfigError: An option is unknown, missing, of the wrong type or out of range.
        InputError: The subject is empty or too long.
    """
    values = {k: v for k, v in plain.items() if k not in UNTYPED}
    objects = {k: built(k, v) for k, v in values.items()}
    try:
        return kind.model_validate(objects)
    except ValidationError as error:
        raise refusal(error) from error


def _paced(node: Any) -> Any:
    """The node without what backends say of how fast they may be asked."""
    if not isinstance(node, dict):
        return node
    pace = "limits" if "_target_" in node else None
    return {k: _paced(v) for k, v in node.items() if k != pace}


def config_hash(plain: dict[str, Any]) -> str:
    """A short hash of what a run does, whatever folder it does it in."""
    content = {k: _paced(v) for k, v in plain.items() if k not in UNKEYED}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


__all__ = [
    "AnnotateConfig",
    "AskingConfig",
    "DebateConfig",
    "DiscussConfig",
    "EssayConfig",
    "EssaySections",
    "FlowConfig",
    "IngestConfig",
    "ScoreConfig",
    "config_hash",
    "typed",
]
