"""The answer flow: a question gets one answer, with its evidence and its points of view."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from prefect import flow

from evals.contract import Tools
from evals.dispute import acknowledges
from flows.answer_config import AnswerConfig
from flows.answer_files import write_files
from flows.config import config_hash, typed
from flows.programs import Programs
from flows.run import Run
from flows.run_metrics import scored
from flows.runtime import embedder_of, lm_cache, new_run, retriever_of, roles_of
from flows.settled import settled
from flows.stages import TaskStep
from flows.tracking import tracked
from modules.answering import AnswerParts
from modules.vectors import remembering
from signatures.results import AnswerResult
from signatures.types import RunRecord


@flow(name="answer", flow_run_name="{run_dir}", validate_parameters=False)
def answer(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Answer one question.

    Args:
        config: A resolved answer configuration as plain data (what ``--cfg job`` shows).
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The answer's JSON document (:class:`signatures.results.AnswerResult`).
    """
    settings = typed(AnswerConfig, config)
    run = new_run("answer", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        step = TaskStep(run, settings.runner, total=settings.method.stages, meanwhile=tracker.start)
        with closing(step), settled():
            result = _answered(settings, config, run, step)
            files = write_files(run, result)
            tracker.finish(_metrics(result), files)
    return result.model_dump(mode="json")


def _answered(
    settings: AnswerConfig, config: dict[str, Any], run: Run, step: TaskStep
) -> AnswerResult:
    lm_cache(settings.paths)
    embedder = embedder_of(settings)
    retriever = retriever_of(settings, embedder, run)
    roles = roles_of(settings, run, settings.replicate)
    method = settings.method
    fresh = method.program(settings.settings, retriever, remembering(embedder))
    programs = Programs(settings)
    program = programs.tuned(fresh, "answer", method.name)
    parts = method.write(programs.bind(roles)(program), settings.subject, step)
    told: list[str] = getattr(retriever, "notes", list)()  # what a retriever of the web asked for
    result = AnswerResult(
        question=settings.subject,
        method=method.name,
        retrieval=method.retrieval,
        answer=parts.answer.text,
        perspectives=parts.perspectives,
        disputed=parts.disputed,
        dispute_acknowledged=acknowledges(parts.answer.text, question=settings.subject),
        personas=parts.personas,
        passages=parts.passages,
        citations=parts.answer.citations,
        citation_figures=parts.answer.figures,
        uncited=parts.answer.uncited,
        metrics={},
        notes=[*_notes(settings, parts), *programs.notes(), *told],
        seconds=run.seconds,
        usage=step.usage(),
        run=RunRecord(
            id=run.id,
            config_hash=config_hash(config),
            models=roles.models(),
            programs=programs.used(),
            corpus_version=getattr(retriever, "corpus_version", None),
            dir=str(run.folder),
            usage_total=step.total,
        ),
    )
    return scored(result, settings, Tools(embedder, programs.bind(roles)))


def _notes(settings: AnswerConfig, parts: AnswerParts) -> list[str]:
    notes = [*parts.notes, *parts.answer.notes]
    if settings.roles.get("writer", settings.backend).deterministic:
        notes.append(
            "written by the extractive baseline, which selects and joins sentences of the "
            "evidence; choose a model with backend=openai (or vllm, ollama, anthropic, ...)"
        )
    if settings.method.retrieval == "none":
        notes.append("written without evidence: nothing in it is cited")
    return notes


def _metrics(result: AnswerResult) -> dict[str, float | None]:
    usage = result.usage.model_dump()
    return {
        **{f"usage.{k}": v for k, v in usage.items()},
        **{f"citations.{k}": v for k, v in result.citation_figures.model_dump().items()},
        **result.metrics,
        "perspectives": float(len(result.perspectives)),
        "words": float(len(result.answer.split())),
        "seconds": result.seconds,
    }


__all__ = ["answer"]
