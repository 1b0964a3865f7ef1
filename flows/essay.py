"""The essay flow: a proposition becomes a cited essay, by way of a debate."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from prefect import flow

from evals.contract import Tools
from flows.config import EssayConfig, config_hash, typed
from flows.essay_files import write_files
from flows.programs import Programs
from flows.run import Run
from flows.run_metrics import scored
from flows.runtime import embedder_of, lm_cache, new_run, retriever_of, roles_of
from flows.settled import settled
from flows.stages import TaskStep
from flows.tracking import tracked
from modules.argument_graph import argument_graph
from modules.debate_quality import figures
from modules.essay import Best, EssayJudge, best_of
from modules.lm.roles import Roles
from modules.vectors import remembering
from signatures.results import EssayResult
from signatures.types import RunRecord


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
    with tracked(run, settings, config) as tracker:
        step = TaskStep(run, settings.runner, total=_stages(settings), meanwhile=tracker.start)
        with closing(step), settled():
            result = _write(settings, config, run, step)
            files = write_files(run, result)
            tracker.finish(_metrics(result), files)
    return result.model_dump(mode="json")


def _write(settings: EssayConfig, config: dict[str, Any], run: Run, step: TaskStep) -> EssayResult:
    lm_cache(settings.paths)
    embedder = embedder_of(settings)
    retriever = retriever_of(settings, embedder, run)
    roles = roles_of(settings, run, settings.replicate)
    programs = Programs(settings)
    method, remembered = settings.method, remembering(embedder)
    best = best_of(
        method,
        lambda n: programs.bind(roles.sample(n))(
            programs.tuned(
                method.program(settings.settings, retriever, remembered), "essay", method.name
            )
        ),
        lambda: programs.bind(roles)(EssayJudge()),
        settings.subject,
        settings.stance,
        samples=settings.samples,
        tokens=settings.samples_tokens,
        # What the units cost when they were made, so that a rerun from caches decides the same.
        spent=lambda: step.total.input_tokens + step.total.output_tokens,
        step=step,
    )
    version = getattr(retriever, "corpus_version", None)
    result = _result(settings, config, run, step, best, roles, programs, version)
    told: list[str] = getattr(retriever, "notes", list)()  # what a retriever of the web asked for
    return result.model_copy(update={"notes": [*result.notes, *told]})


def _stages(settings: EssayConfig) -> int:
    """How many stages there may be, for the progress bar."""
    ratings = settings.samples if settings.samples > 1 else 0
    return settings.method.stages * settings.samples + ratings


def _result(
    settings: EssayConfig,
    config: dict[str, Any],
    run: Run,
    step: TaskStep,
    best: Best,
    roles: Roles,
    programs: Programs,
    corpus_version: str | None,
) -> EssayResult:
    parts = best.parts
    result = EssayResult(
        proposition=settings.subject,
        stance=settings.stance,
        method=settings.method.name,
        personas=parts.personas,
        debate=parts.debate.turns,
        debate_ended=parts.debate.ended,
        debate_figures=figures(parts.debate),
        argument_graph=argument_graph(parts.debate, parts.personas),
        argument=parts.argument,
        plan=parts.plan,
        essay=parts.essay.text,
        citations=parts.essay.citations,
        citation_figures=parts.essay.figures,
        uncited=parts.essay.uncited,
        samples=best.samples,
        metrics={},
        notes=[*_notes(settings, best), *programs.notes()],
        seconds=run.seconds,
        usage=step.usage(),
        run=RunRecord(
            id=run.id,
            config_hash=config_hash(config),
            models=roles.models(),
            programs=programs.used(),
            corpus_version=corpus_version,
            dir=str(run.folder),
            usage_total=step.total,
        ),
    )
    tools = Tools(embedder_of(settings), programs.bind(roles))
    return scored(result, settings, tools)


def _notes(settings: EssayConfig, best: Best) -> list[str]:
    notes = [*best.parts.notes, *best.parts.essay.notes, *best.notes]
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
        **{f"debate.{k}": v for k, v in result.debate_figures.model_dump().items()},
        **result.metrics,
        "words": float(len(result.essay.split())),
        "seconds": result.seconds,
    }


__all__ = ["essay"]
