"""The retrieval flow: the benchmark of perspective-aware retrieval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import flow

from evals.pir import benchmark
from evals.pir.benchmark import Figures, Settings
from evals.pir.measures import Bootstrap
from evals.pir.task import Task
from flows.config import config_hash, typed
from flows.retrieval_config import RetrievalConfig
from flows.retrieval_files import write_files
from flows.retrieval_parts import Parts, found_parts, given_parts
from flows.run import RESULT_FILE, Run
from flows.runtime import embedder_of, new_run
from flows.tracking import tracked
from modules.retrieval.exhaustive import Encodings, Exhaustive
from modules.retrieval.operations import Operation
from modules.retrieval.specs import RetrieverSpec
from signatures.retrieval_results import RetrievalResult
from signatures.types import RunRecord


@flow(name="retrieval", flow_run_name="{run_dir}", validate_parameters=False)
def retrieval(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Rank the documents of every task for every query, and measure.

    Args:
        config: A resolved retrieval configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.retrieval_results.RetrievalResult`).

    Raises:
        ConfigError: The dataset is no benchmark, or no retriever can do an operation.
        InputError: A task cannot be used.
        BudgetReached: Finding perspectives would spend more than ``budget`` allows.
    """
    settings = typed(RetrievalConfig, config)
    tasks = settings.benchmark.tasks()
    run = new_run("retrieval", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        tracker.start()
        asks = settings.perspectives == "found"
        parts = found_parts(settings, run, tasks) if asks else given_parts(tasks)
        result = _result(settings, config, run, tasks, parts)
        files = write_files(run, result)
        result = result.model_copy(update={"files": [path.name for path in files]})
        files.append(run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"))
        tracker.finish(_metrics(result), files)
    return result.model_dump(mode="json")


def _measured(
    settings: RetrievalConfig, tasks: list[Task], parts: Parts
) -> tuple[dict[str, Figures], list[str]]:
    """The tables of each retriever by name, and what was left out of them."""
    how, notes = settings.bootstrap, []
    folder = settings.paths.cache / "embeddings"
    encodings = Encodings(embedder_of(settings) if settings.embeds else None, folder)
    found: dict[str, Figures] = {}
    for name, spec in settings.ranked.items():
        opened = _opener(spec, encodings)
        operations, missing = _able(settings, opened(tasks[0]))
        if missing:
            notes.append(f"{name} has no {', '.join(missing)}: left out of its rows")
        asked = Settings(
            operations=operations,
            alpha=settings.alpha,
            golds=settings.gold,
            ks=settings.k,
            single=settings.single,
            bootstrap=Bootstrap(settings.seed, how.resamples, how.level),
            retriever=name,
        )
        found[name] = benchmark.run(tasks, opened, asked, parts.asked)
    return found, notes


def _opener(spec: RetrieverSpec, encodings: Encodings) -> Callable[[Task], Exhaustive]:
    """Opens the ranker over a task's documents; the last one opened is kept."""
    kept: list[tuple[str, Exhaustive]] = []

    def opened(task: Task) -> Exhaustive:
        if not kept or kept[0][0] != task.name:
            kept[:] = [(task.name, spec.exhaustive(task.documents, encodings))]
        return kept[0][1]

    return opened


def _able(
    settings: RetrievalConfig, ranker: Exhaustive
) -> tuple[tuple[Operation, ...], list[Operation]]:
    """Which operations to ask of the retriever, and which to leave out.

    Among several each does what it can; one alone, or one that can do none, is asked for all, and
    the benchmark refuses.
    """
    known = ranker.operations
    can = tuple(operation for operation in settings.operation if operation in known)
    if not can or len(settings.ranked) == 1:
        return settings.operation, []
    return can, [operation for operation in settings.operation if operation not in known]


def _result(
    settings: RetrievalConfig, config: dict[str, Any], run: Run, tasks: list[Task], parts: Parts
) -> RetrievalResult:
    embedder = embedder_of(settings).name if settings.embeds else None
    held, left_out = _measured(settings, tasks, parts)
    figures = benchmark.together(held, tasks)
    how = Bootstrap(settings.seed, settings.bootstrap.resamples, settings.bootstrap.level)
    record = RunRecord(
        id=run.id,
        config_hash=config_hash(config),
        models=({"embedder": embedder} if embedder else {}) | parts.models,
        corpus_version=None,
        dir=str(run.folder),
        usage_total=parts.total,
    )
    return RetrievalResult(
        dataset=settings.dataset.name,
        retriever=", ".join(settings.ranked),
        embedder=embedder,
        rows=figures.rows,
        differences=benchmark.differences(held, tasks, how),
        recall_root=figures.roots,
        labels=figures.labels,
        bias=figures.bias,
        tasks=figures.tasks,
        extraction=parts.rows,
        n_queries=sum(len(task.queries) for task in tasks),
        n_documents=sum(len(task.documents) for task in tasks),
        notes=[*_notes(settings, tasks), *left_out, *parts.notes],
        seconds=run.seconds,
        usage=parts.usage,
        run=record,
    )


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
    several = len({row.retriever for row in result.rows}) > 1
    for row in result.rows:
        by = f"{row.retriever}." if several else ""
        name = f"p_recall.{by}{row.task}.{row.operation}.{row.gold}.at{row.k}"
        found[name] = row.p_recall
        found[f"{name}.low"], found[f"{name}.high"] = row.ci or (None, None)
    for root in result.recall_root:
        by = f"{root.retriever}." if several else ""
        found[f"recall_root.{by}{root.task}.at{root.k}"] = root.value
    for one in result.extraction:
        found[f"qa_f1.{one.task}"], found[f"qa_jaccard.{one.task}"] = one.qa_f1, one.qa_jaccard
    return found


__all__ = ["retrieval"]
