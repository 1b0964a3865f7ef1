"""From outline and evidence to an essay with markers (S1 section 2.3)."""

from __future__ import annotations

from typing import Any

from modules.citations import markers
from modules.lm.ask import Ask
from modules.stage import Stage
from signatures.essay import PlannedEvidence, WriteEssay
from signatures.types import Draft, EssayStance, Evidence, PartEvidence, Passage, Plan


class EssayWriter(Stage):
    """Writes the essay over a closed set of numbered passages.

    Args:
        words: The length to aim for, in words.
        min_share: The share of ``words`` below which a reply is asked for again.
    """

    def __init__(self, *, words: int, min_share: float = 0.4) -> None:
        super().__init__(words=words, min_share=min_share)
        self.write = Ask(WriteEssay)

    def forward(
        self, *, subject: str, goal: EssayStance, plan: Plan, evidence: list[PartEvidence]
    ) -> Draft:
        """The essay as written, with the passages its markers number from 1.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        passages, planned = _closed_set(evidence)
        reply = self.write(
            proposition=subject,
            goal=goal,
            plan=plan,
            evidence=planned,
            word_target=self.settings["words"],
            check=lambda r: self._problem(r.essay, len(passages)),
        )
        return Draft(text=reply.essay.strip(), passages=passages)

    def _problem(self, essay: Any, n_passages: int) -> str | None:
        count = len(essay.split())
        least = round(self.settings["words"] * self.settings["min_share"])
        if count < least:
            return f"{count} words, at least {least} wanted"
        if n_passages and not any(1 <= n <= n_passages for n in markers(essay)):
            return "the essay cites none of its passages"
        return None


def _closed_set(evidence: list[PartEvidence]) -> tuple[list[Passage], list[PlannedEvidence]]:
    """Every passage once, numbered by first appearance, and the parts with those numbers."""
    numbers: dict[str, int] = {}
    passages: list[Passage] = []
    planned = []
    for part in evidence:
        for passage in part.passages:
            if passage.id not in numbers:
                passages.append(passage)
                numbers[passage.id] = len(passages)
        planned.append(
            PlannedEvidence(
                part=part.part,
                passages=[
                    Evidence(number=numbers[p.id], title=p.title, text=p.text)
                    for p in part.passages
                ],
            )
        )
    return passages, planned


__all__ = ["EssayWriter"]
