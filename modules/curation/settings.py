"""What curation can be told."""

from __future__ import annotations

from pydantic import Field, model_validator

from signatures.types import Record


class CurationSettings(Record):
    """How a question's documents and partial answers are had.

    Attributes:
        queries: Search queries per question.
        passages: Passages that each query finds.
        documents: The most documents kept, the best after re-ranking (S4: 5).
        least_documents: With fewer, the question is dropped (S4: 3).
        least_views: With fewer points of view, the question is dropped (S4: 3).
        budget_tokens: What all documents together may have; longer ones are cut, the longest
            first (S4: 120,000).
        explanation_words: Around how long an explanation is to be.
        chunk_words: Words of the chunks whose cosine to the question is measured (S4: 1000
            tokens; the default embedder reads 256).
        duplicate: The cosine from which two questions count as one.
    """

    queries: int = Field(default=4, ge=1, le=20)
    passages: int = Field(default=15, ge=1, le=200)
    documents: int = Field(default=5, ge=1, le=50)
    least_documents: int = Field(default=3, ge=1, le=50)
    least_views: int = Field(default=3, ge=1, le=20)
    budget_tokens: int = Field(default=24_000, ge=200, le=1_000_000)
    explanation_words: int = Field(default=100, ge=20, le=1000)
    chunk_words: int = Field(default=180, ge=20, le=5000)
    duplicate: float = Field(default=0.85, gt=0, le=1)

    @model_validator(mode="after")
    def _possible(self) -> CurationSettings:
        if self.least_documents > self.documents:
            raise ValueError("least_documents must not exceed documents")
        return self


__all__ = ["CurationSettings"]
