"""The evaluation flow: methods on backends over a dataset, several texts each, one table."""

from __future__ import annotations

from collections import Counter
from typing import Any

from prefect import flow

from evals.datasets import digest
from evals.judged import same_model
from evals.table import comparisons, table
from flows.cells import Cells
from flows.config import EvaluationConfig, config_hash, typed
from flows.evaluation_files import write_files, write_so_far
from flows.rehearsal import plan
from flows.run import Run
from flows.runtime import lm_cache, new_run
from flows.tracking import Tracker
from flows.units import UnitPool
from signatures.errors import ConfigError
from signatures.results import EvaluationResult, Failure
from signatures.types import RunRecord


@flow(name="evaluation", flow_run_name="{run_dir}", validate_parameters=False)
def evaluation(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Compare methods on backends.

    Args:
        config: A resolved evaluation configuration as plain data (what ``--cfg job`` shows).
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The evaluation's JSON document (:class:`signatures.results.EvaluationResult`), or with
        ``dry_run`` its plan (:class:`signatures.results.EvaluationPlan`).

    Raises:
        ConfigError: A judge would judge texts of its own.
        TooManyFailures: More than ``max_failed`` of the units failed.
        BudgetReached: A cap was met. All that is finished is kept, here as there.
    """
    settings = typed(EvaluationConfig, config)
    _judge_chosen(settings)
    lm_cache(settings.paths)
    if settings.dry_run:
        return plan(settings).model_dump(mode="json")
    run = new_run("evaluation", settings, config, run_dir, settings.budget)
    tracker = Tracker(run, settings, config)
    tracker.start()
    try:
        result = _evaluated(settings, config, run)
        files = write_files(run, result)
        tracker.children(_children(result))
        tracker.finish(_metrics(result), files)
    except BaseException as error:
        tracker.fail(error)
        raise
    finally:
        run.close()
    return result.model_dump(mode="json")


def _evaluated(settings: EvaluationConfig, config: dict[str, Any], run: Run) -> EvaluationResult:
    import dspy

    cells = Cells(settings, run.ledger)
    pool = UnitPool(run, settings.runner, expected=cells.expected, max_failed=settings.max_failed)
    try:
        # DSPy would keep the last ten thousand prompts and replies of every module.
        with dspy.context(disable_history=True):
            pool.run(cells.texts(), cells.take)
    finally:
        pool.close()
    result = _result(settings, config, run, cells, pool)
    write_so_far(run, result, cells.outputs())
    if pool.stopped is not None:
        raise pool.stopped
    return result


def _result(
    settings: EvaluationConfig, config: dict[str, Any], run: Run, cells: Cells, pool: UnitPool
) -> EvaluationResult:
    name, values = settings.dataset.name, cells.values()
    models = {column: backend.identity() for column, backend in cells.columns.items()}
    models |= {f"roles.{role}": backend.identity() for role, backend in settings.roles.items()}
    return EvaluationResult(
        dataset=name,
        digest=digest(cells.items),
        items=len(cells.items),
        replicates=settings.replicates,
        stance=settings.stance,
        primary=settings.primary,
        reference=settings.reference,
        table=table(cells.places, settings.metrics, values, cells.costs(), dataset=name),
        comparisons=comparisons(
            cells.places, settings.metrics, values, reference=settings.reference
        ),
        failures=[Failure(unit=u, reason=why) for u, why in sorted(cells.found.failures)],
        notes=_notes(settings, cells),
        seconds=run.seconds,
        usage=pool.usage(),
        run=RunRecord(
            id=run.id,
            config_hash=config_hash(config),
            models=models,
            corpus_version=cells.corpus_version,
            dir=str(run.folder),
            usage_total=pool.total,
        ),
    )


def _notes(settings: EvaluationConfig, cells: Cells) -> list[str]:
    notes = []
    for name, backend in cells.columns.items():
        if settings.roles.get("writer", backend).deterministic:
            notes.append(
                f"{name}: written by the extractive baseline, which selects and joins sentences of "
                "the evidence and never judges; these figures say nothing about a language model"
            )
    if settings.evidence == "none":
        notes.append("written without evidence: nothing in the texts is cited")
    elif settings.recall.shared:
        notes.append("all methods were given the same passages of a proposition")
    if settings.match_budget:
        notes.append(
            f"the others were given best-of-n up to the tokens of {settings.reference}'s text"
        )
    notes += _self_judged(settings)
    reasons = Counter(why for _, why in cells.found.failures)
    notes += [f"{count} units failed: {why}" for why, count in reasons.most_common(5)]
    return notes


def _self_judged(settings: EvaluationConfig) -> list[str]:
    """A line for each column whose writer is its own judge."""
    judged = [name for name, metric in settings.metrics.items() if metric.judges]
    if settings.match_budget:
        judged.append("match_budget")
    found = []
    for name, backend in settings.columns().items():
        judge = settings.roles.get("judge", backend)
        writer = settings.roles.get("writer", backend)
        if not judge.deterministic and same_model(writer.identity(), judge.identity()):
            found.append(f"{name}: the judge of {', '.join(judged)} is the writer's own model")
    return found if judged else []


def _judge_chosen(settings: EvaluationConfig) -> None:
    """Refuse, before anything is spent, a judge that would judge itself."""
    found = _self_judged(settings)
    if found and settings.self_judging == "refuse":
        raise ConfigError(
            found[0],
            expected="another model",
            remedy="set backend@roles.judge, or allow it with self_judging=warn",
        )


def _children(result: EvaluationResult) -> dict[str, dict[str, float | None]]:
    """The metrics of each cell, for its own run in the experiment record."""
    children: dict[str, dict[str, float | None]] = {}
    for row in result.table:
        own = children.setdefault(f"{row.backend}/{row.method}", {})
        own |= {
            row.metric: row.value,
            f"{row.metric}.low": row.ci[0] if row.ci else None,
            f"{row.metric}.high": row.ci[1] if row.ci else None,
            f"{row.metric}.n_scored": float(row.n_scored),
            f"{row.metric}.n_failed": float(row.n_failed),
            f"{row.metric}.n_abstained": float(row.n_abstained),
            "tokens": row.tokens,
            "calls": row.calls,
            "usd": row.usd,
            "seconds": row.seconds,
        }
    return children


def _metrics(result: EvaluationResult) -> dict[str, float | None]:
    usage = {f"usage.{k}": v for k, v in result.usage.model_dump().items()}
    return {**usage, "failures": float(len(result.failures)), "seconds": result.seconds}


__all__ = ["evaluation"]
