"""Agreement as metrics: rows ``{id, ratings[], scale[low, high]}``, null for a missing rating."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import ClassVar, NamedTuple

from evals import agreement
from evals.contract import Direction, Level, Metric, Row, Score, Tools
from signatures.errors import InputError


class _Rated(NamedTuple):
    """A row's ratings and its scale."""

    ratings: list[float | None]
    low: float
    high: float


class _Agreement(Metric):
    level: ClassVar[Level] = "corpus"
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("ratings", "scale")

    def score(self, row: Row, tools: Tools) -> Score:
        """The share of the item's pairs of ratings that are equal."""
        value = agreement.pair_agreement(_rated(row).ratings)
        if value is None:
            return Score(value=None, explanation="fewer than two ratings")
        return Score(value=value, explanation=f"{value:.0%} of the item's pairs of ratings agree")


class KrippendorffAlpha(_Agreement):
    """Krippendorff's alpha over all rows (:func:`evals.agreement.krippendorff_alpha`).

    Its least value depends on the data; no lower bound holds for all.

    Attributes:
        distance: nominal, ordinal or interval.
    """

    name: ClassVar[str] = "krippendorff_alpha"
    range: ClassVar[tuple[float, float]] = (-math.inf, 1.0)

    distance: agreement.Distance = "ordinal"

    def over(self, rows: Sequence[Row], tools: Tools) -> Score:
        items = [_rated(row).ratings for row in rows]
        return _said(
            agreement.krippendorff_alpha(items, self.distance), f"{self.distance} alpha", items
        )


class FleissKappa(_Agreement):
    """Fleiss' kappa over all rows (:func:`evals.agreement.fleiss_kappa`)."""

    name: ClassVar[str] = "fleiss_kappa"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def over(self, rows: Sequence[Row], tools: Tools) -> Score:
        items = [_rated(row).ratings for row in rows]
        return _said(agreement.fleiss_kappa(items), "kappa", items)


class Ndfu(_Agreement):
    """Mean nDFU of the rows (:func:`evals.agreement.ndfu`): how polarized the ratings are.

    A row with fewer than two ratings has none and is left out.
    """

    name: ClassVar[str] = "ndfu"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "lower"

    def score(self, row: Row, tools: Tools) -> Score:
        """The row's own nDFU."""
        rated = _rated(row)
        try:
            if rated.low != int(rated.low) or rated.high != int(rated.high):
                raise ValueError("nDFU needs a scale of whole numbers")
            value = agreement.ndfu(rated.ratings, int(rated.low), int(rated.high))
        except ValueError as error:
            raise InputError(str(error)) from error
        if value is None:
            return Score(value=None, explanation="fewer than two ratings")
        heights = agreement.histogram(rated.ratings, int(rated.low), int(rated.high))
        return Score(value=value, explanation=f"histogram {heights} from {rated.low:g}")

    def over(self, rows: Sequence[Row], tools: Tools) -> Score:
        values = [self.score(row, tools).value for row in rows]
        known = [value for value in values if value is not None]
        if not known:
            return Score(value=None, explanation="no row has two ratings")
        said = f"mean over {len(known)} of {len(values)} rows; the others have too few ratings"
        return Score(
            value=fmean(known),
            explanation=said.split(";")[0] if all(v is not None for v in values) else said,
        )


def _said(value: float | None, what: str, items: Sequence[agreement.Ratings]) -> Score:
    given = [[v for v in ratings if v is not None] for ratings in items]
    used = [ratings for ratings in given if len(ratings) > 1]
    if value is not None:
        missing = sum(map(len, items)) - sum(map(len, given))
        said = f"{what} over {len(used)} of {len(items)} rows, {missing} ratings missing"
        return Score(value=value, explanation=said)
    why = "every rating is the same" if used else "no row has two ratings"
    return Score(value=None, explanation=f"{what} is undefined: {why}")


def _rated(row: Row) -> _Rated:
    """The row's fields, checked.

    Raises:
        InputError: One is missing, or a rating is off the scale.
    """
    ratings, scale = row.get("ratings"), row.get("scale")
    if not isinstance(ratings, list):
        raise InputError("the row has no ratings", expected="a list of numbers and nulls")
    if not isinstance(scale, list) or len(scale) != 2 or not all(map(_number, scale)):
        raise InputError("the row has no scale", expected="[low, high]", got=repr(scale)[:60])
    low, high = scale
    if low >= high:
        raise InputError("the scale is empty", expected="low < high", got=repr(scale))
    for value in ratings:
        if value is not None and not (_number(value) and low <= value <= high):
            raise InputError("a rating is off the scale", expected=f"{low} to {high}, or null",
                             got=repr(value)[:60])  # fmt: skip
    return _Rated(ratings, low, high)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


__all__ = ["FleissKappa", "KrippendorffAlpha", "Ndfu"]
