"""The annotate flow: discussions rated by annotators, and what their ratings say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow

from evals.moderation import Figures, counts
from flows.config import AnnotateConfig, config_hash, typed
from flows.moderation_files import write_files
from flows.rating import (
    Bench,
    Sampler,
    agreement_metrics,
    analysed,
    bench,
    checked,
    collected,
    failures,
    incomplete,
)
from flows.run import RESULT_FILE, Run, find
from flows.runtime import new_run
from flows.tracking import tracked
from flows.units import Outcome, Unit, UnitPool
from modules.discussion_import import Imported, imported
from signatures.errors import InputError
from signatures.moderation import Annotation, Annotator, Discussion
from signatures.moderation_results import AnnotateResult
from signatures.types import RunRecord


@flow(name="annotate", flow_run_name="{run_dir}", validate_parameters=False)
def annotate(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Have discussions rated, and analyse these ratings and those the discussions bring along.

    Args:
        config: A resolved annotate configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.moderation_results.AnnotateResult`).
    """
    settings = typed(AnnotateConfig, config)
    read = imported(_path(settings), settings.criteria)
    run = new_run("annotate", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        result, figures = _annotate(settings, config, run, read)
        discussions = list(read.discussions.values())
        files = write_files(
            run, discussions, result.annotations, result.annotators, figures, settings.criteria
        )
        result = result.model_copy(update={"files": [str(f) for f in files]})
        files.append(run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"))
        tracker.finish(_metrics(result), files)
    return result.model_dump(mode="json")


def _path(settings: AnnotateConfig) -> Path:
    """The files the subject names: a path, or the id of a discuss run."""
    path = Path(settings.subject)
    if path.exists():
        return path
    try:
        return find(settings.paths.runs, settings.subject)
    except InputError as error:
        raise InputError(
            f"{settings.subject} does not exist, and is no run",
            expected="a file or folder of discussions, or a run of moot discuss",
        ) from error


def _annotate(
    settings: AnnotateConfig, config: dict[str, Any], run: Run, read: Imported
) -> tuple[AnnotateResult, Figures]:
    annotators = settings.annotators.open()
    checked(settings, annotators)
    discussions = list(read.discussions.values())
    outcomes, sampler, raters, pool = _rated(settings, run, annotators, discussions)
    lost = failures(outcomes, run, pool)
    anew = {a.name for a in annotators}
    kept = [a for a in read.annotations if a.annotator not in anew]
    mine = collected(outcomes, discussions, annotators)
    rated = [*kept, *mine]
    figures = analysed(settings, discussions, rated)
    models = sampler.roles(settings.seed).models() if annotators else {}
    record = RunRecord(
        id=run.id,
        config_hash=config_hash(config),
        models={role: model for role, model in models.items() if role == "judge"},
        programs=raters.programs.used(),
        corpus_version=None,
        dir=str(run.folder),
        usage_total=pool.total,
    )
    result = AnnotateResult(
        annotators=annotators,
        annotations=rated,
        agreement=figures.agreement,
        analysis=figures.analysis,
        counts=counts(discussions),
        accounts=read.accounts,
        failures=lost,
        incomplete=incomplete(settings, None, mine),
        files=[],
        notes=[*_notes(settings, read, annotators, kept), *raters.programs.notes()],
        seconds=run.seconds,
        usage=pool.usage(),
        run=record,
    )
    return result, figures


def _rated(
    settings: AnnotateConfig,
    run: Run,
    annotators: list[Annotator],
    discussions: Sequence[Discussion],
) -> tuple[list[Outcome], Sampler, Bench, UnitPool]:
    """Have every discussion rated by every annotator, side by side."""
    sampler = Sampler(settings, run)
    raters = bench(settings, sampler, annotators)
    expected = len(discussions) * len(annotators)
    pool = UnitPool(run, settings.runner, expected=expected, max_failed=settings.max_failed)
    outcomes: list[Outcome] = []

    def keep(outcome: Outcome) -> tuple[Unit, ...]:
        outcomes.append(outcome)
        return ()

    try:
        pool.run((unit for one in discussions for unit in raters.units(one)), keep)
    finally:
        pool.close()
    return outcomes, sampler, raters, pool


def _notes(
    settings: AnnotateConfig,
    read: Imported,
    annotators: Sequence[Annotator],
    kept: Sequence[Annotation],
) -> list[str]:
    notes = []
    if annotators and settings.roles.get("judge", settings.backend).deterministic:
        notes.append(
            "the extractive baseline does not rate: its annotations are abstained; choose a model "
            "with backend=openai (or vllm, ...), or annotators=none for the ratings that logs hold"
        )
    if not annotators and not kept:
        notes.append("the discussions bring no ratings along, and nobody rates: nothing to analyse")
    if len(kept) < len(read.annotations):
        lost = len(read.annotations) - len(kept)
        notes.append(f"{lost} imported ratings are replaced: their annotators rate anew")
    lost_logs = [d for d in read.discussions.values() if d.conditions.moderated is None]
    if lost_logs:
        notes.append(
            f"of {len(lost_logs)} discussions nobody tells whether they were moderated: they are "
            "in the agreement, and not in the effect of moderation"
        )
    refused = [
        a
        for a in read.accounts
        if a.refused or (a.rows == 0 and "configuration" not in (a.reason or ""))
    ]
    notes += [f"{a.source}: {a.reason}" for a in refused[:5]]
    if len(refused) > 5:
        notes.append(f"{len(refused) - 5} further files were skipped or not taken whole")
    return notes


def _metrics(result: AnnotateResult) -> dict[str, float | None]:
    return {
        **{f"usage.{k}": v for k, v in result.usage.model_dump().items()},
        **agreement_metrics(result.agreement),
        "rows.taken": float(sum(a.taken for a in result.accounts)),
        "rows.refused": float(sum(a.refused for a in result.accounts)),
        "failures": float(len(result.failures)),
        "seconds": result.seconds,
    }


__all__ = ["annotate"]
