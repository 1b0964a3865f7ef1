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
    """Where a run is recorded besides its folder.

    ``traces`` says of which units of an evaluation the calls are kept, with prompts and replies:
    of none, of a sample of about ``sampled`` units, or of all.
    """

    kind: Literal["mlflow", "none"]
    uri: str | None
    experiment: str | None
    traces: Literal["none", "sample", "all"] = "sample"
    sampled: int = Field(default=20, ge=1)

    @field_validator("uri")
    @classmethod
    def _no_password(cls, value: str | None) -> str | None:
        if value is not None and urlsplit(value).password:
            raise ValueError("hold no password; set MLFLOW_TRACKING_USERNAME and _PASSWORD")
        return value


class Runner(Section):
    """How work is run: further tries after a fault of the infrastructure, calls at once, and where:
    in threads of this process, or on the Dask cluster at ``address``. ``limit`` names a global
    concurrency limit of Prefect's, which all calls also pass.
    """

    retries: int = Field(ge=0, le=20)
    retry_delay_s: float = Field(ge=0, le=600)
    concurrency: int = Field(ge=1, le=1000)
    limit: str | None = Field(default=None, min_length=1)
    kind: Literal["thread", "dask"] = "thread"
    address: str | None = None


__all__ = ["Paths", "Runner", "Section", "Tracking"]
