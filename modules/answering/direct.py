"""The three prompts of S4 (section 7.2, table 17) as methods: one call each."""

from __future__ import annotations

from typing import Any

from modules.answering.method import AnswerMethod
from modules.answering.program import AnswerProgram
from modules.answering.settings import AnswerSettings
from modules.evidence import Retriever
from modules.vectors import Embedder
from signatures.answering import AnswerBasic, AnswerComprehensively, AnswerInDetail


class Basic(AnswerMethod):
    """The question alone, without a hint that it may be disputed."""

    name: str = "basic"

    def program(self, settings: AnswerSettings, retriever: Retriever, embedder: Embedder) -> Any:
        return self._program(AnswerBasic, settings, retriever, embedder)

    def _program(self, signature: Any, *given: Any) -> AnswerProgram:
        return AnswerProgram(
            *given, signature=signature, retrieval=self.retrieval, tokens=self.tokens
        )


class Comprehensive(Basic):
    """Asks for every angle, without saying that there is a dispute."""

    name: str = "comprehensive"

    def program(self, settings: AnswerSettings, retriever: Retriever, embedder: Embedder) -> Any:
        return self._program(AnswerComprehensively, settings, retriever, embedder)


class Detailed(Basic):
    """Says that people may disagree, and asks for every point of view in detail."""

    name: str = "detailed"

    def program(self, settings: AnswerSettings, retriever: Retriever, embedder: Embedder) -> Any:
        return self._program(AnswerInDetail, settings, retriever, embedder)


__all__ = ["Basic", "Comprehensive", "Detailed"]
