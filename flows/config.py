"""The run-time edge: a composed configuration becomes one frozen typed object.

``DictConfig`` stops here. What comes out refuses unknown keys and out-of-range values, and every
node with a ``_target_`` has become the object it names.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationError,
    field_validator,
    model_validator,
)

from evals.contract import Metric
from flows.arguments import MAX_SUBJECT
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
from modules.retrieval.specs import EmbedderSpec, RetrieverSpec
from signatures import Role
from signatures.errors import ConfigError, InputError
from signatures.types import EssayStance

UNKEYED = ("paths", "output", "tracking", "runner", "budget")
"""Parts of a configuration that say where and how, not what: no part of its hash."""

C = TypeVar("C", bound="FlowConfig")


class Section(BaseModel):
    """Base of every part of a configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Paths(Section):
    """Folders; all of them below ``artifacts`` unless set otherwise."""

    artifacts: Path
    runs: Path
    index: Path
    cache: Path

    @field_validator("*")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.absolute()


class Tracking(Section):
    """Where a run is recorded besides its folder."""

    kind: Literal["mlflow", "none"]
    uri: str | None
    experiment: str | None

    @field_validator("uri")
    @classmethod
    def _no_password(cls, value: str | None) -> str | None:
        if value is not None and urlsplit(value).password:
            raise ValueError("hold no password; set MLFLOW_TRACKING_USERNAME and _PASSWORD")
        return value


class Runner(Section):
    """How stages are run: further tries after a fault of the infrastructure."""

    retries: int = Field(ge=0, le=20)
    retry_delay_s: float = Field(ge=0, le=600)


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


class EssayConfig(FlowConfig):
    """``moot essay``."""

    @field_validator("subject")
    @classmethod
    def _one_line(cls, value: str) -> str:
        return " ".join(value.split())

    stance: EssayStance
    evidence: Literal["corpus", "none"]
    personas: PoolSettings
    debate: DebateSettings
    plan: PlanSettings
    essay: WritingSettings
    recall: RecallSettings
    citations: CitationSettings
    method: InstanceOf[EssayMethod]
    backend: InstanceOf[Backend]
    roles: dict[Role, InstanceOf[Backend]]
    embedder: InstanceOf[EmbedderSpec]
    retriever: InstanceOf[RetrieverSpec]
    metrics: dict[str, InstanceOf[Metric]]
    prices: dict[str, dict[str, float]]
    budget: Budget
    seed: int = Field(ge=0, lt=2**31)
    replicate: int = Field(ge=0, le=100_000)

    @field_validator("roles", mode="before")
    @classmethod
    def _chosen(cls, value: dict[str, Any] | None) -> dict[str, Any]:
        return {role: spec for role, spec in (value or {}).items() if spec is not None}

    @model_validator(mode="after")
    def _priced(self) -> EssayConfig:
        for backend in (self.backend, *self.roles.values()):
            if self.budget.usd is not None and backend.price() is None:
                raise ValueError(
                    f"budget.usd cannot be kept: the price of {backend.model!r} is unknown; "
                    "add it to prices, or cap budget.tokens instead"
                )
        return self

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


class IngestConfig(FlowConfig):
    """``moot ingest``."""

    embedder: InstanceOf[EmbedderSpec]
    max_megabytes: float = Field(gt=0, le=100_000)
    prune: bool


CONFIGS: dict[str, type[FlowConfig]] = {"essay": EssayConfig, "ingest": IngestConfig}
"""Flow -> the type of its configuration."""


def typed(kind: type[C], plain: dict[str, Any]) -> C:
    """A plain configuration as its typed object.

    Args:
        kind: The flow's configuration type.
        plain: What Hydra composed, resolved, as plain dictionaries and lists.

    Raises:
        ConfigError: An option is unknown, missing, of the wrong type or out of range.
        InputError: The subject is empty or too long.
    """
    values = {k: v for k, v in plain.items() if k not in {"experiment", "hydra"}}
    objects = {k: built(k, v) for k, v in values.items()}
    try:
        return kind.model_validate(objects)
    except ValidationError as error:
        raise _refusal(error) from error


def config_hash(plain: dict[str, Any]) -> str:
    """A short hash of what a run does, whatever folder it does it in."""
    content = {k: v for k, v in plain.items() if k not in UNKEYED}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def built(path: str, node: Any) -> Any:
    """The node with every ``_target_`` below it turned into its object."""
    if isinstance(node, list):
        return [built(f"{path}[{i}]", item) for i, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    values = {k: built(f"{path}.{k}", v) for k, v in node.items() if k != "_target_"}
    if "_target_" not in node:
        return values
    return _object(path, str(node["_target_"]), values)


def _object(path: str, target: str, values: dict[str, Any]) -> Any:
    from hydra.utils import get_object

    try:
        kind = get_object(target)
    except (ImportError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{path}._target_ names nothing that can be imported",
            got=repr(target),
            remedy="give it as package.module.Name, importable from here",
        ) from error
    try:
        return kind(**values)
    except ValidationError as error:
        raise _refusal(error, path) from error
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path} does not fit {target}", got=str(error)) from error


def _refusal(error: ValidationError, path: str = "") -> ConfigError | InputError:
    first = error.errors()[0]
    where = ".".join([path, *map(str, first["loc"])]).strip(".")
    message = first["msg"].removeprefix("Value error, ")
    if where == "subject":
        return InputError(message, remedy="give the text as the first argument, in quotes")
    if first["type"] == "value_error":
        return ConfigError(f"{where}: {message}" if where else message)
    got = first.get("input")
    shown = None if isinstance(got, (dict, list)) or "input" not in first else repr(got)[:80]
    if first["type"] == "extra_forbidden":
        return ConfigError(f"unknown option {where}", got=shown)
    return ConfigError(f"{where} is not valid", expected=_lower(message), got=shown)


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


__all__ = ["CONFIGS", "EssayConfig", "FlowConfig", "IngestConfig", "config_hash", "typed"]
