"""What came of an optimization, as its document."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from evals.optimizing.labels import JudgeTarget, weighted_kappa
from evals.optimizing.objective import Scored
from evals.optimizing.trials import Trial
from flows.config import config_hash
from flows.optimize_run import Optimization
from signatures.optimize_results import (
    Holdout,
    NormUsed,
    OptimizeResult,
    SearchTrial,
    SplitSizes,
)
from signatures.types import RunRecord, Usage

PROGRAM_FILE = "program.json"

FEW = 6
"""Subjects held out below which an interval is said to be unsure."""


def result_of(work: Optimization, config: dict[str, Any]) -> OptimizeResult:
    """The document; ``champion`` and ``files`` are added when they are there."""
    settings, found = work.settings, work.verdict
    primary = next(m for m in found.metrics if m.metric == settings.objective.primary)
    front = {trial.number for trial in work.trials.front()}
    rows = [_row(trial, front) for trial in work.trials.done]
    return OptimizeResult(
        target=work.target.name,
        method=work.target.method,
        optimizer=settings.optimizer.name,
        size=settings.optimizer.size,
        dataset=settings.dataset.name,
        digest=work.digest,
        primary=settings.objective.primary,
        weights=settings.objective.weighed(),
        norms={name: NormUsed(**norm.model_dump()) for name, norm in work.norms().items()},
        guards=dict(settings.objective.guards),
        feedback=settings.objective.feedback,
        split=SplitSizes(
            train=len(work.parts.train), val=len(work.parts.val), holdout=len(work.parts.holdout)
        ),
        baseline=_means(work.trials.done[0]),
        best=_means(work.best),
        holdout=Holdout(
            before=_by_metric(work.before),
            after=_by_metric(work.after),
            delta=primary.delta,
            ci=primary.ci,
            metrics=found.metrics,
        ),
        pareto=[row for row in rows if row.front],
        trials=rows,
        program=str(work.run.folder / PROGRAM_FILE),
        program_digest=work.compiled.digest(),
        signatures=work.compiled.hash,
        promoted=found.promoted,
        reason=found.reason,
        champion=None,
        ended=work.ended,
        judge=_judge(work),
        notes=[*work.notes, *_notes(work)],
        seconds=work.run.seconds,
        usage=_usage(work),
        run=RunRecord(
            id=work.run.id,
            config_hash=config_hash(config),
            models=work.roles.models(),
            programs=work.programs.used(),
            corpus_version=work.corpus_version,
            dir=str(work.run.folder),
            usage_total=work.ledger.usage(),
        ),
    )


def _judge(work: Optimization) -> dict[str, float | None]:
    """A judge and its metric on the held-out texts: kappa with the labels, and the mean that the
    metric comes to, before and after; the same of the metric without a judge, and of the labels.
    """
    if work.target.name != "judge":
        return {}
    found: dict[str, float | None] = {}
    for what in ("before", "after"):
        rated = [row for row in work.rows[what].values() if row["rating"] is not None]
        _agreed(found, what, [(row["rating"], row["label"]) for row in rated])
    rows = work.rows["before"]
    if isinstance(work.target, JudgeTarget):
        free = {i: work.target.without_judge(work.items[i]) for i in sorted(rows)}
        pairs = [(value, rows[i]["label"]) for i, value in free.items() if value is not None]
        if pairs:
            _agreed(found, "without_judge", pairs)
    found["mean_labels"] = _mean_of([row["label"] for row in rows.values()])
    return found


def _agreed(
    found: dict[str, float | None], what: str, pairs: Sequence[tuple[float, float]]
) -> None:
    ratings, labels = [rating for rating, _ in pairs], [label for _, label in pairs]
    found[f"kappa_{what}"] = weighted_kappa(ratings, labels)
    found[f"mean_{what}"] = _mean_of(ratings)


def _mean_of(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _usage(work: Optimization) -> Usage:
    spent = work.ledger.usage(invocation=work.ledger.invocation)
    return spent.model_copy(update={"units_reused": work.reused})


def _row(trial: Trial, front: set[int]) -> SearchTrial:
    values = trial.model_dump(exclude={"parts"})
    return SearchTrial(**values, front=trial.number in front)


def _means(trial: Trial) -> dict[str, float | None]:
    return {"objective": trial.objective, **trial.metrics}


def _by_metric(scored: Mapping[str, Scored]) -> dict[str, float | None]:
    """The mean of each metric over the texts that have one."""
    names = sorted({name for one in scored.values() for name in one.values})
    found = {
        name: [v for one in scored.values() if (v := one.values.get(name)) is not None]
        for name in names
    }
    return {name: _mean_of(values) for name, values in found.items()}


def _notes(work: Optimization) -> list[str]:
    notes = []
    groups = len({work.parts.groups[item] for item in work.parts.holdout})
    if groups < FEW:
        notes.append(f"the held-out interval rests on {groups} subjects; more would make it surer")
    if work.target.name != "judge" and work.roles.backends["writer"].deterministic:
        notes.append(
            "written by the extractive baseline, which reads neither instructions nor "
            "demonstrations: on it no prompt is better than another"
        )
    if work.settings.replicates > 1:
        notes.append(
            f"each question was written {work.settings.replicates} times: metrics that compare "
            "texts read all of them, others the mean"
        )
    if work.settings.objective.search == "pareto" and work.settings.optimizer.name != "gepa":
        notes.append(f"{work.settings.optimizer.name} searches by one sum; only gepa by a front")
    return notes


__all__ = ["PROGRAM_FILE", "result_of"]
