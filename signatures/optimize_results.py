"""What ``moot optimize`` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from signatures.types import Record, RunRecord, Usage


class HoldoutMetric(Record):
    """One metric on the held-out questions, before and after tuning, paired by question.

    ``delta`` is after - before over the ``n`` questions with both values, ``ci`` its 95 % interval
    over groups of questions, ``p`` two-sided. ``n_without`` counts those without both.
    """

    metric: str
    direction: Literal["lower", "higher"]
    before: float | None
    after: float | None
    delta: float | None
    ci: tuple[float, float] | None
    p: float | None
    n: int
    n_without: int


class Holdout(Record):
    """The questions no search has seen: means by metric, and the primary metric's difference."""

    before: dict[str, float | None]
    after: dict[str, float | None]
    delta: float | None
    ci: tuple[float, float] | None
    metrics: list[HoldoutMetric]


class SearchTrial(Record):
    """One set of prompts on the validation set; ``objective`` is in [0, 1], 0.5 as before tuning.

    ``changed`` names the predictors whose instruction differs, ``demos`` counts demonstrations.
    ``requests`` and ``usd`` are those of the search until the trial was complete.
    """

    number: int
    digest: str
    objective: float | None
    metrics: dict[str, float | None]
    n_scored: int
    n_failed: int
    n_abstained: int
    requests: int
    usd: float | None
    changed: list[str]
    demos: int
    front: bool


class NormUsed(Record):
    """A metric over the training and validation questions before tuning; ``sign`` is -1 where lower
    is better: what one unit of the objective's weighted sum means.
    """

    mean: float
    sd: float
    sign: int


class SplitSizes(Record):
    """Questions in each part."""

    train: int
    val: int
    holdout: int


class OptimizeResult(Record):
    """What ``moot optimize`` prints.

    ``baseline`` and ``best`` are means over the validation set by metric, ``objective`` among them;
    ``pareto`` are the trials that no other beats in one metric without losing in another.
    ``program`` is the file of the compiled program, ``champion`` its name in the registry where it
    was promoted. ``ended`` says why the search ended.
    """

    target: str
    method: str
    optimizer: str
    size: str
    dataset: str
    digest: str
    primary: str
    weights: dict[str, float]
    norms: dict[str, NormUsed]
    guards: dict[str, float]
    feedback: str
    split: SplitSizes
    baseline: dict[str, float | None]
    best: dict[str, float | None]
    holdout: Holdout
    pareto: list[SearchTrial]
    trials: list[SearchTrial]
    program: str
    program_digest: str
    signatures: str
    promoted: bool
    reason: str
    champion: str | None
    ended: str
    judge: dict[str, float | None] = Field(default_factory=dict)
    files: list[str] = Field(default_factory=list)
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


__all__ = [
    "Holdout",
    "HoldoutMetric",
    "NormUsed",
    "OptimizeResult",
    "SearchTrial",
    "SplitSizes",
]
