"""What curating a dataset of questions makes, and the JSON documents that say so."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from signatures.types import Record, RunRecord, Text, Usage


class CuratedDocument(Record):
    """A document that stands behind a question's partial answers.

    ``text`` is what was found of it, cleaned, after truncation; ``cut`` says whether any was cut.
    ``cosines`` are those between the question and the document's chunks, in their order.
    """

    number: Annotated[int, Field(ge=1)]
    source: Text
    title: str
    text: str
    cut: bool
    cosines: list[float]


class CuratedAnswer(Record):
    """A partial answer with the numbers of the documents it comes from."""

    point_of_view: Text
    explanation: Text
    documents: list[int]


class CuratedQuestion(Record):
    """What became of a question; ``dropped`` says why it is not in the dataset, if it is not."""

    id: Text
    question: Text
    topic: str = ""
    queries: list[str]
    documents: list[CuratedDocument]
    partial_answers: list[CuratedAnswer]
    dropped: str | None = None


class LeftOut(Record):
    """A question that is not in the dataset, and why."""

    id: str
    question: str
    kind: Literal["duplicate", "documents", "views", "failed"]
    reason: str


class CurationFigures(Record):
    """How good the evidence is, and how questions are spread (S4, Figures 11-14).

    ``cosine`` is the mean over questions of the mean cosine between a question and the chunks of
    its documents. The distributions map a value to the number of kept questions that have it.
    """

    cosine: float | None
    documents: dict[str, int]
    views: dict[str, int]
    topics: dict[str, int]


class CurateResult(Record):
    """What ``moot curate`` prints."""

    file: str
    questions: int
    kept: int
    partial_answers: int
    left_out: list[LeftOut]
    figures: CurationFigures
    dataset: str
    sheets: list[str]
    files: list[str]
    incomplete: str | None
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


class Agreement(Record):
    """How far the annotators agreed in one of their tasks; ``kappa`` is Fleiss', None if
    undefined.
    """

    task: str
    kappa: float | None
    items: int
    accepted: float | None


class VerifyResult(Record):
    """What ``moot verify`` prints: agreement, and what is left of the dataset.

    ``removed`` are partial answers that two annotators or more rejected in the same task.
    """

    annotators: list[str]
    agreement: list[Agreement]
    partial_answers: int
    removed: list[str]
    unrated: list[str]
    questions: int
    without_answers: list[str]
    dataset: str


__all__ = [
    "Agreement",
    "CurateResult",
    "CuratedAnswer",
    "CuratedDocument",
    "CuratedQuestion",
    "CurationFigures",
    "LeftOut",
    "VerifyResult",
]
