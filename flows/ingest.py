"""The ingest flow: documents into the evidence index."""

from __future__ import annotations

import sys
from typing import Any

from prefect import flow, task
from tqdm import tqdm

from flows.config import IngestConfig, typed
from flows.run import RESULT_FILE
from flows.runtime import embedder_of, new_run
from flows.stages import infrastructure
from flows.tracking import tracked
from modules.retrieval import EvidenceStore
from modules.retrieval import ingest as take
from modules.retrieval.projections import project
from modules.retrieval.web.fetch import Fetcher
from signatures.results import IngestResult


@flow(name="ingest", flow_run_name="{run_dir}", validate_parameters=False)
def ingest(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Bring the index up to date with the documents under ``config["subject"]``.

    The index itself is the state: a killed run is finished by running it again.

    Args:
        config: A resolved ingest configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.results.IngestResult`).
    """
    settings = typed(IngestConfig, config)
    run = new_run("ingest", settings, config, run_dir)
    with tracked(run, settings, config) as tracker:
        tracker.start()
        retrying = _take.with_options(
            retries=settings.runner.retries, retry_delay_seconds=settings.runner.retry_delay_s
        )
        result = retrying(settings)
        path = run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n")
        tracker.finish(_metrics(result), [path])
    return result.model_dump(mode="json")


def _metrics(result: IngestResult) -> dict[str, float | None]:
    return {
        "taken": len(result.taken),
        "refused": len(result.refused),
        "duplicates": len(result.duplicates),
        "chunks": result.chunks,
        "seconds": result.seconds,
    }


@task(name="take", persist_result=False, retry_condition_fn=infrastructure)
def _take(settings: IngestConfig) -> IngestResult:
    store = EvidenceStore(settings.paths.index, embedder_of(settings))
    with tqdm(file=sys.stderr, disable=None, leave=False, unit="doc") as bar:
        result = take(
            [settings.subject],
            store,
            max_bytes=int(settings.max_megabytes * 1_000_000),
            prune=settings.prune,
            fetcher=Fetcher(settings.fetch),
            progress=lambda done, source: _show(bar, done, source),
        )
    if settings.perspectives:
        project(store, settings.perspectives)
    return result


def _show(bar: Any, done: int, source: str) -> None:
    bar.set_description(source[-40:])
    bar.update(done - bar.n)


__all__ = ["ingest"]
