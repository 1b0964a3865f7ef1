"""The JSON documents the command line prints. Additions are free, renames are breaking."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from signatures.moderation_results import AnnotateResult, DiscussResult
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
    Persona,
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


class TableRow(Record):
    """One line of an evaluation's table: a metric of one method on one backend.

    ``ci`` is the 95 % interval over propositions, None where it is undefined. ``value`` is None
    where nothing was scored. ``tokens``, ``calls``, ``usd`` and ``seconds`` are means per text, as
    they were when the text was made; ``texts`` counts those; ``usd`` is None where a price is
    unknown.
    """

    method: str
    backend: str
    dataset: str
    metric: str
    direction: Literal["lower", "higher"]
    value: float | None
    ci: tuple[float, float] | None
    n_scored: int
    n_failed: int
    n_abstained: int
    texts: int
    tokens: float | None
    calls: float | None
    usd: float | None
    seconds: float | None


class Comparison(Record):
    """How far method ``a`` lies above method ``b`` in a metric, paired text by text.

    ``n`` counts the pairs; ``p`` is two-sided, of no difference.
    """

    a: str
    b: str
    backend: str
    metric: str
    direction: Literal["lower", "higher"]
    delta: float | None
    ci: tuple[float, float] | None
    p: float | None
    n: int


class Failure(Record):
    """A unit that has no result, and why."""

    unit: str
    reason: str


class EvaluationResult(Record):
    """What ``moot evaluation`` prints.

    ``digest`` names the dataset's items by content; ``primary`` is the metric that decides,
    ``reference`` the method the others are compared with.
    """

    dataset: str
    digest: str
    items: int
    replicates: int
    stance: EssayStance
    primary: str
    reference: str
    table: list[TableRow]
    comparisons: list[Comparison]
    failures: list[Failure]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


class PlannedCell(Record):
    """What one method on one backend is expected to take, over all its units still to be done.

    ``calls``, ``tokens`` and ``usd`` are None where they cannot be told.
    """

    method: str
    backend: str
    units: int
    units_there: int
    calls: int | None
    tokens: int | None
    usd: float | None


class EvaluationPlan(Record):
    """What ``moot evaluation dry_run=true`` prints: nothing was called."""

    dataset: str
    items: int
    replicates: int
    units: int
    units_there: int
    calls: int | None
    tokens: int | None
    usd: float | None
    cells: list[PlannedCell]
    notes: list[str]


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
    "debate": DebateResult,
    "discuss": DiscussResult,
    "essay": EssayResult,
    "evaluation": EvaluationResult,
    "evaluation_plan": EvaluationPlan,
    "ingest": IngestResult,
    "score": ScoreResult,
}
"""Flow -> the document it prints."""

__all__ = [
    "RESULTS",
    "Comparison",
    "DebateResult",
    "Duplicate",
    "EssayResult",
    "EvaluationPlan",
    "EvaluationResult",
    "Failure",
    "IngestResult",
    "PlannedCell",
    "Refused",
    "ScoreResult",
    "ScoredItem",
    "TableRow",
    "Taken",
]
