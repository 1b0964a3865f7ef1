"""One question's way into the dataset: queries, documents, points of view, explanations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modules.curation.documents import best_documents, measured
from modules.curation.settings import CurationSettings
from modules.evidence import Background, EvidenceStage, Retriever, relevant
from modules.lm.ask import Ask
from modules.retrieval.rerank import Reranker
from modules.vectors import Embedder
from signatures.curation import ExplainView, ExtractViews, FoundView, SourceDocument, WriteQueries
from signatures.curation_results import CuratedAnswer, CuratedDocument, CuratedQuestion
from signatures.errors import EvidenceError
from signatures.types import Passage

LEAST_WORDS = 0.3
"""The share of an explanation's words below which it is asked for again."""


class Curator(EvidenceStage):
    """Collects the partial answers of one question (S4, algorithm 1).

    A question without enough documents or points of view is dropped, which is a result and no
    failure; what was found is kept with the reason.

    Args:
        settings: How.
        retriever: Where documents are searched; a document is what the searches found of it.
        embedder: Measures passages and chunks against the question.
        gate: Whether there is evidence on a question at all.
        scorer: A cross-encoder that ranks documents; None ranks by cosine.
    """

    def __init__(
        self,
        settings: CurationSettings,
        retriever: Retriever,
        embedder: Embedder,
        *,
        gate: Background,
        scorer: Reranker | None = None,
    ) -> None:
        given = settings.model_dump(exclude={"duplicate"})
        super().__init__(retriever, **given, embedder=embedder.name, scorer=scorer and scorer.name)
        self.gate = gate
        self._asked = settings
        self._embedder = embedder
        self._scorer = scorer
        self.queries = Ask(WriteQueries)
        self.views = Ask(ExtractViews)
        self.explain = Ask(ExplainView)

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "gate": self.gate.identity()}

    def forward(self, *, id: str, question: str, topic: str = "") -> CuratedQuestion:
        """The question with its documents and partial answers, or the reason why it is dropped.

        Raises:
            ReplyError: A model's replies stayed unusable.
        """
        empty = CuratedQuestion(
            id=id, question=question, topic=topic, queries=[], documents=[], partial_answers=[]
        )
        try:
            first: list[Passage] = self.gate(subject=question)
        except EvidenceError as error:
            return empty.model_copy(update={"dropped": f"documents: {error.what}; got {error.got}"})
        queries = self._queries(question)
        documents = self._documents(question, queries, first)
        found = empty.model_copy(update={"queries": queries, "documents": documents})
        least = self._asked.least_documents
        if len(documents) < least:
            reason = f"documents: {len(documents)} found, {least} wanted"
            return found.model_copy(update={"dropped": reason})
        views = self._views(question, documents)
        if len(views) < self._asked.least_views:
            reason = f"views: {len(views)} points of view found, {self._asked.least_views} wanted"
            return found.model_copy(update={"dropped": reason})
        answers = [self._answer(question, view, documents) for view in views]
        return found.model_copy(update={"partial_answers": answers})

    def _queries(self, question: str) -> list[str]:
        """The question itself, and the queries written for it, each once."""
        reply = self.queries(
            question=question,
            count=self._asked.queries,
            check=lambda r: None if any(q.strip() for q in r.queries) else "no query",
        )
        asked = [" ".join(query.split()) for query in reply.queries][: self._asked.queries]
        return list(dict.fromkeys(q for q in [question, *asked] if q))

    def _documents(
        self, question: str, queries: Sequence[str], first: Sequence[Passage]
    ) -> list[CuratedDocument]:
        found = self.retriever.search(queries, self._asked.passages)
        passages = [*first, *(p for each in found for p in relevant(each))]
        groups = best_documents(
            question,
            passages,
            self._embedder,
            most=self._asked.documents,
            scorer=self._scorer,
        )
        return measured(
            question,
            groups,
            self._embedder,
            tokens=self._asked.budget_tokens,
            words=self._asked.chunk_words,
        )

    def _views(self, question: str, documents: Sequence[CuratedDocument]) -> list[FoundView]:
        reply = self.views(
            question=question,
            documents=shown(documents),
            check=lambda r: _unusable(r.points, len(documents)),
        )
        return list(reply.points)

    def _answer(
        self, question: str, view: FoundView, documents: Sequence[CuratedDocument]
    ) -> CuratedAnswer:
        numbers = list(dict.fromkeys(view.documents))
        words = self._asked.explanation_words
        least = round(LEAST_WORDS * words)
        reply = self.explain(
            question=question,
            point_of_view=view.point_of_view,
            documents=[d for d in shown(documents) if d.number in numbers],
            words=words,
            check=lambda r: _short(r.view_explanation, least),
        )
        return CuratedAnswer(
            point_of_view=" ".join(view.point_of_view.split()),
            explanation=" ".join(reply.view_explanation.split()),
            documents=numbers,
        )


def shown(documents: Sequence[CuratedDocument]) -> list[SourceDocument]:
    """The documents as the prompts show them."""
    return [SourceDocument(number=d.number, title=d.title, text=d.text) for d in documents]


def _unusable(points: Sequence[FoundView], n_documents: int) -> str | None:
    for point in points:
        if not point.documents:
            return "a point of view without a document"
        if wrong := [n for n in point.documents if not 1 <= n <= n_documents]:
            return f"documents {wrong}, there are {n_documents}"
    said = [" ".join(p.point_of_view.split()).casefold() for p in points]
    return "two points of view are the same" if len(set(said)) < len(said) else None


def _short(text: str, least: int) -> str | None:
    count = len(text.split())
    return None if count >= least else f"{count} words, at least {least} wanted"


__all__ = ["Curator", "shown"]
