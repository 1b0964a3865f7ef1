"""An evaluation in MLflow: a parent run, a child for each cell, and everything under their ids.

Nothing relies on an active run, so it is the same from whatever thread it is written. It is written
after the flow's end (:func:`flows.tracking.settle`), in one thread.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.table_text import method_of
from flows.evaluation_config import EvaluationConfig
from flows.provenance import provenance, requirements
from flows.run import Run
from flows.trace_export import export
from flows.tracing import Tracing
from flows.tracking import Tracker, log_metrics
from signatures.evaluation_results import EvaluationResult, TableRow

ENVIRONMENT_FILE = "environment.txt"


def record(
    tracker: Tracker,
    settings: EvaluationConfig,
    result: EvaluationResult,
    run: Run,
    tracing: Tracing,
    files: list[Path],
) -> None:
    """Record an evaluation that got to its end."""
    run.write(ENVIRONMENT_FILE, requirements(provenance()))

    def work(client: Any, run_id: str) -> None:
        children = _children(client, run_id, settings, result, run)
        client.log_inputs(run_id, [_dataset(settings, one.name, one.digest, one.items)
                                   for one in result.datasets])  # fmt: skip
        _tables(client, run_id, result)
        for plot in sorted((run.folder / "plots").glob("*.svg")):
            client.log_artifact(run_id, str(plot), "plots")
        client.log_artifact(run_id, str(run.folder / ENVIRONMENT_FILE))
        client.set_tag(run_id, "traces", tracing.said())
        exported = export(client, run, children, run_id)
        client.set_tag(run_id, "traces_recorded", str(exported))

    tracker.log(work)
    tracker.finish(_metrics(result), files)


def cell_name(row: TableRow, several: bool) -> str:
    """A cell's name: that of its units, and of its run."""
    parts = [row.dataset if several else "", row.backend, row.method, row.prompt]
    return "/".join(filter(None, parts))


def _children(
    client: Any, parent: str, settings: EvaluationConfig, result: EvaluationResult, run: Run
) -> dict[tuple[str, ...], str]:
    """A run for each cell below ``parent``; a resumed run uses those it has.

    Returns:
        The runs' ids by method, backend, dataset and prompt.
    """
    from mlflow.entities import Param

    experiment = client.get_run(parent).info.experiment_id
    known = dict(run.state().get("mlflow_children", {}))
    several = len({row.dataset for row in result.table}) > 1
    used = {one.name: one for one in result.datasets}
    ids: dict[tuple[str, ...], str] = {}
    cells: dict[str, list[TableRow]] = {}
    for row in result.table:
        cells.setdefault(cell_name(row, several), []).append(row)
    for name, rows in cells.items():
        row = rows[0]
        if name not in known:
            tags = {"flow": run.flow, "mlflow.parentRunId": parent, "moot_run": run.id}
            child = client.create_run(experiment, run_name=name, tags=tags)
            known[name] = child.info.run_id
            params = _params(row, settings, result)
            client.log_batch(known[name], params=[Param(k, v) for k, v in params.items()])
            one = used[row.dataset]
            client.log_inputs(known[name], [_dataset(settings, one.name, one.digest, one.items)])
        ids[row.method, row.backend, row.dataset, row.prompt] = known[name]
        for each in rows:
            log_metrics(client, known[name], _cell_metrics(each))
        client.set_terminated(known[name], "FINISHED")
    run.remember(mlflow_children=known)
    return ids


def _params(row: TableRow, settings: EvaluationConfig, result: EvaluationResult) -> dict[str, str]:
    return {
        "method": row.method,
        "prompt": row.prompt or "own",
        "backend": row.backend,
        "model": result.run.models.get(row.backend, ""),
        "dataset": row.dataset,
        "replicates": str(result.replicates),
        "seed": str(settings.seed),
        "primary": result.primary,
    }


def _cell_metrics(row: TableRow) -> dict[str, float | None]:
    return {
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


def _metrics(result: EvaluationResult) -> dict[str, float | None]:
    usage = {f"usage.{k}": v for k, v in result.usage.model_dump().items()}
    total = {f"usage_total.{k}": v for k, v in result.run.usage_total.model_dump().items()}
    failures = float(len(result.failures))
    return {**usage, **total, "failures": failures, "seconds": result.seconds}


def _tables(client: Any, run_id: str, result: EvaluationResult) -> None:
    """The table and the comparisons as MLflow tables, which its page shows and joins."""
    rows = [
        {"cell": method_of(row), **row.model_dump(exclude={"ci"}), **_ends(row.ci)}
        for row in result.table
    ]
    differences = [{**c.model_dump(exclude={"ci"}), **_ends(c.ci)} for c in result.comparisons]
    for name, found in (("table.json", rows), ("comparisons.json", differences)):
        if found:
            columns = {key: [row[key] for row in found] for key in found[0]}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # MLflow's, of what its pandas will once do
                client.log_table(run_id, columns, f"tables/{name}")


def _ends(ci: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = ci or (None, None)
    return {"low": low, "high": high}


def _dataset(settings: EvaluationConfig, name: str, digest: str, items: int) -> Any:
    from mlflow.entities import Dataset, DatasetInput, InputTag

    spec = settings.collections()[name].model_dump(mode="json")
    source: Mapping[str, Any] = {"uri": str(spec.get("path", "")), "options": spec}
    entity = Dataset(
        name=name,
        digest=digest,
        source_type="local",
        source=json.dumps(source),
        profile=json.dumps({"num_rows": items}),
    )
    return DatasetInput(entity, [InputTag("mlflow.data.context", "evaluation")])


__all__ = ["cell_name", "record"]
