"""The JSON documents the command line prints. Additions are free, renames are breaking."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from signatures.types import (
    Citation,
    CitationFigures,
    EssayStance,
    Persona,
    Plan,
    Record,
    RunRecord,
    Turn,
    Usage,
)


class Taken(Record):
    """A document that is in the index, with its number of chunks."""

    source: str
    title: str
    chunks: Annotated[int, Field(ge=0)]


class Refused(Record):
    """A document that is not, and why."""

    source: str
    reason: str


class Duplicate(Record):
    """A document whose text is already there under another source."""

    source: str
    same_as: str


class IngestResult(Record):
    """What ``moot ingest`` prints. ``chunks`` counts the whole index after the run."""

    taken: list[Taken]
    refused: list[Refused]
    duplicates: list[Duplicate]
    chunks: int
    corpus_version: str
    seconds: float


class EssayResult(Record):
    """What ``moot essay`` prints.

    ``usage`` is what this invocation spent; ``run.usage_total`` what all units cost when made.
    ``metrics`` maps a configured metric's name to its value, None where nothing was scored.
    """

    proposition: str
    stance: EssayStance
    method: str
    personas: list[Persona]
    debate: list[Turn]
    debate_ended: str
    plan: Plan
    essay: str
    citations: list[Citation]
    citation_figures: CitationFigures
    uncited: list[str]
    metrics: dict[str, float | None]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


RESULTS: dict[str, type[Record]] = {"essay": EssayResult, "ingest": IngestResult}
"""Flow -> the document it prints."""

__all__ = ["RESULTS", "Duplicate", "EssayResult", "IngestResult", "Refused", "Taken"]
