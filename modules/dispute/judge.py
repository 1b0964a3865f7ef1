"""Whether an answer makes explicit that its question is disputed, by an LM (S4's D.A.)."""

from __future__ import annotations

from typing import Any, ClassVar

from modules.answer_judging import AnswerJudge
from modules.judging import Rating
from modules.lm.ask import Ask
from signatures.dispute import DEMONSTRATIONS, JudgeDispute

ATTEMPTS = 2
"""A verdict that is neither 0 nor 1 is asked for once more, then the answer counts as failed."""


class DisputeZeroShotJudge(AnswerJudge):
    """D.A. without demonstrations (S4's D.A.-ZS)."""

    signature: ClassVar[Any] = JudgeDispute

    def __init__(self) -> None:
        super().__init__()
        self.ask = Ask(self.signature, attempts=ATTEMPTS)

    def rated(self, ask: Any, inputs: dict[str, Any]) -> Rating:
        reply = ask(**inputs, check=_neither)
        value = None if reply.verdict is None else float(reply.verdict)
        return Rating(value=value, explanation=reply.explanation)


class DisputeJudge(DisputeZeroShotJudge):
    """D.A. with in-context demonstrations: an LM shown none strays from 0 and 1 (S4 section 6).

    Example:
        >>> judge = DisputeJudge()
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     judge(question="Should zoos be closed?", answer="Opinions differ.").value
        1.0
    """

    def __init__(self) -> None:
        super().__init__()
        self.ask.predict.demos = [one.with_inputs("question", "answer") for one in DEMONSTRATIONS]


def _neither(reply: Any) -> str | None:
    if reply.verdict is None or reply.verdict in (0, 1):
        return None
    return f"a verdict of {reply.verdict}, wanted 0 or 1"


__all__ = ["DisputeJudge", "DisputeZeroShotJudge"]
