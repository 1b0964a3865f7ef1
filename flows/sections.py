"""The parts of a configuration that all flows have."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator


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
    """How work is run: further tries after a fault of the infrastructure, calls at once."""

    retries: int = Field(ge=0, le=20)
    retry_delay_s: float = Field(ge=0, le=600)
    concurrency: int = Field(ge=1, le=1000)


__all__ = ["Paths", "Runner", "Section", "Tracking"]
