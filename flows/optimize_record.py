"""An optimization in the experiment record: metrics of the run, and a child for each trial."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evals.optimizing.compiled import PredictorState
from evals.optimizing.diff import instructions_diff
from evals.optimizing.trials import Trial
from flows.optimize_run import Optimization
from flows.tracking import Tracker, log_metrics
from signatures.optimize_results import OptimizeResult


def record(tracker: Tracker, work: Optimization, result: OptimizeResult, files: list[Path]) -> None:
    """Write an optimization to the record and end it."""
    tracker.log(lambda client, run_id: _children(client, run_id, work))
    tracker.log(lambda client, run_id: _curve(client, run_id, work.trials.done))
    tracker.finish(_metrics(result), files)


def _children(client: Any, run_id: str, work: Optimization) -> None:
    """A run for each trial: its scores and cost, what it changed, its demonstrations."""
    experiment = client.get_run(run_id).info.experiment_id
    known = dict(work.run.state().get("mlflow_children", {}))
    for trial in work.trials.done:
        name = f"trial {trial.number:03d}"
        if name not in known:
            tags = {"flow": "optimize", "mlflow.parentRunId": run_id, "digest": trial.digest}
            known[name] = client.create_run(experiment, run_name=name, tags=tags).info.run_id
            state = work.trials.state(trial.digest)
            changed = instructions_diff(work.original.program, state) or "no instruction changed"
            client.log_text(known[name], changed + "\n", "instructions.diff")
            client.log_dict(known[name], _demos(state), "demos.json")
        log_metrics(client, known[name], _figures(trial))
        client.set_terminated(known[name], "FINISHED")
    work.run.remember(mlflow_children=known)


def _curve(client: Any, run_id: str, trials: list[Trial]) -> None:
    """The learning curve as a metric with steps: the best objective after each trial."""
    from mlflow.entities import Metric
    from mlflow.utils.time import get_current_time_millis

    now, best, rows = get_current_time_millis(), 0.0, []
    for trial in trials:
        if trial.objective is not None:
            best = max(best, trial.objective)
            rows.append(Metric("objective", trial.objective, now, trial.number))
        rows.append(Metric("objective.best", best, now, trial.number))
    client.log_batch(run_id, metrics=rows)


def _figures(trial: Trial) -> dict[str, float | None]:
    return {
        "objective": trial.objective,
        **trial.metrics,
        "n_scored": float(trial.n_scored),
        "n_failed": float(trial.n_failed),
        "n_abstained": float(trial.n_abstained),
        "demos": float(trial.demos),
        "requests": float(trial.requests),
        "usd": trial.usd,
    }


def _demos(state: dict[str, PredictorState]) -> dict[str, Any]:
    return {name: predictor.demos for name, predictor in state.items()}


def _metrics(result: OptimizeResult) -> dict[str, float | None]:
    """The run's own figures."""
    low, high = result.holdout.ci or (None, None)
    return {
        **{f"baseline.{k}": v for k, v in result.baseline.items()},
        **{f"best.{k}": v for k, v in result.best.items()},
        **{f"holdout.before.{k}": v for k, v in result.holdout.before.items()},
        **{f"holdout.after.{k}": v for k, v in result.holdout.after.items()},
        "holdout.delta": result.holdout.delta,
        "holdout.low": low,
        "holdout.high": high,
        "promoted": float(result.promoted),
        "trials": float(len(result.trials)),
        **{f"usage.{k}": v for k, v in result.usage.model_dump().items()},
        "seconds": result.seconds,
    }


__all__ = ["record"]
