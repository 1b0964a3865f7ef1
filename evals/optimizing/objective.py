"""What is optimized: metrics combined by declared weights over z-norms, and what they say.

A metric's scale is its own, so each value is set against the program as it was before tuning:
``z = (value - mean) / sd`` over the training and validation questions, its sign turned where lower
is better. The objective is the weighted mean of z, mapped to ``[0, 1]`` by ``0.5 + z / 8``: the
untuned program stands at 0.5 and one standard deviation is an eighth.

What could not be scored is not a score. A question without a value of the primary metric has no
objective: it is counted, and left out of every mean.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from evals.contract import Metric
from signatures.errors import ConfigError
from signatures.types import Record

WIDTH = 8.0
"""Standard deviations between an objective of 0 and one of 1."""

DIGITS = 5
"""Of an objective."""

SMALL = 1e-9


class ObjectiveSettings(Record):
    """What counts, and how much.

    Attributes:
        primary: The metric that decides on promotion.
        weights: Metric -> its weight in the search; None is the primary metric alone.
        guards: Metric -> how much worse it may become on average, in its own units.
        search: ``weighted`` sums; ``pareto`` also keeps what is best in one metric (GEPA alone).
        feedback: ``full`` tells the reflector what metrics explain, ``scores`` numbers alone.
    """

    primary: str
    weights: dict[str, float] | None = None
    guards: dict[str, float] = Field(default_factory=dict)
    search: Literal["weighted", "pareto"] = "weighted"
    feedback: Literal["full", "scores"] = "full"

    @field_validator("weights", "guards", mode="before")
    @classmethod
    def _given(cls, value: Any, info: ValidationInfo) -> Any:
        """What a yaml sets can be taken back by null, one by one or as a whole."""
        if value is None:
            return {} if info.field_name == "guards" else None
        return (
            {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
        )

    @model_validator(mode="after")
    def _sound(self) -> ObjectiveSettings:
        given = self.weights
        if given is not None and (not given or any(w < 0 for w in given.values())):
            raise ValueError("weights are not negative, and there is at least one")
        if given is not None and given.get(self.primary, 0) <= 0:
            raise ValueError(f"the primary metric {self.primary!r} needs a weight above 0")
        if any(tolerance < 0 for tolerance in self.guards.values()):
            raise ValueError("a guard's tolerance is not negative")
        return self

    def weighed(self) -> dict[str, float]:
        """Metric -> weight, sorted by name."""
        found = {self.primary: 1.0} if self.weights is None else self.weights
        return dict(sorted(found.items()))

    def _place(self, name: str) -> str:
        """How a metric is taken out of the objective."""
        if name == self.primary:
            return "objective.primary=ANOTHER"
        part = "weights" if name in self.weighed() else "guards"
        return f"objective.{part}.{name}=null"

    def check(self, metrics: Mapping[str, Metric], *, several: bool = False) -> None:
        """Refuse what cannot be optimized.

        Args:
            metrics: Those configured, by name.
            several: Whether a question has several texts: replicates, or a debate's turns.

        Raises:
            ConfigError: A metric is not configured or cannot be used so.
        """
        for name in sorted({self.primary, *self.weighed(), *self.guards}):
            if name not in metrics:
                raise ConfigError(
                    f"the objective names no metric: {name!r}",
                    expected=f"one of {', '.join(sorted(metrics))}",
                    remedy=f"add it with metric=[...], or take it out: {self._place(name)}",
                )
            if metrics[name].level != "item":
                raise ConfigError(
                    f"{name} is one figure over all texts and cannot be optimized text by text"
                )
        for name, metric in sorted(metrics.items()):
            if "outputs" in metric.fields and not several:
                raise ConfigError(
                    f"{name} compares several texts of a question",
                    got="replicates=1: one text each",
                    remedy="set replicates=3, which writes each question three times",
                )
        if not metrics[self.primary].decides:
            raise ConfigError(
                f"{self.primary} as configured cannot be the primary objective",
                got=metrics[self.primary].why_not,
                remedy="choose another objective.primary, or its side-aware form",
            )


class Norm(Record):
    """A metric's distribution before tuning; ``sign`` is -1 where lower is better."""

    mean: float
    sd: float
    sign: int

    def z(self, value: float) -> float:
        """How much better than usual a value is, in standard deviations."""
        return self.sign * (value - self.mean) / self.sd


class Scored(Record):
    """What became of one text under all metrics.

    ``values`` is None where a metric abstained or failed; ``problems`` says why; ``failed`` names
    the metrics that failed rather than abstained. ``said`` holds the metrics' explanations.
    """

    values: dict[str, float | None] = Field(default_factory=dict)
    said: dict[str, str] = Field(default_factory=dict)
    failed: list[str] = Field(default_factory=list)
    problem: str | None = None


class Objective:
    """The objective of one optimization.

    Args:
        settings: What counts.
        norms: Metric -> its distribution before tuning.
    """

    def __init__(self, settings: ObjectiveSettings, norms: Mapping[str, Norm]) -> None:
        self.settings = settings
        self.norms = dict(norms)
        self._weights = settings.weighed()

    def of(self, scored: Scored) -> float | None:
        """The objective of one text in [0, 1], None where the primary metric has no value.

        Another metric without a value counts as usual (z = 0).
        """
        if scored.values.get(self.settings.primary) is None:
            return None
        total = sum(self._weights.values())
        z = sum(
            weight * self._z(name, scored.values.get(name))
            for name, weight in self._weights.items()
        )
        return unit(z / total)

    def parts(self, scored: Scored) -> dict[str, float]:
        """Each metric's own objective in [0, 1], for a search over several at once."""
        return {name: unit(self._z(name, scored.values.get(name))) for name in self._weights}

    def _z(self, name: str, value: float | None) -> float:
        return 0.0 if value is None else self.norms[name].z(value)


def unit(z: float) -> float:
    """A z value in [0, 1]; the untuned mean is 0.5.

    Digits beyond the fifth are noise: a text's vector depends, in the eighth, on those it was
    embedded with. An optimizer that saw them would not choose the same again.
    """
    return round(min(max(0.5 + z / WIDTH, 0.0), 1.0), DIGITS)


def norm(metric: Metric, values: Sequence[float]) -> Norm:
    """A metric's distribution over the untuned program's texts.

    Where all values are equal there is no spread to go by: an eighth of the metric's range stands
    in for it, or 1 where the range has no end.
    """
    sd = statistics.pstdev(values) if len(values) > 1 else 0.0
    if sd < SMALL:
        low, high = metric.range
        sd = (high - low) / WIDTH if math.isfinite(high - low) else 1.0
    return Norm(
        mean=statistics.fmean(values), sd=sd, sign=1 if metric.direction == "higher" else -1
    )


__all__ = ["Norm", "Objective", "ObjectiveSettings", "Scored", "norm", "unit"]
