"""What a roundtable can be told, section by section of the configuration."""

from __future__ import annotations

from pydantic import Field

from modules.essay import CitationSettings
from signatures.table import Mode
from signatures.types import Record


class TableSettings(Record):
    """How the debate is held. Limits count words; ``rounds=0`` only seats the personas."""

    mode: Mode = "continuous"
    rounds: int = Field(default=1, ge=0, le=20)
    personas: int = Field(default=5, ge=2, le=12)
    more: int = Field(default=0, ge=0, le=10)
    turn_words: int = Field(default=150, ge=30, le=1000)
    history_words: int = Field(default=1500, ge=50, le=100_000)
    moderator: bool = False
    closing: bool = True
    recommendation: bool = False


class SourceSettings(Record):
    """How many passages are fetched for the topic, each persona, each turn.

    The thresholds say when the corpus holds evidence on the topic: see
    :class:`modules.evidence.Background`.
    """

    background: int = Field(default=24, ge=1, le=200)
    persona: int = Field(default=8, ge=1, le=50)
    turn: int = Field(default=10, ge=1, le=50)
    min_similarity: float = Field(default=0.485, ge=-1, le=1)
    sure_similarity: float = Field(default=0.625, ge=-1, le=1)
    min_coverage: float = Field(default=0.5, ge=0, le=1)


class RoundtableSettings(Record):
    """All of it."""

    debate: TableSettings = TableSettings()
    recall: SourceSettings = SourceSettings()
    citations: CitationSettings = CitationSettings()


__all__ = ["RoundtableSettings", "SourceSettings", "TableSettings"]
