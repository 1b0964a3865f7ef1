"""What all answer programs share: the search for the question, and the check of what was written.

An :class:`AnswerProgram` that writes in one call is the ``basic``, ``comprehensive`` or
``detailed`` method, by its prompt.
"""

from __future__ import annotations

from typing import Any

import dspy

from modules.answering.method import AnswerParts, Retrieval
from modules.answering.searching import AgentSearch
from modules.answering.settings import AnswerSettings
from modules.answering.writing import AnswerWriter, uncited
from modules.citations import CitationCheck
from modules.evidence import Background, NoEvidence, Retriever
from modules.stage import Step, direct
from modules.vectors import Embedder
from signatures.types import Draft, Essay, Passage


class AnswerBase(dspy.Module):
    """Base of the programs: finds passages for a question, checks the citations of its answer.

    Args:
        settings: What the method was told.
        retriever: Where evidence is searched; not used with ``retrieval="none"``.
        embedder: For citations, and for choosing among shared passages.
        retrieval: Where evidence comes from.
    """

    def __init__(
        self,
        settings: AnswerSettings,
        retriever: Retriever,
        embedder: Embedder,
        *,
        retrieval: Retrieval,
    ) -> None:
        super().__init__()
        recall, citations = settings.recall, settings.citations
        self.retriever = NoEvidence() if retrieval == "none" else retriever
        self.recall = Background.within(recall, self.retriever, k=recall.chunks)
        self.agent = (
            AgentSearch(self.retriever, k=recall.chunks, steps=recall.steps, found=recall.found)
            if retrieval == "react"
            else None
        )
        self.check = CitationCheck(
            embedder,
            supported=citations.supported,
            weak=citations.weak,
            by=citations.by,
            repair=citations.repair,
        )

    def searched(self, step: Step, question: str) -> list[Passage]:
        """Passages for the question; the one search also says whether there are any on it."""
        found: list[Passage] = step("background", self.recall, subject=question)
        if self.agent is not None:
            found = step("search", self.agent, question=question)
        return found

    def checked(self, step: Step, question: str, draft: Draft, name: str = "citations") -> Essay:
        """The draft with its citations checked."""
        checked: Essay = step(name, self.check, subject=question, draft=draft)
        return checked


class AnswerProgram(AnswerBase):
    """Search, then the answer in one call.

    Args:
        settings: What the method was told.
        retriever: Where evidence is searched.
        embedder: For citations.
        signature: The prompt.
        retrieval: Where evidence comes from.
        tokens: Around how many tokens to ask for, or None.

    Example:
        >>> program = AnswerProgram(AnswerSettings(), retriever, embedder, signature=AnswerBasic)
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     parts = program(question="Should museums be free?")
        >>> print(parts.answer.text)
    """

    def __init__(
        self,
        settings: AnswerSettings,
        retriever: Retriever,
        embedder: Embedder,
        *,
        signature: Any,
        retrieval: Retrieval = "vanilla",
        tokens: int | None = None,
    ) -> None:
        super().__init__(settings, retriever, embedder, retrieval=retrieval)
        self.write = AnswerWriter(signature, tokens=tokens)

    def forward(self, *, question: str, step: Step = direct) -> AnswerParts:
        """The answer to ``question`` and the passages it had."""
        evidence = self.searched(step, question)
        draft = step("answer", self.write, question=question, evidence=evidence)
        answer = self.checked(step, question, draft)
        return AnswerParts(answer, evidence, [], [], None, noted(draft))


def noted(draft: Draft) -> list[str]:
    """What to say of a draft besides its citations."""
    problem = uncited(draft.text, draft.passages)
    return [] if problem is None else [problem]


__all__ = ["AnswerBase", "AnswerProgram", "noted"]
