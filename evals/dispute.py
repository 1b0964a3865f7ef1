"""D.A. (S4 section 4.1, II): whether an answer says that its question is disputed.

Three ways to get it, each under a name of its own: the judge shown demonstrations (``da``), the
judge without (``da_zero_shot``, S4's D.A.-ZS), and the detector that needs no judge
(``da_builtin``; its accuracy on real answers: ``python -m bench.dispute``). The figure over many
answers is the share of those that do.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.dispute import fitted
from modules.dispute.judge import DisputeJudge, DisputeZeroShotJudge

_INSTEAD = "; metric=da_builtin needs no judge, or give one: backend=openai"


class _Awareness(Metric):
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("question", "generation")


class DisputeAwareness(_Awareness):
    """D.A.: 1 where the judge finds that the answer makes the dispute explicit, else 0.

    Args:
        samples: The judge is asked so often; the value is the mean of its verdicts.
    """

    name: ClassVar[str] = "da"
    judges: ClassVar[bool] = True

    samples: int = Field(default=1, ge=1, le=100)

    def program(self) -> DisputeZeroShotJudge:
        return DisputeJudge()

    def score(self, row: Row, tools: Tools) -> Score:
        question, answer = rows.subject(row), rows.text(row)
        judge = tools.bind(self.program())
        found = judge(question=question, answer=answer, samples=self.samples)
        said = found.explanation
        if found.deviation is not None:
            said = f"standard deviation {found.deviation:.2f} over {self.samples} samples; {said}"
        return Score(value=found.value, explanation=said + (_INSTEAD * (found.value is None)))


class DisputeAwarenessZeroShot(DisputeAwareness):
    """D.A. by a judge that is shown no demonstrations."""

    name: ClassVar[str] = "da_zero_shot"

    def program(self) -> DisputeZeroShotJudge:
        return DisputeZeroShotJudge()


class DisputeDetected(_Awareness):
    """D.A. by the built-in detector (:mod:`modules.dispute`), for English answers."""

    name: ClassVar[str] = "da_builtin"

    def score(self, row: Row, tools: Tools) -> Score:
        found = fitted().read(rows.text(row), rows.subject(row))
        chance = f"built in: probability {found.probability:.2f}"
        if not found.acknowledged:
            return Score(value=0.0, explanation=f"{chance}; no sentence says that people disagree")
        return Score(value=1.0, explanation=f'{chance}: "{found.because}"')


def acknowledges(text: str, question: str = "") -> bool:
    """Whether ``text`` says that people disagree on its question, by the built-in detector.

    Args:
        text: An answer; Markdown is read as such.
        question: What it answers, where that is known.
    """
    return fitted().read(text, question).acknowledged


__all__ = ["DisputeAwareness", "DisputeAwarenessZeroShot", "DisputeDetected", "acknowledges"]
