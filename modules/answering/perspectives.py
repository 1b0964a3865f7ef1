"""Our own method: points of view from debate personas, then one balanced, cited answer.

Whether there is a dispute is asked first: a question that has an answer is answered, and nobody
is set to quarrel over it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from modules.answering.method import AnswerMethod, AnswerParts, Retrieval
from modules.answering.program import AnswerBase, noted
from modules.answering.settings import AnswerSettings
from modules.answering.writing import AnswerWriter, BalancedWriter, QuestionFrame, ViewsStage
from modules.citations import MARKER
from modules.essay.shared import SharedPersonaEvidence
from modules.evidence import PersonaEvidence, Retriever
from modules.personas import PersonaPool
from modules.stage import Stage, Step, direct
from modules.vectors import Embedder
from signatures.answering import AnswerBasic, View
from signatures.types import (
    Citation,
    Draft,
    Essay,
    Passage,
    Persona,
    PersonaDraft,
    Perspective,
    Pool,
)


class DisputePersonas(PersonaPool):
    """Voices on both sides of what a question divides over; neither side must exist."""

    def _pool(self, drafts: Sequence[PersonaDraft], side: Any, both: bool) -> Pool:
        found = {d.stance for d in drafts}
        notes = [
            f"no persona {name} the proposition was found"
            for name in ("for", "against")
            if name not in found
        ]
        personas = [Persona(id=f"p{n}", **d.model_dump()) for n, d in enumerate(drafts, start=1)]
        return Pool(personas=personas, notes=notes)


class PerspectivesProgram(AnswerBase):
    """Search, frame, personas, evidence for each, views, the balanced answer.

    Args:
        settings: What the method was told.
        retriever: Where evidence is searched.
        embedder: For citations, and for choosing among shared passages.
        retrieval: Where evidence comes from.
        tokens: Around how many tokens to ask for, or None.
    """

    def __init__(
        self,
        settings: AnswerSettings,
        retriever: Retriever,
        embedder: Embedder,
        *,
        retrieval: Retrieval = "vanilla",
        tokens: int | None = None,
    ) -> None:
        super().__init__(settings, retriever, embedder, retrieval=retrieval)
        s, recall = settings.personas, settings.recall
        self.frame = QuestionFrame()
        self.plain = AnswerWriter(AnswerBasic, tokens=tokens)
        self.pool = DisputePersonas(
            minimum=s.minimum, maximum=s.maximum, pool=s.pool, team_size=s.team_size,
            values=s.values,
        )  # fmt: skip
        # An agent's choice is the evidence; personas do not search past it.
        self.shared = recall.shared or retrieval != "vanilla"
        self.gather: Stage = (
            SharedPersonaEvidence(embedder, k=recall.persona)
            if self.shared
            else PersonaEvidence(self.retriever, k=recall.persona)
        )
        self.views = ViewsStage()
        self.weigh = BalancedWriter(tokens=tokens)

    def forward(self, *, question: str, step: Step = direct) -> AnswerParts:
        """The answer to ``question`` and everything that led to it."""
        background = self.searched(step, question)
        frame = step("frame", self.frame, question=question, evidence=background)
        if frame.proposition is None:
            return self._settled(step, question, background)
        pool: Pool = step(
            "personas",
            self.pool,
            subject=frame.proposition,
            goal="support",
            background=background,
        )
        subject = {"subject": frame.proposition}
        given: dict[str, Any] = {"background": background} if self.shared else subject
        found = step("evidence", self.gather, pool=pool, **given)
        evidence = _all([background, *(found[p.id] for p in pool.personas)])
        views = step(
            "views",
            self.views,
            question=question,
            personas=pool.personas,
            evidence=evidence,
            found=found,
        )
        draft = step("answer", self.weigh, question=question, views=views, evidence=evidence)
        answer = self.checked(step, question, draft)
        perspectives = self._perspectives(step, question, views, evidence, answer)
        return AnswerParts(
            answer, evidence, perspectives, pool.personas, frame.disputed, pool.notes
        )

    def _settled(self, step: Step, question: str, evidence: list[Passage]) -> AnswerParts:
        draft = step("answer", self.plain, question=question, evidence=evidence)
        answer = self.checked(step, question, draft)
        return AnswerParts(answer, evidence, [], [], False, noted(draft))

    def _perspectives(
        self,
        step: Step,
        question: str,
        views: Sequence[View],
        evidence: list[Passage],
        answer: Essay,
    ) -> list[Perspective]:
        """The views with their citations checked, numbered as in the answer and on from there."""
        known = {c.chunk_id: c.marker for c in answer.citations}
        found = []
        for number, view in enumerate(views, start=1):
            draft = Draft(text=view.explanation or view.point_of_view, passages=evidence)
            checked = self.checked(step, question, draft, f"citations.{number}")
            text, citations = renumbered(checked, known)
            found.append(
                Perspective(point_of_view=view.point_of_view, explanation=text, citations=citations)
            )
        return found


class Perspectives(AnswerMethod):
    """Points of view from debate personas, then one balanced answer."""

    name: str = "perspectives"
    stages: ClassVar[int] = 11

    def program(self, settings: AnswerSettings, retriever: Retriever, embedder: Embedder) -> Any:
        return PerspectivesProgram(
            settings, retriever, embedder, retrieval=self.retrieval, tokens=self.tokens
        )


def renumbered(text: Essay, known: dict[str, int]) -> tuple[str, list[Citation]]:
    """A checked text under the numbers of ``known``, by passage, which new passages extend."""
    for citation in text.citations:
        known.setdefault(citation.chunk_id, len(known) + 1)
    numbers = {c.marker: known[c.chunk_id] for c in text.citations}
    shown = re.sub(MARKER.pattern, lambda found: f"[{numbers[int(found.group(1))]}]", text.text)
    moved = [c.model_copy(update={"marker": numbers[c.marker]}) for c in text.citations]
    return shown, moved


def _all(groups: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Every passage once, by first appearance."""
    return list({p.id: p for group in groups for p in group}.values())


__all__ = ["DisputePersonas", "Perspectives", "PerspectivesProgram", "renumbered"]
