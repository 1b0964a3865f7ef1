"""The evaluation flow: methods on backends over datasets, several texts each, one table."""

from __future__ import annotations

import logging
from typing import Any

from prefect import flow

from flows.cells import Cells
from flows.config import typed
from flows.evaluation_checks import judge_chosen, reachable
from flows.evaluation_config import EvaluationConfig
from flows.evaluation_files import write_files, write_so_far
from flows.evaluation_record import record
from flows.evaluation_result import figures, outputs, result_of, scores
from flows.identity import changes, identity_of
from flows.rehearsal import plan
from flows.run import Run
from flows.runtime import lm_cache, new_run
from flows.tracing import TRACES_FILE, Tracing
from flows.tracking import tracked
from flows.units import UnitPool
from signatures.errors import TooManyFailures
from signatures.evaluation_results import EvaluationResult

log = logging.getLogger("moot.evaluation")


@flow(name="evaluation", flow_run_name="{run_dir}", validate_parameters=False)
def evaluation(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Compare methods on backends over datasets.

    Args:
        config: A resolved evaluation configuration as plain data (what ``--cfg job`` shows).
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The evaluation's JSON document (:class:`signatures.results.EvaluationResult`), or with
        ``dry_run`` its plan (:class:`signatures.results.EvaluationPlan`).

    Raises:
        ConfigError: A judge would judge texts of its own, or a metric needs what is not there.
        BackendError: A backend does not answer; nothing was spent.
        TooManyFailures: More than ``max_failed`` of the units failed, or all of them.
        BudgetReached: A cap was met. All that is finished is kept, here as there.
    """
    settings = typed(EvaluationConfig, config)
    judge_chosen(settings)
    lm_cache(settings.paths)
    if settings.dry_run:
        return plan(settings).model_dump(mode="json")
    run = new_run("evaluation", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        tracker.start()
        path, elsewhere = run.folder / TRACES_FILE, settings.runner.kind != "thread"
        tracing = Tracing(path, settings.tracking, elsewhere=elsewhere)
        result = _evaluated(settings, config, run, tracing)
        files = write_files(run, result)
        record(tracker, settings, result, run, tracing, files)
    return result.model_dump(mode="json")


def _evaluated(
    settings: EvaluationConfig, config: dict[str, Any], run: Run, tracing: Tracing
) -> EvaluationResult:
    import dspy

    cells = Cells(settings, run.ledger, run)
    changed = _noted(settings, cells, run)
    reachable(settings, cells)
    tracing.expect(cells.expected)
    pool = UnitPool(run, settings.runner, expected=cells.expected, max_failed=settings.max_failed)
    try:
        # DSPy would keep the last ten thousand prompts and replies of every module.
        with dspy.context(disable_history=True):
            pool.run(tracing.watched(cells.texts()), lambda o: tracing.watched(cells.take(o)))
    finally:
        pool.close()

    result = result_of(settings, config, run, cells, pool, changed)
    write_so_far(run, result, outputs(cells), scores(cells, cells.values()), figures(cells))
    if pool.stopped is not None:
        raise pool.stopped
    _something_written(cells)
    return result


def _noted(settings: EvaluationConfig, cells: Cells, run: Run) -> list[str]:
    """What changed since the run began: told at once, and kept for its notes."""
    now, state = identity_of(settings, cells), run.state()
    before = state.get("identity")
    told: list[str] = list(state.get("changed", []))
    if before is not None:
        new = changes(before, now)
        for line in new:
            log.warning("since this run began, %s; what depends on it runs again", line)
        told += new
    run.remember(identity=now, changed=told)
    return told


def _something_written(cells: Cells) -> None:
    """Refuse to call it an evaluation where every text failed, however many may."""
    if cells.found.costs:
        return
    unit, reason = min(cells.found.failures)
    raise TooManyFailures(
        "every text failed",
        got=f"{unit}: {reason}",
        remedy="see failures.jsonl; `moot resume` runs them again",
    )


__all__ = ["evaluation"]
