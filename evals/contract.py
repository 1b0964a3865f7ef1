"""The metric contract: one name, one range, one direction, declared where it is defined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from signatures.types import Record


class Score(Record):
    """One item's score: ``value`` is None where the metric is undefined, and says why."""

    value: float | None
    explanation: str


class Metric(BaseModel, ABC):
    """A figure over one finished text. A metric of one's own subclasses this.

    Attributes:
        name: The metric's one name.
        range: The least and greatest value it can take.
        direction: Whether lower or higher is better.
        fields: The fields of a row it reads.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    range: ClassVar[tuple[float, float]]
    direction: ClassVar[Literal["lower", "higher"]]
    fields: ClassVar[tuple[str, ...]]

    @abstractmethod
    def score(self, row: dict[str, Any]) -> Score:
        """The score of one row, a JSON object with at least ``fields``."""


__all__ = ["Metric", "Score"]
