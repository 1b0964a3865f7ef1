"""What a judge says of finished texts (S1 section 3.3).

Who judges is the role ``judge``; where its model wrote the texts, the flow refuses or warns.
A judge that abstains gives no value; a row all of whose texts it abstains on counts as abstained.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.judging import PreferenceJudge, QualityJudge, RelevanceJudge


class _Judged(Metric):
    direction: ClassVar[Direction] = "higher"
    judges: ClassVar[bool] = True

    @abstractmethod
    def program(self) -> Any:
        """The judge."""


class _Rated(_Judged):
    """The mean rating of the row's texts."""

    range: ClassVar[tuple[float, float]] = (1.0, 5.0)
    fields: ClassVar[tuple[str, ...]] = ("proposition", "generation")

    def score(self, row: Row, tools: Tools) -> Score:
        about, side, found = rows.subject(row), rows.goal(row), rows.texts(row)
        judge = tools.bind(self.program())
        given = [judge(proposition=about, goal=side, essay=text) for text in found]
        return _mean([(r.value, r.explanation) for r in given])


class Quality(_Rated):
    """The judge's rating of quality, 1-5; over several outputs their mean (after MT-Bench)."""

    name: ClassVar[str] = "quality"

    def program(self) -> QualityJudge:
        return QualityJudge()


class Relevance(_Rated):
    """The judge's rating of how well the task was kept to, 1-5 (after InstructEval)."""

    name: ClassVar[str] = "relevance"

    def program(self) -> RelevanceJudge:
        return RelevanceJudge()


class PairwisePreference(_Judged):
    """How often the judge prefers the first output to the others, 0 to 1, a tie counting half.

    Each pair is judged in both orders; where the two verdicts disagree it is a tie.
    """

    name: ClassVar[str] = "preference"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    fields: ClassVar[tuple[str, ...]] = ("input", "outputs")

    @property
    def decides(self) -> bool:
        return False

    @property
    def why_not(self) -> str:
        return "it sets the first of several texts against the others; equal writers are equal"

    def program(self) -> PreferenceJudge:
        return PreferenceJudge()

    def score(self, row: Row, tools: Tools) -> Score:
        about, side = rows.subject(row), rows.goal(row)
        first, *others = rows.outputs(row)
        judge = tools.bind(self.program())
        given = [judge(proposition=about, goal=side, first=first, second=o) for o in others]
        return _mean([(p.value, p.explanation) for p in given])


def same_model(writer: object, judge: str | None) -> bool:
    """Whether a text's writer is the judge's model, whichever server runs it."""
    if not isinstance(writer, str) or judge is None:
        return False
    return writer.partition("@")[0] == judge.partition("@")[0]


def _mean(given: Sequence[tuple[float | None, str]]) -> Score:
    """The mean of those that have a value; the explanation tells of all."""
    values = [value for value, _ in given if value is not None]
    if len(given) == 1:
        return Score(value=given[0][0], explanation=given[0][1])
    said = "; ".join(
        f"{'abstained' if value is None else f'{value:g}'}: {why}" for value, why in given
    )
    if not values:
        return Score(value=None, explanation=said)
    return Score(value=sum(values) / len(values), explanation=said)


__all__ = ["PairwisePreference", "Quality", "Relevance", "same_model"]
