"""Ratings with labels: what a judge is calibrated on, and how well it agrees.

One rating agrees by ``1 - ((rating - label) / (high - low))**2``, which is how Cohen's kappa with
quadratic weights counts disagreement; kappa itself, over all ratings, sets that against chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from evals.contract import Direction, Metric, Row, Score, Tools
from evals.datasets import Dataset, Item, rows_of, rows_refused
from evals.optimizing.targets import Target
from modules.judging import QualityJudge, RelevanceJudge
from modules.text import normalise
from signatures.errors import InputError
from signatures.types import EssayStance, Text

LOW, HIGH = 1.0, 5.0

JUDGES: dict[str, Any] = {"quality": QualityJudge, "relevance": RelevanceJudge}
"""The judges there are labels for."""


class RatedText(Item):
    """A text with the rating people gave it; ``text`` is the proposition."""

    essay: Text
    goal: EssayStance = "refute"
    label: float = Field(ge=LOW, le=HIGH)


class RatedRows(Dataset):
    """Labelled rows of JSON Lines; bad ones and ids that are there twice are refused by name.

    Args:
        path: The file.
    """

    path: Path

    def rated(self, place: str, row: Any) -> Item:
        """One row's item.

        Raises:
            KeyError, TypeError, ValueError: The row is bad.
        """
        raise NotImplementedError

    def items(self) -> list[Item]:
        found: dict[str, Item] = {}
        bad: list[str] = []
        rows = list(rows_of(self.path))
        for place, row in rows:
            try:
                item = self.rated(place, row)
            except (KeyError, TypeError, ValueError) as error:
                bad.append(f"{place}: {' '.join(str(error).split())[:120]}")
                continue
            if item.id in found:
                bad.append(f"{place}: the id {item.id!r} is there twice")
            found[item.id] = item
        if bad or not found:
            raise rows_refused(self.path, bad, len(rows))
        return list(found.values())[: self.limit]


class RatedFile(RatedRows):
    """Labelled texts: ``{id, proposition, essay, rating, stance, topic}``."""

    def rated(self, place: str, row: Any) -> RatedText:
        if not isinstance(row, dict):
            raise TypeError("not a JSON object")
        return RatedText(
            id=str(row.get("id", place.removeprefix("row "))),
            text=normalise(row["proposition"]),
            topic=str(row.get("topic") or ""),
            essay=row["essay"],
            goal=row.get("stance", "refute"),
            label=row["rating"],
        )


class JudgeTarget(Target):
    """A judge, tuned for agreement with labels.

    Args:
        method: ``quality`` or ``relevance``.
    """

    name: ClassVar[str] = "judge"
    wants: ClassVar[tuple[str, ...]] = ("essay", "goal", "label")

    def __init__(self, method: str) -> None:
        self.method = method

    def program(self) -> Any:
        return JUDGES[self.method]()

    def row(self, program: Any, item: Any) -> dict[str, Any]:
        rating = program(proposition=item.text, goal=item.goal, essay=item.essay)
        return {
            "id": item.id,
            "proposition": item.text,
            "rating": rating.value,
            "label": item.label,
            "explanation": rating.explanation,
        }


class LabelAgreement(Metric):
    """How near a rating comes to its label; a judge that abstains has none."""

    name: ClassVar[str] = "label_agreement"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("rating", "label")

    def score(self, row: Row, tools: Tools) -> Score:
        label, rating = row.get("label"), row.get("rating")
        if not isinstance(label, (int, float)):
            raise InputError("the row has no label", expected="a number from 1 to 5")
        if rating is None:
            return Score(value=None, explanation="the judge abstained")
        low, high = row.get("scale") or (LOW, HIGH)
        if not low <= label <= high:
            scale = f"{low:g} to {high:g}"
            raise InputError("the label is off its scale", expected=scale, got=f"{label:g}")
        side = "too high" if rating > label else "too low" if rating < label else "as people did"
        said = f"rated {rating:g} where people gave {label:g}: {side}"
        return Score(value=1 - ((rating - label) / (high - low)) ** 2, explanation=said)


def weighted_kappa(ratings: Sequence[float], labels: Sequence[float]) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968) of ratings against labels.

    ``1 - mean((r - l)**2) / mean over all pairs (i, j) of (r_i - l_j)**2``, at most 1.

    Returns:
        Kappa; None where all ratings and labels are one value, or there are none.
    """
    if not ratings:
        return None
    one, other = np.asarray(ratings, dtype=float), np.asarray(labels, dtype=float)
    by_chance = float(((one[:, None] - other[None, :]) ** 2).mean())
    if by_chance == 0:
        return None
    return 1 - float(((one - other) ** 2).mean()) / by_chance


__all__ = [
    "JUDGES",
    "JudgeTarget",
    "LabelAgreement",
    "RatedFile",
    "RatedRows",
    "RatedText",
    "weighted_kappa",
]
