"""The discuss flow: plans become discussions, and what annotators make of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from prefect import flow

from evals.moderation import Figures, counts
from flows.config import DiscussConfig, config_hash, typed
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
    stage_unit,
)
from flows.run import RESULT_FILE, Run
from flows.runtime import embedder_of, new_run
from flows.tracking import tracked
from flows.units import Outcome, Unit, UnitPool
from modules.discussion import Discuss
from modules.discussion_settings import plans
from modules.evidence import Background
from signatures.errors import ConfigError
from signatures.moderation import Annotation, Discussion, DiscussionPlan
from signatures.moderation_results import DiscussResult, UnitFailure
from signatures.types import Passage, RunRecord


@flow(name="discuss", flow_run_name="{run_dir}", validate_parameters=False)
def discuss(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Hold discussions, and have them rated where annotators are given.

    Args:
        config: A resolved discuss configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.moderation_results.DiscussResult`).
    """
    settings = typed(DiscussConfig, config)
    planned = _plans(settings)
    run = new_run("discuss", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        result, figures = _discuss(settings, config, run, planned)
        files = write_files(
            run,
            result.discussions,
            result.annotations,
            result.annotators,
            figures,
            settings.criteria,
        )
        result = result.model_copy(update={"files": [str(f) for f in files]})
        files.append(run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"))
        tracker.finish(_metrics(result), files)
    return result.model_dump(mode="json")


def _plans(settings: DiscussConfig) -> list[DiscussionPlan]:
    return plans(
        settings.subject,
        topics=settings.topics,
        backgrounds=settings.backgrounds,
        policies=settings.policies,
        moderator=settings.moderator,
        moderated=settings.moderated,
        seeds=settings.seeds or [settings.seed],
        settings=settings.discussion,
        reading=settings.reading,
    )


def _discuss(
    settings: DiscussConfig, config: dict[str, Any], run: Run, planned: list[DiscussionPlan]
) -> tuple[DiscussResult, Figures]:
    annotators = settings.annotators.open()
    checked(settings, annotators)
    sampler = Sampler(settings, run)
    raters = bench(settings, sampler, annotators)
    passages, version = _passages(settings, run, planned)
    pool = UnitPool(
        run,
        settings.runner,
        expected=len(planned) * (1 + len(annotators)),
        max_failed=settings.max_failed,
    )
    try:
        outcomes = _held(settings, planned, passages, sampler, raters, pool)
    finally:
        pool.close()
    lost = failures(outcomes, run, pool)
    held = _discussions(outcomes, planned)
    rated = collected(outcomes, held, annotators)
    figures = analysed(settings, held, rated)
    record = RunRecord(
        id=run.id,
        config_hash=config_hash(config),
        models=sampler.roles(settings.seed).models(),
        programs=raters.programs.used(),
        corpus_version=version,
        dir=str(run.folder),
        usage_total=pool.total,
    )
    return _result(settings, run, held, rated, figures, lost, pool, record), figures


def _passages(
    settings: DiscussConfig, run: Run, planned: Sequence[DiscussionPlan]
) -> tuple[dict[str, list[Passage]], str | None]:
    """Passages by topic, and the version of the corpus they come from.

    Raises:
        EvidenceError: The corpus holds nothing on a topic.
    """
    topics = dict.fromkeys(plan.conditions.topic for plan in planned)
    if not settings.grounded:
        if settings.roles.get("writer", settings.backend).deterministic:
            raise ConfigError(
                "the extractive engine speaks from the corpus alone", got="evidence=none",
                remedy="choose evidence=auto, or a real model with backend=openai",
            )  # fmt: skip
        return {topic: [] for topic in topics}, None
    spec = settings.retriever.for_run(run.folder)
    retriever = spec.open(settings.paths.index, embedder_of(settings))
    recall = Background.within(settings.recall, retriever, k=settings.recall.passages)
    found = {topic: recall(subject=topic) for topic in topics}
    return found, getattr(retriever, "corpus_version", None)


def _held(
    settings: DiscussConfig,
    planned: Sequence[DiscussionPlan],
    passages: dict[str, list[Passage]],
    sampler: Sampler,
    raters: Bench,
    pool: UnitPool,
) -> list[Outcome]:
    """Hold all discussions side by side; each is rated as soon as it has ended."""
    stages = {}
    for seed in sorted({plan.conditions.seed or 0 for plan in planned}):
        stages[seed] = sampler.roles(seed).bind(Discuss(grounded=settings.grounded))
    units = (
        stage_unit(
            f"discuss {plan.id}",
            stages[plan.conditions.seed or 0],
            (plan.id, ""),
            plan=plan,
            passages=passages[plan.conditions.topic],
        )
        for plan in planned
    )
    outcomes: list[Outcome] = []

    def rate(outcome: Outcome) -> Iterable[Unit]:
        outcomes.append(outcome)
        _, annotator = outcome.unit.about
        if annotator or outcome.value is None:
            return ()
        return raters.units(Discussion.model_validate(outcome.value))

    pool.run(units, rate)
    return outcomes


def _discussions(
    outcomes: Sequence[Outcome], planned: Sequence[DiscussionPlan]
) -> list[Discussion]:
    """The discussions that took place, in the order of their plans."""
    by_place = {o.unit.about: o.value for o in outcomes if o.value is not None}
    values = [by_place.get((plan.id, "")) for plan in planned]
    return [Discussion.model_validate(value) for value in values if value is not None]


def _result(
    settings: DiscussConfig,
    run: Run,
    held: list[Discussion],
    rated: list[Annotation],
    figures: Figures,
    lost: list[UnitFailure],
    pool: UnitPool,
    record: RunRecord,
) -> DiscussResult:
    counted = counts(held)
    return DiscussResult(
        discussions=held,
        annotators=settings.annotators.open(),
        counts=counted,
        annotations=rated,
        agreement=figures.agreement,
        analysis=figures.analysis if rated else None,
        failures=lost,
        incomplete=incomplete(settings, counted, rated),
        files=[],
        notes=_notes(settings, rated),
        seconds=run.seconds,
        usage=pool.usage(),
        run=record,
    )


def _notes(settings: DiscussConfig, rated: Sequence[Annotation]) -> list[str]:
    notes = []
    if settings.roles.get("writer", settings.backend).deterministic:
        notes.append(
            "spoken by the extractive baseline, which selects and joins sentences of the "
            "evidence and never moderates; choose a model with backend=openai (or vllm, ...)"
        )
    if rated and settings.roles.get("judge", settings.backend).deterministic:
        notes.append("the extractive baseline does not rate: every annotation is abstained")
    return notes


def _metrics(result: DiscussResult) -> dict[str, float | None]:
    return {
        **{f"usage.{k}": v for k, v in result.usage.model_dump().items()},
        **{f"count.{k}": float(v) for k, v in result.counts.model_dump().items()},
        **agreement_metrics(result.agreement),
        "failures": float(len(result.failures)),
        "seconds": result.seconds,
    }


__all__ = ["discuss"]
