"""The judge: one contract for every judgement an LM passes on a finished text.

A judge abstains by answering null, as the extractive engine always does; the value is then None.
The role is ``judge``: by configuration another model than the writer's.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import dspy

from modules.lm.ask import Ask
from signatures.judging import ComparePair, RateQuality, RateRelevance, WrittenText
from signatures.types import EssayStance, Record

Winner = Literal["first", "second", "tie"]

SWAPPED: dict[Winner, Winner] = {"first": "second", "second": "first", "tie": "tie"}
"""What a verdict on (second, first) says about (first, second)."""

SHARES: dict[Winner, float] = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""The first text's share of the win."""


class Rating(Record):
    """A judge's rating; ``value`` is None where the judge abstained."""

    value: float | None
    explanation: str


class Preference(Record):
    """Which of two texts a judge prefers.

    ``winner`` is None where the judge abstained in either order, and ``tie`` where the two orders
    disagree; ``consistent`` tells that tie from one that was meant (None if it abstained).
    """

    winner: Winner | None
    consistent: bool | None
    explanation: str

    @property
    def value(self) -> float | None:
        """The first text's share of the win."""
        return (
            None if self.winner is None else {"first": 1.0, "tie": 0.5, "second": 0.0}[self.winner]
        )


class _Rater(dspy.Module):
    """Asks for one rating from 1 to 5 and asks again for one outside."""

    signature: ClassVar[Any]
    field: ClassVar[str]
    least: ClassVar[float] = 1.0
    greatest: ClassVar[float] = 5.0

    def __init__(self) -> None:
        super().__init__()
        self.rate = Ask(self.signature)

    def forward(self, *, proposition: str, goal: EssayStance, essay: str) -> Rating:
        """The rating of ``essay``.

        Raises:
            ReplyError: The judge's replies stayed unusable.
            BackendError: The judge's backend failed for good.
        """
        reply = self.rate(
            proposition=proposition, goal=goal, essay=WrittenText(text=essay), check=self._problem
        )
        return Rating(value=getattr(reply, self.field), explanation=reply.explanation)

    def _problem(self, reply: Any) -> str | None:
        value = getattr(reply, self.field)
        if value is None or self.least <= value <= self.greatest:
            return None
        return f"a rating of {value}, wanted {self.least:g} to {self.greatest:g}"


class QualityJudge(_Rater):
    """Rates the quality of an argumentative essay, 1-5 (S1 Table 1, after MT-Bench).

    Example:
        >>> judge = QualityJudge()
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     rating = judge(proposition="Museums should be free", goal="refute", essay="...")
    """

    signature: ClassVar[Any] = RateQuality
    field: ClassVar[str] = "quality"


class RelevanceJudge(_Rater):
    """Rates how well an essay keeps to its task, 1-5 (S1 Table 1, after InstructEval)."""

    signature: ClassVar[Any] = RateRelevance
    field: ClassVar[str] = "relevance"


class PreferenceJudge(dspy.Module):
    """Asks which of two essays is better, in both orders: judges favour a position (MT-Bench).

    Where the two orders disagree neither essay won: a tie, named so.
    """

    def __init__(self) -> None:
        super().__init__()
        self.compare = Ask(ComparePair)

    def forward(
        self, *, proposition: str, goal: EssayStance, first: str, second: str
    ) -> Preference:
        """The judge's preference.

        Raises:
            ReplyError: The judge's replies stayed unusable.
            BackendError: The judge's backend failed for good.
        """
        one, two = WrittenText(text=first), WrittenText(text=second)
        there = self.compare(proposition=proposition, goal=goal, first=one, second=two)
        back = self.compare(proposition=proposition, goal=goal, first=two, second=one)
        if there.better is None or back.better is None:
            silent = there if there.better is None else back
            return Preference(winner=None, consistent=None, explanation=silent.explanation)
        forth: Winner = there.better
        again = SWAPPED[back.better]
        if forth == again:
            return Preference(winner=forth, consistent=True, explanation=there.explanation)
        said = (
            f"tie: the two orders disagree ({forth}, then {again} with the essays swapped). "
            f"{there.explanation} / {back.explanation}"
        )
        return Preference(winner="tie", consistent=False, explanation=said)


__all__ = ["Preference", "PreferenceJudge", "QualityJudge", "Rating", "RelevanceJudge", "Winner"]
