"""Figures over the turns of one debate: rows with ``debate``, a list of turns in their order.

Essays' rows have the turns of the debate towards their plan, those of ``target=debate`` the turns
of a roundtable. How alike the turns' opinions are is
:class:`evals.diversity.OpinionDiversity` of the same row, whose ``outputs`` are its turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import ClassVar

import numpy as np

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.debate_quality import DebateMeter
from modules.text import shortened
from signatures.errors import InputError
from signatures.types import Turn

LONG = 160
"""Characters shown of a turn."""


class _OfTurns(Metric):
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("debate",)
    embeds: ClassVar[bool] = True


class TurnNovelty(_OfTurns):
    """How much of a turn was not said before (:class:`modules.debate_quality.DebateMeter`), on
    average over the turns after the first.
    """

    name: ClassVar[str] = "turn_novelty"

    def score(self, row: Row, tools: Tools) -> Score:
        turns = turns_of(row)
        if len(turns) < 2:
            return Score(value=None, explanation="one turn repeats nothing: two are needed")
        measure = DebateMeter(tools.embed()).start(rows.subject(row), "support")
        found: list[Turn] = []
        for turn in turns:
            found.append(measure(turn, found))
        later = [(turn.novelty or 0.0, turn) for turn in found[1:]]
        least, stale = min(later, key=_rounded)
        said = f'the turn that repeats most, {stale.id} ({least:.2f} new): "{_told(stale)}"'
        return Score(value=fmean(value for value, _ in later), explanation=said)


class TurnRelevance(_OfTurns):
    """The cosine of a turn and what is debated, on average over turns; below 0 counts as 0."""

    name: ClassVar[str] = "turn_relevance"

    def score(self, row: Row, tools: Tools) -> Score:
        turns = turns_of(row)
        if not turns:
            return Score(value=None, explanation="there was no debate")
        about, *vectors = tools.embed().encode([rows.subject(row), *(t.text for t in turns)])
        near = [float(np.clip(vector @ about, 0.0, 1.0)) for vector in vectors]
        least, stray = min(zip(near, turns, strict=True), key=_rounded)
        said = f'the turn furthest from it, {stray.id} ({least:.2f}): "{_told(stray)}"'
        return Score(value=fmean(near), explanation=said)


def turns_of(row: Row) -> list[Turn]:
    """The row's turns; none where its method holds no debate.

    Raises:
        InputError: It does not say, or one is no turn.
    """
    given = row.get("debate")
    if not isinstance(given, list):
        raise InputError("the row has no debate", expected="debate: a list of {id, text, ...}")
    return [_turn(number, value) for number, value in enumerate(given, start=1)]


def _turn(number: int, value: object) -> Turn:
    text = value.get("text") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(text, str) or not text.strip():
        raise InputError(f"turn {number} has no text")
    return Turn(
        id=str(value.get("id") or f"t{number}"),
        round=1,
        speaker=str(value.get("speaker") or number),
        role="team",
        text=text,
    )


def _rounded(pair: tuple[float, Turn]) -> float:
    """Among equals the first turn is named: digits beyond the fifth are noise of the embedder's."""
    return round(pair[0], 5)


def _told(turn: Turn) -> str:
    return shortened(" ".join(turn.text.split()), LONG)


__all__ = ["TurnNovelty", "TurnRelevance", "turns_of"]
