"""Annotators as a target: comments with the ratings that people gave them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from evals.datasets import Item
from evals.optimizing.labels import RatedRows
from evals.optimizing.targets import Target
from modules.annotation import Annotate
from modules.text import normalise
from signatures.errors import ConfigError
from signatures.moderation import Annotator, Criterion, DiscussionTurn

ANNOTATION = "annotation"
"""The method's name: compiled programs are ``judge/annotation``."""


class RatedComment(Item):
    """A comment, ``text``, with what people rated it and the comments before it, oldest first."""

    label: float
    history: list[str] = Field(default_factory=list)


class RatedComments(RatedRows):
    """Labelled comments: ``{id, comment, rating, history: [text, ...], topic}``."""

    def rated(self, place: str, row: Any) -> RatedComment:
        if not isinstance(row, dict):
            raise TypeError("not a JSON object")
        return RatedComment(
            id=str(row.get("id", place.removeprefix("row "))),
            text=normalise(row["comment"]),
            topic=str(row.get("topic") or ""),
            label=row["rating"],
            history=row.get("history") or [],
        )


class AnnotationTarget(Target):
    """An annotator of no particular background, tuned for agreement with labels by one criterion.

    Args:
        criteria: The criterion, under its name.

    Raises:
        ConfigError: There is not exactly one.
    """

    name: ClassVar[str] = "judge"
    wants: ClassVar[tuple[str, ...]] = ("history", "label")

    def __init__(self, criteria: Mapping[str, Criterion]) -> None:
        if len(criteria) != 1:
            raise ConfigError(
                "judge=annotation is tuned by one criterion",
                expected="criteria=[NAME]",
                got=", ".join(criteria) or "none",
            )
        self.method = ANNOTATION
        self._criteria = dict(criteria)

    def program(self) -> Any:
        return Annotate(criteria=self._criteria)

    def row(self, program: Any, item: Any) -> dict[str, Any]:
        *before, turn = [_turn(n, text) for n, text in enumerate([*item.history, item.text], 1)]
        someone = Annotator(name="judge", attributes=[], instructions="", window=len(before) + 1)
        (given,) = program.rated(item.id, turn, before, someone)
        (criterion,) = self._criteria.values()
        return {
            "id": item.id,
            "comment": item.text,
            "rating": given.value,
            "label": item.label,
            "scale": [criterion.low, criterion.high],
            **({"notes": [given.reason]} if given.reason else {}),
        }

    def identity(self) -> Any:
        return {name: one.model_dump(mode="json") for name, one in self._criteria.items()}


def _turn(number: int, text: str) -> DiscussionTurn:
    return DiscussionTurn(
        id=f"c{number}", round=0, actor="", role=None, action="comment", text=text
    )


__all__ = ["ANNOTATION", "AnnotationTarget", "RatedComment", "RatedComments"]
