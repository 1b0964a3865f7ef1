"""From a run's trace file to MLflow's traces, each under the run of the cell it belongs to.

MLflow's own exporter queues traces and drops what does not fit; here it is told to write at once,
and how many were written is compared with how many there are.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Mapping
from typing import Any

from flows.run import Run
from flows.tracing import ALL_FILES, lines_in, read_traces

log = logging.getLogger("moot.tracking")

_lock = threading.Lock()


def export(client: Any, run: Run, runs: Mapping[tuple[str, ...], str], parent: str) -> int:
    """Write the traces that MLflow does not have yet.

    Args:
        client: MLflow's client, which knows the store.
        run: The run, whose folder has the traces, and which remembers how many are written.
        runs: The MLflow run of each cell.
        parent: The MLflow run of traces that belong to no cell.

    Returns:
        How many of the run's traces MLflow has.
    """
    state = run.state()
    done: dict[str, int] = state.get("traces_read", {})
    kept = int(state.get("traces_kept", 0))
    there = {path: lines_in(path) for path in sorted(run.folder.glob(ALL_FILES))}
    if all(done.get(path.name, 0) >= lines for path, lines in there.items()):
        return kept
    os.environ["MLFLOW_ENABLE_ASYNC_TRACE_LOGGING"] = "false"
    import mlflow

    experiment = client.get_run(parent).info.experiment_id
    with _lock, warnings.catch_warnings():  # the store that traces go to is the process's
        warnings.simplefilter("ignore")  # MLflow turns what warns at its import into a lost trace
        mlflow.set_tracking_uri(client.tracking_uri)
        for path in there:
            for trace in read_traces(path, done.get(path.name, 0)):
                kept += _write(trace, experiment, runs.get(tuple(trace["cell"]), parent), run.id)
    run.remember(traces_read={path.name: n for path, n in there.items()}, traces_kept=kept)
    total = sum(there.values())
    if kept < total:
        log.warning("MLflow has %d of %d traces; all are in %s", kept, total, run.folder)
    return kept


def _write(trace: Mapping[str, Any], experiment: str, run_id: str, moot_run: str) -> bool:
    """Write one trace; returns whether MLflow took it."""
    from mlflow.entities import SpanStatusCode
    from mlflow.entities.span import NO_OP_SPAN_TRACE_ID
    from mlflow.tracing.fluent import start_span_no_context

    root = start_span_no_context(
        name=trace["unit"],
        span_type="CHAIN",
        inputs={"unit": trace["unit"]},
        tags={"moot_run": moot_run, "cell": "/".join(filter(None, trace["cell"]))},
        metadata={"mlflow.sourceRun": run_id},
        experiment_id=experiment,
        start_time_ns=trace["start"],
    )
    open_spans = {None: root}
    for span in trace["spans"]:
        own = start_span_no_context(
            name=span["name"],
            span_type=span["kind"],
            parent_span=open_spans.get(span["parent"], root),
            inputs=span["inputs"],
            start_time_ns=span["start"],
        )
        open_spans[span["id"]] = own
    for span in reversed(trace["spans"]):
        if span.get("error"):
            open_spans[span["id"]].set_status(SpanStatusCode.ERROR)
        open_spans[span["id"]].end(
            outputs=span.get("error") or span.get("outputs"),
            end_time_ns=span.get("end", trace["end"]),
        )
    if trace["error"]:
        root.set_status(SpanStatusCode.ERROR)
    root.end(outputs=trace["error"] or None, end_time_ns=trace["end"])
    return bool(root.trace_id != NO_OP_SPAN_TRACE_ID)


__all__ = ["export"]
