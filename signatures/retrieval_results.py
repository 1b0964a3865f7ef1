"""What ``moot retrieval`` prints. Figures are percent; an interval is None where undefined."""

from __future__ import annotations

from pydantic import Field

from signatures.types import Record, RunRecord

Ends = tuple[float, float]


class RecallRow(Record):
    """p-Recall@k of one operation by one reading of the gold; task ``all`` is the macro average."""

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


class RootRow(Record):
    """Recall@k of root queries against all documents of their root."""

    task: str
    k: int
    value: float
    ci: Ends | None
    queries: float = Field(description="Recall@k of queries with perspectives, clean gold")


class LabelRow(Record):
    """Recall@k of the queries of one kind of perspective; ``worst`` marks a task's least."""

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

    task: str
    k: int
    label: str
    n_hits: int
    share: float | None
    expected: float | None = Field(description="if hits fell on relevant documents at random")
    normalized: float | None = Field(description="share / expected, scaled to sum to 100")


class PlaceBias(Record):
    """How a label of documents, such as a country, fares."""

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
    retriever: str
    embedder: str | None = Field(description="null where no vectors are used")
    rows: list[RecallRow]
    recall_root: list[RootRow]
    labels: list[LabelRow]
    bias: Bias
    tasks: list[TaskFigures]
    n_queries: int
    n_documents: int
    notes: list[str] = Field(default_factory=list)
    files: list[str] = Field(default_factory=list, description="in the run's folder")
    seconds: float
    run: RunRecord


__all__ = [
    "Bias",
    "LabelRow",
    "PlaceBias",
    "RecallRow",
    "RetrievalResult",
    "RootRow",
    "StanceBias",
    "TaskFigures",
]
