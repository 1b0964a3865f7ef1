"""Parts a user would bring from a package of their own."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from evals.contract import Metric, Score


class ShoutingMetric(Metric):
    """Share of words in capitals."""

    name: ClassVar[str] = "shouting"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Literal["lower", "higher"]] = "lower"
    fields: ClassVar[tuple[str, ...]] = ("essay",)

    def score(self, row: dict[str, Any]) -> Score:
        words = row["essay"].split()
        return Score(value=sum(w.isupper() for w in words) / len(words), explanation="capitals")
