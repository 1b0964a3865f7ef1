"""What ``moot meta`` prints: how far measures of answers can be trusted."""

from __future__ import annotations

from typing import Literal

from signatures.types import Record, RunRecord, Usage

Kind = Literal["diversity", "awareness", "other"]


class Measure(Record):
    """One metric under one evaluator and restatement, or scores that the rows brought along.

    ``kind`` says which of S4's two qualities it measures, as far as it measures one of them;
    ``main`` is false of the further restatements, which are there for the study of stability.
    """

    name: str
    metric: str
    evaluator: str | None
    restatement: int | None
    direction: Literal["lower", "higher"]
    kind: Kind
    main: bool
    n_scored: int
    n_failed: int
    n_abstained: int


class ModelRow(Record):
    """A model in the layout of S4's Table 4.

    ``values`` and ``ranks`` (1 is best, ties share the mean) are by measure, over the questions on
    which every model has a value. ``normalized_rank`` is the mean of (rank - 1) / (models - 1) over
    the main measures of P.D. and D.A.: 0 for a model always best, 1 for one always worst.
    """

    model: str
    answers: int
    length: float | None
    values: dict[str, float | None]
    ranks: dict[str, float | None]
    normalized_rank: float | None


class Human(Record):
    """Preferences of people: Elo ratings by annotator and model, and how well annotators agree.

    ``agreement`` is the mean Spearman correlation between annotators' ratings, None for one alone.
    """

    preferences: int
    ratings: dict[str, dict[str, float]]
    agreement: float | None


class Alignment(Record):
    """A measure against people: correlations of its ranking of models with each annotator's Elo
    ranking, averaged over annotators (S4 Table 2); None where a ranking is constant.
    """

    measure: str
    models: int
    spearman: float | None
    kendall: float | None


class Verdicts(Record):
    """A binary measure against people's labels (S4 Table 3); None where a figure is undefined."""

    measure: str
    n: int
    accuracy: float | None
    f1: float | None
    auroc: float | None
    mcc: float | None


class Stability(Record):
    """Two variants of one metric: Kendall between their rankings of models (S4 Figures 3 and 4).

    ``agreement`` is the share of answers on which two binary measures decide alike (Figure 5).
    """

    metric: str
    over: Literal["evaluator", "restatement", "measure"]
    first: str
    second: str
    kendall: float | None
    agreement: float | None


class Weighted(Record):
    """Ranks of models by ``(1 - k) Z(awareness) - k Z(diversity)`` (S4 Figure 7)."""

    k: float
    ranks: dict[str, float]


class SweepPoint(Record):
    """A model's means at one setting; ``at`` is the setting, or the mean length where that is swept
    (S4 Figures 8 to 10).
    """

    setting: str
    model: str
    at: float
    answers: int
    values: dict[str, float | None]


class MetaResult(Record):
    """What ``moot meta`` prints. ``failures`` names rows that could not be used or scored."""

    file: str
    questions: int
    answers: int
    measures: list[Measure]
    table: list[ModelRow]
    human: Human | None
    alignment: list[Alignment]
    labels: list[Verdicts]
    stability: list[Stability]
    weighted: list[Weighted]
    sweeps: list[SweepPoint]
    failures: list[str]
    incomplete: str | None
    notes: list[str]
    files: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


__all__ = [
    "Alignment",
    "Human",
    "Kind",
    "Measure",
    "MetaResult",
    "ModelRow",
    "Stability",
    "SweepPoint",
    "Verdicts",
    "Weighted",
]
