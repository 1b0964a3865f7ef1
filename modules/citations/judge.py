"""The citation check by an LM judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy

from modules.citations.support import Support
from modules.lm.ask import Ask
from modules.text import normalise
from signatures.evidence import CitedSentence, JudgeCitations

_BATCH = 10
"""Citations in one call: a judge that sees an essay's worth at once grows careless."""


class SupportJudge(dspy.Module):
    """Asks for the verdict on each citation, ten to a call.

    A quote that the passage does not hold word for word is dropped.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ask = Ask(JudgeCitations)

    def forward(self, *, pairs: Sequence[tuple[str, str]]) -> list[Support | None]:
        """For each (sentence, passage text) the judge's verdict, or None where it abstains.

        Raises:
            ReplyError: The judge's replies stayed unusable.
            BackendError: The judge's backend failed for good.
        """
        found: list[Support | None] = []
        for start in range(0, len(pairs), _BATCH):
            found += self._batch(pairs[start : start + _BATCH])
        return found

    def _batch(self, pairs: Sequence[tuple[str, str]]) -> list[Support | None]:
        reply = self.ask(
            citations=[
                CitedSentence(number=number, sentence=sentence, passage=passage)
                for number, (sentence, passage) in enumerate(pairs, start=1)
            ],
            check=lambda r: _problem(r, len(pairs)),
        )
        said = {j.number: j for j in reply.judgements or []}
        return [
            _support(said.get(number), passage)
            for number, (_, passage) in enumerate(pairs, start=1)
        ]


def _support(said: Any, passage: str) -> Support | None:
    if said is None or said.verdict is None:
        return None
    quote = normalise(said.quote or "")
    return Support(said.verdict, quote if quote in normalise(passage) else "")


def _problem(reply: Any, count: int) -> str | None:
    """Abstaining is an answer; judging some citation twice, or none that was asked, is not."""
    numbers = [j.number for j in reply.judgements or []]
    if len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(1, count + 1)):
        return f"judgements on the citations {numbers}, asked were 1 to {count}"
    return None


__all__ = ["SupportJudge"]
