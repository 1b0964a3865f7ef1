"""What ``moot retrieval`` prints. Figures are percent; an interval is None where undefined."""

from __future__ import annotations

from pydantic import Field

from signatures.types import Record, RunRecord, Usage

Ends = tuple[float, float]


class RecallRow(Record):
    """p-Recall@k by one retriever, operation and reading of the gold; task ``all``: the average."""

    retriever: str
    operation: str
    alpha: float = Field(description="the operation's strength")
    gold: str = Field(description="clean: each query's own; aliased: as the notebook shares it")
    task: str
    k: int
    p_recall: float
    ci: Ends | None = Field(description="bootstrap over root queries")
    every: float | None = Field(
        description="roots with several queries, all of which succeed; null for task all"
    )


class DifferenceRow(Record):
    """How much p-Recall@k is above the first retriever's with its first operation."""

    retriever: str
    operation: str
    gold: str
    task: str
    k: int
    delta: float
    ci: Ends | None = Field(description="bootstrap over root queries, paired")


class RootRow(Record):
    """Recall@k of root queries against all documents of their root."""

    retriever: str
    task: str
    k: int
    value: float
    ci: Ends | None
    queries: float = Field(description="Recall@k of queries with perspectives, clean gold")


class LabelRow(Record):
    """Recall@k of the queries of one kind of perspective; ``worst`` marks a task's least."""

    retriever: str
    operation: str
    gold: str
    task: str
    k: int
    label: str
    recall: float
    n_queries: int
    worst: bool


class StanceBias(Record):
    """One side's share among the relevant documents that root queries bring."""

    retriever: str
    task: str
    k: int
    label: str
    n_hits: int
    share: float | None
    expected: float | None = Field(description="if hits fell on relevant documents at random")
    normalized: float | None = Field(description="share / expected, scaled to sum to 100")


class PlaceBias(Record):
    """How a label of documents, such as a country, fares."""

    retriever: str
    task: str
    k: int
    label: str
    n_documents: int
    brought_by_roots: int = Field(description="times among the first k of root queries")
    n_queries: int = Field(description="queries that ask for it")
    recall: float | None = Field(description="of those queries")
    desired: float | None = Field(description="share of their first k that is from there")


class Bias(Record):
    """What is favoured when a query names no perspective."""

    stances: list[StanceBias]
    places: list[PlaceBias]


class ExtractionRow(Record):
    """How well perspectives were found in raw queries (S3, section 3.4); percent."""

    task: str
    n_queries: int
    n_failed: int = Field(description="queries no model took apart; they are in no mean")
    n_without: int = Field(description="queries in which no perspective was seen; they count 0")
    qa_f1: float | None = Field(description="F1 of words with the task's own perspective")
    qa_jaccard: float | None = Field(description="the same by S3's printed formula")


class TaskFigures(Record):
    """What was searched in a task."""

    task: str
    n_queries: int
    n_roots: int
    n_single_roots: int = Field(description="roots with one query: see notes")
    n_documents: int
    n_distinct_documents: int


class RetrievalResult(Record):
    """What ``moot retrieval`` prints."""

    dataset: str
    retriever: str = Field(description="several are joined by a comma")
    embedder: str | None = Field(description="null where no vectors are used")
    rows: list[RecallRow]
    differences: list[DifferenceRow]
    recall_root: list[RootRow]
    labels: list[LabelRow]
    bias: Bias
    tasks: list[TaskFigures]
    extraction: list[ExtractionRow] = Field(
        default_factory=list, description="where perspectives were found, not given"
    )
    n_queries: int
    n_documents: int
    notes: list[str] = Field(default_factory=list)
    files: list[str] = Field(default_factory=list, description="in the run's folder")
    seconds: float
    usage: Usage = Field(description="of this invocation")
    run: RunRecord


__all__ = [
    "Bias",
    "DifferenceRow",
    "ExtractionRow",
    "LabelRow",
    "PlaceBias",
    "RecallRow",
    "RetrievalResult",
    "RootRow",
    "StanceBias",
    "TaskFigures",
]
