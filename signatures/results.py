"""The JSON documents the command line prints. Additions are free, renames are breaking."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from signatures.curation_results import CurateResult, VerifyResult
from signatures.evaluation_results import (
    Comparison,
    EvaluationPlan,
    EvaluationResult,
    Failure,
    GateResult,
    PlannedCell,
    TableRow,
)
from signatures.meta_results import MetaResult
from signatures.moderation_results import AnnotateResult, DiscussResult
from signatures.optimize_results import OptimizeResult
from signatures.retrieval_results import RetrievalResult
from signatures.table import (
    Balance,
    Closing,
    Mode,
    Recommendation,
    RoundNote,
    TableTurn,
    Vote,
)
from signatures.types import (
    ArgumentGraph,
    Citation,
    CitationFigures,
    DebateFigures,
    Discourse,
    EssayStance,
    Passage,
    Persona,
    Perspective,
    Plan,
    Record,
    RunRecord,
    Sample,
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
    ``argument`` holds the components of a method that decomposes it (``americano``), ``samples``
    those that the essay was chosen among (empty unless several were wanted).
    """

    proposition: str
    stance: EssayStance
    method: str
    personas: list[Persona]
    debate: list[Turn]
    debate_ended: str
    debate_figures: DebateFigures = DebateFigures()
    argument_graph: ArgumentGraph = ArgumentGraph()
    argument: Discourse | None = None
    plan: Plan
    essay: str
    citations: list[Citation]
    citation_figures: CitationFigures
    uncited: list[str]
    samples: list[Sample] = Field(default_factory=list)
    metrics: dict[str, float | None]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


class AnswerResult(Record):
    """What ``moot answer`` prints.

    ``perspectives`` are the points of view of a method that works them out; their markers number
    passages as the answer's do, and go on from there. ``disputed`` is what the method took the
    question for, ``dispute_acknowledged`` whether the answer says that people disagree (S4's D.A.,
    by the built-in detector); either is None where it was not asked or cannot be told.
    ``passages`` are all that the writer was given.
    """

    question: str
    method: str
    retrieval: str
    answer: str
    perspectives: list[Perspective]
    disputed: bool | None
    dispute_acknowledged: bool | None
    personas: list[Persona]
    passages: list[Passage]
    citations: list[Citation]
    citation_figures: CitationFigures
    uncited: list[str]
    metrics: dict[str, float | None]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


class ScoredItem(Record):
    """What a metric says of one row; ``value`` is None unless it was scored.

    ``failed`` rows could not be scored (a bad row, or an LM that failed on it), ``abstained`` ones
    have no value although they are sound; the explanation says why.
    """

    id: str
    status: Literal["scored", "abstained", "failed"]
    value: float | None
    explanation: str


class ScoreResult(Record):
    """What ``moot score`` prints.

    ``value`` is the mean over scored items, or, for a metric of level ``corpus``, its figure over
    all rows that did not fail; ``ci`` is the interval around a mean, clustered by what the rows
    are about, and None where that is undefined. ``options`` are the metric's settings, and
    ``range`` has None where it is unbounded; ``incomplete`` says that more rows failed than
    allowed, where they did.
    """

    file: str
    metric: str
    options: dict[str, Any]
    range: tuple[float | None, float | None]
    direction: Literal["lower", "higher"]
    level: Literal["item", "corpus"]
    value: float | None
    ci: tuple[float, float] | None
    n_scored: int
    n_failed: int
    n_abstained: int
    items: list[ScoredItem]
    incomplete: str | None
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


class DebateResult(Record):
    """What ``moot debate`` prints.

    ``personas`` are all who spoke; ``selected`` marks those who sat in the last round. ``votes``
    maps turn ids to a reader's agreement. ``recommendation`` is a model's opinion, there only on
    request; ``closing`` takes no side.
    """

    topic: str
    mode: Mode
    word_limit: int
    personas: list[Persona]
    rounds: list[list[TableTurn]]
    moderation: list[RoundNote]
    closing: Closing | None
    recommendation: Recommendation | None
    votes: dict[str, Vote]
    balance: Balance
    graph: ArgumentGraph
    citation_figures: CitationFigures
    metrics: dict[str, float | None]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


RESULTS: dict[str, type[Record]] = {
    "annotate": AnnotateResult,
    "answer": AnswerResult,
    "curate": CurateResult,
    "debate": DebateResult,
    "discuss": DiscussResult,
    "essay": EssayResult,
    "evaluation": EvaluationResult,
    "evaluation_plan": EvaluationPlan,
    "gate": GateResult,
    "ingest": IngestResult,
    "optimize": OptimizeResult,
    "meta": MetaResult,
    "retrieval": RetrievalResult,
    "score": ScoreResult,
    "verify": VerifyResult,
}
"""Flow -> the document it prints."""

__all__ = [
    "RESULTS",
    "AnswerResult",
    "Comparison",
    "CurateResult",
    "DebateResult",
    "Duplicate",
    "EssayResult",
    "EvaluationPlan",
    "EvaluationResult",
    "Failure",
    "GateResult",
    "IngestResult",
    "PlannedCell",
    "Refused",
    "ScoreResult",
    "ScoredItem",
    "TableRow",
    "Taken",
    "VerifyResult",
]
