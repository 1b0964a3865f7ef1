"""The retrieval flow: the benchmark of perspective-aware retrieval."""

from __future__ import annotations

from typing import Any

from prefect import flow

from evals.pir import benchmark
from evals.pir.benchmark import Figures, Settings
from evals.pir.measures import Bootstrap
from evals.pir.task import Task
from flows.config import config_hash, typed
from flows.retrieval_config import RetrievalConfig
from flows.retrieval_files import write_files
from flows.run import RESULT_FILE, Run
from flows.runtime import embedder_of, new_run
from flows.tracking import tracked
from modules.retrieval.exhaustive import Encodings
from signatures.retrieval_results import RetrievalResult
from signatures.types import RunRecord, Usage


@flow(name="retrieval", flow_run_name="{run_dir}", validate_parameters=False)
def retrieval(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Rank the documents of every task for every query, and measure.

    Args:
        config: A resolved retrieval configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.retrieval_results.RetrievalResult`).

    Raises:
        ConfigError: The dataset is no benchmark, or the retriever cannot do an operation.
        InputError: A task cannot be used.
    """
    settings = typed(RetrievalConfig, config)
    tasks = settings.benchmark.tasks()
    run = new_run("retrieval", settings, config, run_dir)
    with tracked(run, settings, config) as tracker:
        tracker.start()
        figures = benchmark.run(tasks, _opener(settings), _measured(settings))
        result = _result(settings, config, run, tasks, figures)
        files = write_files(run, result)
        result = result.model_copy(update={"files": [path.name for path in files]})
        files.append(run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"))
        tracker.finish(_metrics(result), files)
    return result.model_dump(mode="json")


def _opener(settings: RetrievalConfig) -> Any:
    """Opens the configured ranker over a task's documents; vectors are kept between runs."""
    folder = settings.paths.cache / "embeddings"
    embedder = embedder_of(settings) if settings.embeds else None
    encodings = Encodings(embedder, folder)
    return lambda task: settings.retriever.exhaustive(task.documents, encodings)


def _measured(settings: RetrievalConfig) -> Settings:
    how = settings.bootstrap
    return Settings(
        operations=settings.operation,
        alpha=settings.alpha,
        golds=settings.gold,
        ks=settings.k,
        single=settings.single,
        bootstrap=Bootstrap(settings.seed, how.resamples, how.level),
    )


def _result(
    settings: RetrievalConfig,
    config: dict[str, Any],
    run: Run,
    tasks: list[Task],
    figures: Figures,
) -> RetrievalResult:
    embedder = embedder_of(settings).name if settings.embeds else None
    record = RunRecord(
        id=run.id,
        config_hash=config_hash(config),
        models={"embedder": embedder} if embedder else {},
        corpus_version=None,
        dir=str(run.folder),
        usage_total=Usage(),
    )
    return RetrievalResult(
        dataset=settings.dataset.name,
        retriever=_name(settings),
        embedder=embedder,
        rows=figures.rows,
        recall_root=figures.roots,
        labels=figures.labels,
        bias=figures.bias,
        tasks=figures.tasks,
        n_queries=sum(len(task.queries) for task in tasks),
        n_documents=sum(len(task.documents) for task in tasks),
        notes=_notes(settings, tasks),
        seconds=run.seconds,
        run=record,
    )


def _name(settings: RetrievalConfig) -> str:
    """The retriever's name: how it ranks, by a store's mode or by the class of its spec."""
    mode = getattr(settings.retriever, "mode", None)
    named = {"fulltext": "bm25", "dense": "dense", "hybrid": "hybrid"}
    own = getattr(settings.retriever, "name", None)
    return str(own or named.get(str(mode), type(settings.retriever).__name__))


def _notes(settings: RetrievalConfig, tasks: list[Task]) -> list[str]:
    does = "counted as 0" if settings.single == "zero" else "left out"
    return [
        f"{task.name}: {len(task.single_roots)} of {len(task.root_names)} root queries have one "
        f"perspective and are {does} (single={settings.single})"
        for task in tasks
        if task.single_roots
    ]


def _metrics(result: RetrievalResult) -> dict[str, float | None]:
    found: dict[str, float | None] = {"seconds": result.seconds}
    for row in result.rows:
        name = f"p_recall.{row.task}.{row.operation}.{row.gold}.at{row.k}"
        found[name] = row.p_recall
        found[f"{name}.low"], found[f"{name}.high"] = row.ci or (None, None)
    for root in result.recall_root:
        found[f"recall_root.{root.task}.at{root.k}"] = root.value
    return found


__all__ = ["retrieval"]
