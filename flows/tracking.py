"""The experiment record: MLflow, always under an explicit run id, or nothing.

MLflow takes seconds to import and to create its database, so it starts in the background, when
the flow says that it can spare the time; what is recorded is written by :func:`settle`, after the
flow's end.
"""

from __future__ import annotations

import atexit
import json
import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from flows.config import FlowConfig
from flows.provenance import code
from flows.run import Run

log = logging.getLogger("moot.tracking")

_waiting: deque[Callable[[], None]] = deque()


def settle() -> None:
    """Write what was recorded in this process: after a flow's end, which need not wait for it."""
    while _waiting:
        with suppress(IndexError):  # another thread took the last
            _waiting.popleft()()


atexit.register(settle)

MAX_PARAM = 500
"""MLflow refuses longer parameter values on SQL stores of some versions; we clip and keep all of
it in config.yaml."""


class Tracker:
    """Writes one run to MLflow.

    Args:
        run: The run; its MLflow id is remembered in its folder and used again when resumed.
        config: The flow's configuration.
        plain: The same as plain data, for the parameters.
    """

    def __init__(self, run: Run, config: FlowConfig, plain: Mapping[str, Any]) -> None:
        self._run = run
        self._config = config
        self._plain = plain
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="mlflow")
        self._started: Future[tuple[Any, str]] | None = None

    def start(self) -> None:
        """Start the record in the background; the first call counts."""
        if self._started is None and self._config.tracking.kind == "mlflow":
            self._started = self._pool.submit(self._start)

    def finish(self, metrics: Mapping[str, float | None], files: list[Path]) -> None:
        """Log metrics (those with a value) and files, and end the run as finished."""

        def work(client: Any, run_id: str) -> None:
            log_metrics(client, run_id, metrics)
            for path in files:
                client.log_artifact(run_id, str(path))
            client.set_terminated(run_id, "FINISHED")

        self._record(work)

    def log(self, work: Callable[[Any, str], None]) -> None:
        """Have ``work(client, run_id)`` write more of the record; before :meth:`finish`."""
        self._record(work)

    def run_id(self) -> str | None:
        """The record's id, waited for; None where nothing is recorded."""
        self.start()
        return None if self._started is None else self._started.result()[1]

    def fail(self, error: BaseException) -> None:
        """End the run as failed, naming the error."""
        status = "KILLED" if isinstance(error, KeyboardInterrupt) else "FAILED"

        def work(client: Any, run_id: str) -> None:
            client.set_tag(run_id, "error", f"{type(error).__name__}: {error}"[:MAX_PARAM])
            client.set_terminated(run_id, status)

        self._record(work)

    def _record(self, work: Callable[[Any, str], None]) -> None:
        if self._config.tracking.kind == "mlflow":
            _waiting.append(partial(self._write, work))

    def _write(self, work: Callable[[Any, str], None]) -> None:
        if self._started is None:  # in place: as the interpreter ends, no thread can begin
            self._started = Future()
            try:
                self._started.set_result(self._start())
            except Exception as error:  # told where the record is written
                self._started.set_exception(error)
        _written(work, self._started)

    def _start(self) -> tuple[Any, str]:
        with warnings.catch_warnings():
            # MLflow's dependencies warn about themselves at import; nothing a user could act on.
            warnings.simplefilter("ignore")
            logging.getLogger("mlflow").setLevel(logging.WARNING)
            logging.getLogger("alembic").setLevel(logging.WARNING)
            client = _client(self._config)
        run_id = self._run.state().get("mlflow_run_id")
        if run_id is None:
            run_id = self._create(client)
            self._run.remember(mlflow_run_id=run_id)
        else:
            client.update_run(run_id, status="RUNNING")
        return client, run_id

    def _create(self, client: Any) -> str:
        from mlflow.entities import Param

        experiment = _experiment(client, self._config)
        run = client.create_run(
            experiment,
            run_name=self._run.id,
            tags={"flow": self._run.flow, "moot_run": self._run.id, **_version()},
        )
        params = [Param(k, v[:MAX_PARAM]) for k, v in flat(self._plain).items()]
        client.log_batch(run.info.run_id, params=params)
        return str(run.info.run_id)


@contextmanager
def tracked(run: Run, config: FlowConfig, plain: Mapping[str, Any]) -> Iterator[Tracker]:
    """The record of a run, for as long as it takes: whatever ends it early, Ctrl-C too, is named in
    the record, and the run's folder is closed. Who gets through calls :meth:`Tracker.finish`.
    """
    tracker = Tracker(run, config, plain)
    try:
        yield tracker
    except BaseException as error:
        tracker.fail(error)
        raise
    finally:
        run.close()


def log_metrics(client: Any, run_id: str, metrics: Mapping[str, float | None]) -> None:
    """Log the metrics that have a value."""
    from mlflow.entities import Metric
    from mlflow.utils.time import get_current_time_millis

    now = get_current_time_millis()
    rows = [Metric(k, float(v), now, 0) for k, v in metrics.items() if v is not None]
    client.log_batch(run_id, metrics=rows)


def _written(work: Callable[[Any, str], None], started: Future[tuple[Any, str]]) -> None:
    try:
        work(*started.result())
    except Exception as error:  # a fault of the record must not cost the work it records
        log.warning("MLflow has no full record of this run: %s", _first_line(error))


def _version() -> dict[str, str]:
    """The code's version, under the names that MLflow's page knows."""
    found = code()
    tags = {"mlflow.source.name": "moot", "mlflow.source.type": "LOCAL"}
    if found.commit:
        tags |= {"mlflow.source.git.commit": found.commit, "dirty": str(found.dirty).lower()}
    return tags


def flat(node: Any, prefix: str = "") -> dict[str, str]:
    """Nested data as dotted keys and text values."""
    if isinstance(node, Mapping):
        pairs = [flat(v, f"{prefix}.{k}" if prefix else str(k)) for k, v in node.items()]
        return {k: v for pair in pairs for k, v in pair.items()}
    return {prefix: node if isinstance(node, str) else json.dumps(node, default=str)}


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _client(config: FlowConfig) -> Any:
    import filelock

    lock = config.paths.artifacts / "mlflow.lock"
    # Two first starts at once would both create the schema.
    with filelock.FileLock(lock):
        from mlflow import MlflowClient

        client = MlflowClient(tracking_uri=config.tracking.uri)
        client.search_experiments(max_results=1)
        return client


def _experiment(client: Any, config: FlowConfig) -> str:
    import filelock

    name = config.tracking.experiment or "moot"
    with filelock.FileLock(config.paths.artifacts / "mlflow.lock"):
        found = client.get_experiment_by_name(name)
        if found is not None:
            return str(found.experiment_id)
        # A server has a place of its own, which a path of this machine would not be.
        remote = (config.tracking.uri or "").startswith(("http://", "https://"))
        location = None if remote else (config.paths.artifacts / "mlruns").as_uri()
        return str(client.create_experiment(name, artifact_location=location))


__all__ = ["Tracker", "flat", "log_metrics", "settle"]
