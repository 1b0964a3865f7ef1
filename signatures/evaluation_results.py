"""What an evaluation comes to: its table, its comparisons, its plan. Additions are free."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from signatures.types import EssayStance, Record, RunRecord, Usage

Direction = Literal["lower", "higher"]

Finding = Literal["better", "worse", "not distinguishable", "undefined"]
"""What a difference says of ``a``; ``undefined`` where nothing can be compared or resampled."""


class TableRow(Record):
    """One line of an evaluation's table: a metric of one cell.

    A cell is a method on a backend over a dataset, and where prompts are compared with a prompt.
    ``ci`` is the 95 % interval over the dataset's items, None where it is undefined, as for a
    metric of level ``corpus``, which has one figure for the cell. ``value`` is None where nothing
    was scored. ``tokens``, ``calls``, ``usd`` and ``seconds`` are means per text, as they were when
    the text was made; ``texts`` counts those; ``usd`` is None where a price is unknown.
    """

    method: str
    backend: str
    dataset: str
    prompt: str = ""
    metric: str
    direction: Direction
    level: Literal["item", "corpus"] = "item"
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
    """How far cell ``a`` lies above cell ``b`` in a metric, paired text by text.

    ``a`` and ``b`` are the methods; the cells differ in one thing only: the method, the backend
    (``b_backend``) or the prompt (``b_prompt``). ``n`` counts the pairs; ``p`` is two-sided, of no
    difference, ``p_holm`` the same corrected for all comparisons of the metric. ``mde`` is the
    least difference that would show in 8 of 10 such evaluations. ``finding`` goes by ``p_holm``.
    """

    a: str
    b: str
    backend: str
    b_backend: str = ""
    dataset: str = ""
    prompt: str = ""
    b_prompt: str = ""
    metric: str
    direction: Direction
    delta: float | None
    ci: tuple[float, float] | None
    p: float | None
    p_holm: float | None = None
    mde: float | None = None
    n: int
    finding: Finding = "undefined"


class MetricVariance(Record):
    """Where a judged metric's variance lies on one dataset (:mod:`evals.variance`).

    ``noise`` is the standard error that the judge alone puts on a system's mean.
    """

    metric: str
    dataset: str
    system: float
    item: float
    interaction: float
    judge: float
    systems: int
    items: int
    judgements: int
    noise: float


class DatasetUsed(Record):
    """A dataset as it was read: ``digest`` names its items by content."""

    name: str
    digest: str
    items: int


class Failure(Record):
    """A unit that has no result, and why."""

    unit: str
    reason: str


class EvaluationResult(Record):
    """What ``moot evaluation`` prints.

    ``dataset``, ``digest`` and ``items`` are of all ``datasets`` together; ``primary`` is the
    metric that decides and ``primary_direction`` the better way, ``reference`` the method the
    others are compared with. ``kind`` says what was written.
    """

    kind: Literal["essay", "answer"] = "essay"
    dataset: str
    digest: str
    items: int
    datasets: list[DatasetUsed] = Field(default_factory=list)
    replicates: int
    stance: EssayStance | None
    primary: str
    primary_direction: Direction | None = None
    reference: str
    table: list[TableRow]
    comparisons: list[Comparison]
    variances: list[MetricVariance] = Field(default_factory=list)
    failures: list[Failure]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


class PlannedCell(Record):
    """What one cell is expected to take, over all its units still to be done.

    ``calls``, ``tokens`` and ``usd`` are None where they cannot be told.
    """

    method: str
    backend: str
    dataset: str = ""
    prompt: str = ""
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


class CellGate(Record):
    """One cell of a gate: ``passed`` unless the whole interval lies on the worse side.

    ``delta`` is the run's mean less the baseline's over the items that both have, ``n`` pairs.
    """

    cell: str
    against: str
    metric: str
    direction: Direction
    delta: float | None
    ci: tuple[float, float] | None
    p: float | None
    mde: float | None
    n: int
    finding: Finding
    passed: bool


class GateResult(Record):
    """What ``moot gate`` and ``moot compare`` print."""

    run: str
    against: str
    cells: list[CellGate]
    passed: bool
    promoted: bool = False
    notes: list[str]


__all__ = [
    "CellGate",
    "Comparison",
    "DatasetUsed",
    "Direction",
    "EvaluationPlan",
    "EvaluationResult",
    "Failure",
    "Finding",
    "GateResult",
    "MetricVariance",
    "PlannedCell",
    "TableRow",
]
