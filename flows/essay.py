"""The essay flow: a proposition becomes a cited essay, by way of a debate."""

from __future__ import annotations

from typing import Any

from prefect import flow

from flows.config import EssayConfig, config_hash, typed
from flows.essay_files import write_files
from flows.run import Run
from flows.runtime import embedder_of, lm_cache, new_run, retriever_of
from flows.stages import TaskStep
from flows.tracking import Tracker
from modules.essay import EssayParts
from modules.lm.roles import Roles
from signatures.results import EssayResult
from signatures.types import RunRecord

STAGES = 9
"""How many stages the longest method has, for the progress bar."""


@flow(name="essay", flow_run_name="{run_dir}", validate_parameters=False)
def essay(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Write one essay.

    Args:
        config: A resolved essay configuration as plain data (what ``--cfg job`` shows).
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The essay's JSON document (:class:`signatures.results.EssayResult`).
    """
    settings = typed(EssayConfig, config)
    run = new_run("essay", settings, config, run_dir, settings.budget)
    tracker = Tracker(run, settings, config)
    step = TaskStep(run, settings.runner, total=STAGES)
    try:
        result = _write(settings, config, run, step)
        files = write_files(run, result)
        tracker.finish(_metrics(result), files)
    except BaseException as error:
        tracker.fail(error)
        raise
    finally:
        step.close()
        run.close()
    return result.model_dump(mode="json")


def _write(settings: EssayConfig, config: dict[str, Any], run: Run, step: TaskStep) -> EssayResult:
    lm_cache(settings.paths)
    embedder = embedder_of(settings)
    retriever = retriever_of(settings, embedder)
    roles = Roles(
        settings.backend,
        run.ledger,
        own=settings.roles,
        seed=settings.seed,
        replicate=settings.replicate,
    )
    program = roles.bind(settings.method.program(settings.settings, retriever, embedder))
    parts = settings.method.write(program, settings.subject, settings.stance, step)
    version = getattr(retriever, "corpus_version", None)
    return _result(settings, config, run, step, parts, roles, version)


def _result(
    settings: EssayConfig,
    config: dict[str, Any],
    run: Run,
    step: TaskStep,
    parts: EssayParts,
    roles: Roles,
    corpus_version: str | None,
) -> EssayResult:
    result = EssayResult(
        proposition=settings.subject,
        stance=settings.stance,
        method=settings.method.name,
        personas=parts.personas,
        debate=parts.debate.turns,
        debate_ended=parts.debate.ended,
        plan=parts.plan,
        essay=parts.essay.text,
        citations=parts.essay.citations,
        citation_figures=parts.essay.figures,
        uncited=parts.essay.uncited,
        metrics={},
        notes=_notes(settings, parts),
        seconds=run.seconds,
        usage=step.usage(),
        run=RunRecord(
            id=run.id,
            config_hash=config_hash(config),
            models=roles.models(),
            corpus_version=corpus_version,
            dir=str(run.folder),
            usage_total=step.total,
        ),
    )
    return _scored(result, settings)


def _scored(result: EssayResult, settings: EssayConfig) -> EssayResult:
    """The result with its metrics; one that breaks is noted and has no value."""
    row = result.model_dump(mode="json")
    values: dict[str, float | None] = {}
    notes = list(result.notes)
    for name, metric in sorted(settings.metrics.items()):
        try:
            values[name] = metric.score(row).value
        except Exception as error:  # a metric of the user's own must not cost a finished essay
            values[name] = None
            notes.append(f"the metric {name} failed: {type(error).__name__}: {error}")
    return result.model_copy(update={"metrics": values, "notes": notes})


def _notes(settings: EssayConfig, parts: EssayParts) -> list[str]:
    notes = list(parts.notes)
    if settings.roles.get("writer", settings.backend).deterministic:
        notes.append(
            "written by the extractive baseline, which selects and joins sentences of the "
            "evidence; choose a model with backend=openai (or vllm, ollama, anthropic, ...)"
        )
    if settings.evidence == "none":
        notes.append("written without evidence: nothing in it is cited")
    return notes


def _metrics(result: EssayResult) -> dict[str, float | None]:
    usage = result.usage.model_dump()
    return {
        **{f"usage.{k}": v for k, v in usage.items()},
        **{f"citations.{k}": v for k, v in result.citation_figures.model_dump().items()},
        **result.metrics,
        "words": float(len(result.essay.split())),
        "seconds": result.seconds,
    }


__all__ = ["essay"]
