"""What every answer method can be told, section by section of the configuration."""

from __future__ import annotations

from pydantic import Field

from modules.essay.settings import CitationSettings, PoolSettings
from signatures.types import Record


class AnswerRecall(Record):
    """How much evidence an answer gets.

    ``chunks``: the best passages for the question (S4's vanilla retrieval: 10). ``found`` and
    ``steps``: the most passages that ReAct may choose (S4: 9) in how many steps. ``persona``:
    further passages for each persona's claim; with ``shared`` there are none, and personas choose
    among those found for the question, so that compared methods have the same evidence.

    ``min_similarity``, ``sure_similarity`` and ``min_coverage`` say when there is evidence on the
    question at all: see :class:`modules.evidence.Background`.
    """

    chunks: int = Field(default=10, ge=1, le=200)
    found: int = Field(default=9, ge=1, le=50)
    steps: int = Field(default=5, ge=1, le=20)
    persona: int = Field(default=4, ge=1, le=50)
    shared: bool = False
    min_similarity: float = Field(default=0.485, ge=-1, le=1)
    sure_similarity: float = Field(default=0.625, ge=-1, le=1)
    min_coverage: float = Field(default=0.5, ge=0, le=1)


class AnswerSettings(Record):
    """What every answer method can be told; each part is a section of the configuration."""

    recall: AnswerRecall = AnswerRecall()
    personas: PoolSettings = PoolSettings(minimum=4, maximum=6, team_size=1)
    citations: CitationSettings = CitationSettings()


__all__ = ["AnswerRecall", "AnswerSettings"]
