"""The curate flow: questions become a dataset of debatable questions with partial answers."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow

from evals.curation import figures
from evals.datasets import Item
from evals.questions import QuestionFile
from flows.config import config_hash, typed
from flows.curate_config import CurateConfig
from flows.curate_files import write_dataset, write_result
from flows.run import Run
from flows.runtime import embedder_of, lm_cache, new_run, retriever_of, roles_of
from flows.tracking import tracked
from flows.units import Outcome, Unit, UnitPool
from modules.curation import Curator, Duplicate, without_duplicates
from modules.evidence import Background, Retriever
from modules.stage import key
from modules.vectors import Embedder, remembering
from signatures.curation_results import CuratedQuestion, CurateResult, LeftOut
from signatures.types import RunRecord


@flow(name="curate", flow_run_name="{run_dir}", validate_parameters=False)
def curate(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Build a dataset; a question is a unit, and a killed run goes on where it stood.

    Args:
        config: A resolved curation configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.curation_results.CurateResult`).
    """
    settings = typed(CurateConfig, config)
    items = QuestionFile(name="questions", path=Path(settings.subject), limit=settings.limit)
    questions = items.items()
    run = new_run("curate", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        tracker.start()
        result = _curated(settings, config, run, questions)
        tracker.finish(_metrics(result), write_result(run, result))
    return result.model_dump(mode="json")


def _curated(
    settings: CurateConfig, config: dict[str, Any], run: Run, questions: Sequence[Item]
) -> CurateResult:
    lm_cache(settings.paths)
    retriever = retriever_of(settings, embedder_of(settings), run)
    embedder = remembering(embedder_of(settings))
    roles = roles_of(settings, run)
    texts = [question.text for question in questions]
    stay, twins = without_duplicates(texts, embedder, settings.curation.duplicate)
    curator = roles.bind(_curator(settings, retriever, embedder))
    outcomes: list[Outcome] = []
    pool = UnitPool(run, settings.runner, expected=len(stay), max_failed=settings.max_failed)
    try:
        units = [_unit(curator, questions[place]) for place in stay]
        pool.run(units, lambda outcome: _kept(outcomes, outcome))
    finally:
        pool.close()
    order = {unit.name: place for place, unit in enumerate(units)}
    outcomes.sort(key=lambda outcome: order[outcome.unit.name])
    if pool.stopped is not None and pool.stopped.exit_code == 3:
        raise pool.stopped
    found = [CuratedQuestion.model_validate(o.value) for o in outcomes if o.reason is None]
    kept = [question for question in found if question.dropped is None]
    told = figures(kept, embedder)
    files = write_dataset(run, found, kept, told)
    return CurateResult(
        file=settings.subject,
        questions=len(questions),
        kept=len(kept),
        partial_answers=sum(len(question.partial_answers) for question in kept),
        left_out=[*_twins(questions, twins), *_dropped(found), *_failed(outcomes)],
        figures=told,
        dataset=str(files.dataset),
        sheets=[str(path) for path in files.sheets],
        files=[str(path.relative_to(run.folder)) for path in files.all()],
        incomplete=None if pool.stopped is None else pool.stopped.what,
        notes=_notes(settings, retriever),
        seconds=run.seconds,
        usage=pool.usage(),
        run=RunRecord(
            id=run.id,
            config_hash=config_hash(config),
            models=roles.models(),
            corpus_version=getattr(retriever, "corpus_version", None),
            dir=str(run.folder),
            usage_total=pool.total,
        ),
    )


def _curator(settings: CurateConfig, retriever: Retriever, embedder: Embedder) -> Curator:
    gate = Background.within(settings.recall, retriever, k=settings.curation.passages)
    return Curator(
        settings.curation,
        retriever,
        embedder,
        gate=gate,
        scorer=settings.rerank.open(),
    )


def _unit(curator: Curator, question: Item) -> Unit:
    given = {"id": question.id, "question": question.text, "topic": question.topic}
    return Unit(
        name=f"question {question.id}",
        key=key("curated", curator, given),
        work=functools.partial(_work, curator, given),
        about=question,
    )


def _kept(outcomes: list[Outcome], outcome: Outcome) -> tuple[Unit, ...]:
    """Remember the outcome; no further unit comes of it."""
    outcomes.append(outcome)
    return ()


def _work(curator: Curator, given: dict[str, str]) -> Any:
    return curator(**given).model_dump(mode="json")


def _twins(questions: Sequence[Item], twins: Sequence[Duplicate]) -> list[LeftOut]:
    return [
        LeftOut(
            id=questions[twin.place].id,
            question=questions[twin.place].text,
            kind="duplicate",
            reason=f"nearly the same as {questions[twin.of].id} ({twin.cosine:.2f})",
        )
        for twin in twins
    ]


def _dropped(found: Sequence[CuratedQuestion]) -> list[LeftOut]:
    return [
        LeftOut(
            id=question.id,
            question=question.question,
            kind="views" if question.dropped.startswith("views") else "documents",
            reason=question.dropped.partition(": ")[2],
        )
        for question in found
        if question.dropped is not None
    ]


def _failed(outcomes: Sequence[Outcome]) -> list[LeftOut]:
    return [
        LeftOut(
            id=outcome.unit.about.id,
            question=outcome.unit.about.text,
            kind="failed",
            reason=outcome.reason,
        )
        for outcome in outcomes
        if outcome.reason is not None
    ]


def _notes(settings: CurateConfig, retriever: Retriever) -> list[str]:
    told: list[str] = getattr(retriever, "notes", list)()
    if settings.roles.get("writer", settings.backend).deterministic:
        told = [
            "points of view and explanations are sentences that the extractive baseline selected; "
            "choose a model with backend=openai (or vllm, ollama, anthropic, ...)",
            *told,
        ]
    return told


def _metrics(result: CurateResult) -> dict[str, float | None]:
    usage = result.usage.model_dump()
    left = [one.kind for one in result.left_out]
    return {
        **{f"usage.{k}": v for k, v in usage.items()},
        **{f"left_out.{kind}": float(left.count(kind)) for kind in sorted(set(left))},
        "questions": float(result.questions),
        "kept": float(result.kept),
        "partial_answers": float(result.partial_answers),
        "cosine": result.figures.cosine,
        "seconds": result.seconds,
    }


__all__ = ["curate"]
