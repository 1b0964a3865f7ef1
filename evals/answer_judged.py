"""What a judge says of answers to debatable questions: the measures that S4 compares its own with.

Most take ``samples``: with more than one the judge is asked as often, the value is the
mean, and the explanation tells the standard deviation, which is the judge's own variance.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

from pydantic import Field

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.answer_judging import (
    AcknowledgeJudge,
    AnswerJudge,
    ComprehensivenessJudge,
    Sampled,
    ScoreJudge,
    StepsJudge,
    ViewsJudge,
)


class _AnswerJudged(Metric):
    direction: ClassVar[Direction] = "higher"
    judges: ClassVar[bool] = True
    fields: ClassVar[tuple[str, ...]] = ("question", "generation")
    range: ClassVar[tuple[float, float]] = (1.0, 5.0)

    @abstractmethod
    def program(self) -> AnswerJudge:
        """The judge."""


class _Sampled(_AnswerJudged):
    samples: int = Field(default=1, ge=1, le=100)

    def score(self, row: Row, tools: Tools) -> Score:
        question, answer = rows.subject(row), rows.text(row)
        judge = tools.bind(self.program())
        return _score(judge(question=question, answer=answer, samples=self.samples))


class DirectScore(_Sampled):
    """The judge's score from 1 to 5 by the criteria of the human study."""

    name: ClassVar[str] = "direct_score"

    def program(self) -> ScoreJudge:
        return ScoreJudge()


class GEval(_Sampled):
    """G-Eval: steps written once, then form filling, 1 to 5; the mean of its samples."""

    name: ClassVar[str] = "g_eval"

    samples: int = Field(default=5, ge=1, le=100)

    def program(self) -> StepsJudge:
        return StepsJudge()

    def score(self, row: Row, tools: Tools) -> Score:
        found = super().score(row, tools)
        said = f"{self.samples}-sample mean; {found.explanation}"
        return found.model_copy(update={"explanation": said})


class GEvalWeighted(_AnswerJudged):
    """G-Eval weighted by probability: the judge writes the steps, and the marks are weighted by the
    probabilities the evaluator gives them (``evaluator=``, a model with log-probabilities).
    """

    name: ClassVar[str] = "g_eval_weighted"
    evaluates: ClassVar[bool] = True

    def program(self) -> StepsJudge:
        return StepsJudge()

    def score(self, row: Row, tools: Tools) -> Score:
        judge: StepsJudge = tools.bind(self.program())
        evaluator = tools.evaluate()
        found = judge.weighted(
            question=rows.subject(row), answer=rows.text(row), evaluator=evaluator
        )
        said = f"{found.explanation}, by {evaluator.name}"
        return Score(value=found.value, explanation=said)


class NumPovs(_Sampled):
    """How many distinct points of view the judge finds in the answer."""

    name: ClassVar[str] = "num_povs"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def program(self) -> ViewsJudge:
        return ViewsJudge()


class Acknowledge(_Sampled):
    """DELPHI's acknowledge: 1 where the answer says that its question is controversial."""

    name: ClassVar[str] = "acknowledge"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def program(self) -> AcknowledgeJudge:
        return AcknowledgeJudge()


class Comprehensiveness(_Sampled):
    """DELPHI's comprehensiveness: 1 where the answer presents opposing points of view."""

    name: ClassVar[str] = "comprehensiveness"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def program(self) -> ComprehensivenessJudge:
        return ComprehensivenessJudge()


def _score(found: Sampled) -> Score:
    if found.deviation is None:
        return Score(value=found.value, explanation=found.explanation)
    told = sum(value is not None for value in found.values)
    said = f"standard deviation {found.deviation:.2f} over {told} samples; {found.explanation}"
    return Score(value=found.value, explanation=said)


__all__ = [
    "Acknowledge",
    "Comprehensiveness",
    "DirectScore",
    "GEval",
    "GEvalWeighted",
    "NumPovs",
]
