"""The optimize flow: split, baseline, search, choose, hold out, promote."""

from __future__ import annotations

from typing import Any

from prefect import flow

from evals.datasets import digest
from flows.config import typed
from flows.optimize_config import OptimizeConfig
from flows.optimize_files import write_files
from flows.optimize_record import record
from flows.optimize_result import result_of
from flows.optimize_run import Optimization
from flows.runtime import new_run
from flows.tracking import tracked


@flow(name="optimize", flow_run_name="{run_dir}", validate_parameters=False)
def optimize(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Tune a program's prompts, and promote them if they are better.

    Args:
        config: A resolved optimize configuration as plain data (what ``--cfg job`` shows).
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.optimize_results.OptimizeResult`).

    Raises:
        ConfigError: The optimizer is not installed, or the objective cannot be used.
        InputError: Too few questions, no question could be scored, or the dataset has changed
            since the run began.
        BudgetReached: A cap was met. All that is finished is kept.
        TooManyFailures: The program failed too often in a row.
    """
    settings = typed(OptimizeConfig, config)
    settings.optimizer.ready()
    items = settings.dataset.items()
    run = new_run("optimize", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        tracker.start()
        work = Optimization(settings, items, digest(items), run)
        work.split()
        work.baseline()
        work.search()
        work.choose()
        work.hold_out()
        result = result_of(work, config)
        result, files = write_files(work, result, tracker)
        record(tracker, work, result, files)
    return result.model_dump(mode="json")


__all__ = ["optimize"]
