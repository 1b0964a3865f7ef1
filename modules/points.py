"""The opinion points of a text: by the judge's LM, or by the built-in extractor."""

from __future__ import annotations

from typing import Any

import dspy

from modules.lm.ask import Ask
from modules.lm.extractive.points import points
from signatures.judging import ListPoints, WrittenText


class OpinionPoints(dspy.Module):
    """Lists the opinion points of a text (S1 section 3.3, "extract its main opinion points").

    Example:
        >>> list_points = OpinionPoints()
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     list_points(proposition="Museums should be free", text="Fees pay for guards. ...")
    """

    def __init__(self) -> None:
        super().__init__()
        self.list = Ask(ListPoints)

    def forward(self, *, proposition: str, text: str) -> list[str] | None:
        """The points, each once, in order; None where the judge abstained.

        Raises:
            ReplyError: The judge's replies stayed unusable.
            BackendError: The judge's backend failed for good.
        """
        reply: Any = self.list(proposition=proposition, text=WrittenText(text=text))
        if reply.points is None:
            return None
        return list(dict.fromkeys(point for p in reply.points if (point := " ".join(p.split()))))


def built_in(*, proposition: str, text: str) -> list[str]:
    """The argumentative sentences of a text, without any LM."""
    return points(text, proposition)


__all__ = ["OpinionPoints", "built_in"]
