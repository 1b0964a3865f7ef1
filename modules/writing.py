"""From outline and evidence to an essay with markers (S1 section 2.3)."""

from __future__ import annotations

from contextlib import nullcontext

from modules.beside import Meanwhile, beside
from modules.citations import markers
from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.stage import Stage
from signatures.essay import PlannedEvidence, WriteEssay
from signatures.methods import WriteOutright
from signatures.types import Draft, EssayStance, Evidence, PartEvidence, Passage, Plan


class EssayWriter(Stage):
    """Writes the essay over a closed set of numbered passages.

    Args:
        words: The length to aim for, in words.
        min_share: The share of ``words`` below which a reply is asked for again.
        meanwhile: What can be done with the passages while the LM writes.
    """

    def __init__(self, *, words: int, min_share: float = 0.4, meanwhile: Meanwhile = list) -> None:
        super().__init__(words=words, min_share=min_share)
        self.write = Ask(WriteEssay)
        self._meanwhile = meanwhile

    def forward(
        self, *, subject: str, goal: EssayStance, plan: Plan, evidence: list[PartEvidence]
    ) -> Draft:
        """The essay as written, with the passages its markers number from 1.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        passages, planned = closed_set(evidence)
        least = round(self.settings["words"] * self.settings["min_share"])
        with beside(lambda: self._meanwhile(passages)) if passages else nullcontext():
            reply = self.write(
                proposition=subject,
                goal=goal,
                plan=plan,
                evidence=planned,
                word_target=self.settings["words"],
                check=lambda r: unusable(r.essay, least, len(passages)),
            )
        return Draft(text=reply.essay.strip(), passages=passages)


class OutrightWriter(Stage):
    """Writes the essay in one call, without a plan (S1's LLM-E2E).

    Args:
        words: The length to aim for, in words.
        min_share: The share of ``words`` below which a reply is asked for again.
    """

    def __init__(self, *, words: int, min_share: float = 0.4) -> None:
        super().__init__(words=words, min_share=min_share)
        self.write = Ask(WriteOutright)

    def forward(self, *, subject: str, goal: EssayStance, background: list[Passage]) -> Draft:
        """The essay as written, with the passages its markers number from 1.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        least = round(self.settings["words"] * self.settings["min_share"])
        reply = self.write(
            proposition=subject,
            goal=goal,
            evidence=numbered(background),
            word_target=self.settings["words"],
            check=lambda r: unusable(r.essay, least, len(background)),
        )
        return Draft(text=reply.essay.strip(), passages=background)


def unusable(essay: str, least: int, n_passages: int) -> str | None:
    """What is wrong with an essay: fewer than ``least`` words, or it cites none of its passages."""
    count = len(essay.split())
    if count < least:
        return f"{count} words, at least {least} wanted"
    if n_passages and not any(1 <= n <= n_passages for n in markers(essay)):
        return "the essay cites none of its passages"
    return None


def closed_set(evidence: list[PartEvidence]) -> tuple[list[Passage], list[PlannedEvidence]]:
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


__all__ = ["EssayWriter", "OutrightWriter", "closed_set", "unusable"]
