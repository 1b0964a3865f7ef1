"""Ratings with labels: what a judge is calibrated on, and how well it agrees.

One rating agrees by ``1 - ((rating - label) / (high - low))**2``, which is how Cohen's kappa with
quadratic weights counts disagreement; kappa itself, over all ratings, sets that against chance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from evals.datasets import Dataset, Item, rows_of, rows_refused, spelled_out
from evals.optimizing.targets import Target
from modules.citations import Embedder
from modules.text import normalise
from signatures.errors import InputError

SUBJECT = (*rows.SUBJECT, "sentence")
"""What a labelled row is about, by its first field of these."""

Label = float | str


class RatedText(Item):
    """A row as metrics read it, with what people said of it: a number, or a word of the judge's."""

    row: dict[str, Any]
    label: Label


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
        given = list(rows_of(self.path))
        for place, row in given:
            try:
                item = self.rated(place, row)
            except (KeyError, TypeError, ValueError) as error:
                bad.append(f"{place}: {' '.join(str(error).split())[:120]}")
                continue
            if item.id in found:
                bad.append(f"{place}: the id {item.id!r} is there twice")
            found[item.id] = item
        if bad or not found:
            raise rows_refused(self.path, bad, len(given))
        return list(found.values())[: self.limit]


class RatedFile(RatedRows):
    """Labelled rows: what ``moot score`` reads, with ``label`` or ``rating``, and perhaps a
    ``topic``: rows on one topic, or one subject, stay together when they are split.
    """

    def rated(self, place: str, row: Any) -> RatedText:
        if not isinstance(row, dict):
            raise TypeError("not a JSON object")
        label = row.get("label", row.get("rating"))
        if not isinstance(label, (int, float, str)):
            raise TypeError("no label: a number, a word, true or false")
        key = str(row.get("id", place.removeprefix("row ")))
        said = next((row[name] for name in SUBJECT if isinstance(row.get(name), str)), key)
        return RatedText(
            id=key,
            text=normalise(said),
            topic=str(row.get("topic") or ""),
            row={**row, "id": key},
            label=label if isinstance(label, str) else float(label),
        )


class JudgeTarget(Target):
    """A judge, tuned for agreement with labels.

    Args:
        metric: The metric that asks it.
        words: Labels in words, as figures of the metric's.
        embedder: For metrics that use one.
        free: The metric of the same thing without a judge.
    """

    name: ClassVar[str] = "judge"
    wants: ClassVar[tuple[str, ...]] = ("row", "label")

    def __init__(
        self,
        metric: Metric,
        words: Mapping[str, float],
        embedder: Embedder | None = None,
        free: Metric | None = None,
    ) -> None:
        self.method = metric.name
        self._metric = metric
        self._words = words
        self._free = free
        self._tools = Tools(embedder)
        self._labels: dict[str, float] = {}
        self._scale = list(metric.range)

    def check(self, items: Sequence[Any]) -> None:
        """Read the labels.

        Raises:
            InputError: Rows lack what the metric reads, or have a label that is no figure of it.
        """
        bad = []
        for item in items:
            try:
                self._labels[item.id] = self._label(item)
            except ValueError as error:
                bad.append(f"{item.id}: {error}")
        if bad:
            raise rows_unlabelled(self.method, bad, len(items))
        low, high = self._metric.range
        if math.isinf(high):  # counts: as far apart as people found texts to be
            self._scale = [low, max([low + 1, *self._labels.values()])]

    def program(self) -> Any:
        return self._metric.program()

    def row(self, program: Any, item: Any) -> dict[str, Any]:
        found = self._metric.score(item.row, replace(self._tools, bind=lambda asked: program))
        return self._rated(item, found)

    def without_judge(self, item: Any) -> float | None:
        """What the metric finds that asks no judge; None where there is none, or it finds none."""
        if self._free is None:
            return None
        try:
            return self._free.score(item.row, self._tools).value
        except InputError:
            return None

    def identity(self) -> Any:
        return [self._metric.model_dump(mode="json"), self._metric.version, self._scale]

    def _rated(self, item: Any, found: Score) -> dict[str, Any]:
        return {
            "id": item.id,
            "rating": found.value,
            "label": self._labels[item.id],
            "scale": self._scale,
            "explanation": found.explanation,
        }

    def _label(self, item: Any) -> float:
        missing = [name for name in self._metric.fields if not _has(item.row, name)]
        if missing:
            raise ValueError(f"no {', '.join(missing)}")
        if isinstance(item.label, str):
            if item.label not in self._words:
                wanted = f"one of {', '.join(self._words)}" if self._words else "a number"
                raise ValueError(f"the label {item.label[:40]!r}, wanted {wanted}")
            return self._words[item.label]
        low, high = self._metric.range
        if not low <= item.label <= high:
            raise ValueError(f"the label {item.label:g}, wanted {low:g} to {high:g}")
        return float(item.label)


def _has(row: Mapping[str, Any], name: str) -> bool:
    """Whether a row has a field, under any of its names."""
    groups = (rows.SUBJECT, (*rows.TEXT, "outputs"), ("reference", "partial_answers"))
    names = (name,) if name == "outputs" else next((g for g in groups if name in g), (name,))
    return any(row.get(one) is not None for one in names)


class LabelAgreement(Metric):
    """How near a rating comes to its label, on the row's ``scale``; a judge that abstains has
    none. A rating beyond the scale is as far off as can be.
    """

    name: ClassVar[str] = "label_agreement"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("rating", "label", "scale")

    def score(self, row: Row, tools: Tools) -> Score:
        label, rating = row.get("label"), row.get("rating")
        low, high = row["scale"]
        if not isinstance(label, (int, float)) or not low <= label <= high:
            scale = f"a number from {low:g} to {high:g}"
            raise InputError("the row has no label on the scale", expected=scale, got=repr(label))
        if rating is None:
            return Score(value=None, explanation="the judge abstained")
        side = "too high" if rating > label else "too low" if rating < label else "as people did"
        said = f"rated {rating:g} where people gave {label:g}: {side}"
        apart = ((rating - label) / (high - low)) ** 2
        return Score(value=1 - min(apart, 1.0), explanation=said)


def weighted_kappa(ratings: Sequence[float], labels: Sequence[float]) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968) of ratings against labels.

    ``1 - mean((r - l)**2) / mean over all pairs (i, j) of (r_i - l_j)**2``, at most 1. Of two
    verdicts it is Cohen's own kappa, of continuous figures Lin's concordance coefficient (1989).

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


def rows_unlabelled(judge: str, bad: Sequence[str], total: int) -> InputError:
    """The refusal of labelled rows that a judge can make nothing of."""
    return InputError(
        f"{len(bad)} of {total} labelled rows do not suit judge={judge}",
        got=spelled_out(bad),
        remedy="mend or remove them; conf/dataset/rated.yaml says what each judge reads",
    )


__all__ = [
    "JudgeTarget",
    "LabelAgreement",
    "RatedFile",
    "RatedRows",
    "RatedText",
    "weighted_kappa",
]
