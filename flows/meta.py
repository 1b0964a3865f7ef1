"""The meta flow: how far measures of answers agree with people and with one another."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow

from evals.judged import same_model
from evals.meta import analysis
from evals.meta.plots import draw
from evals.meta.rows import Answer, Read, read
from evals.meta.text import markdown
from evals.rows import load
from evals.scoring import filled
from flows.config import config_hash, typed
from flows.limiting import limiters
from flows.meta_config import MetaConfig
from flows.meta_measures import Scored, Variant, expected, measure, score_all, variants
from flows.programs import Programs
from flows.run import RESULT_FILE, Run
from flows.runtime import lm_cache, new_run
from flows.score import known
from flows.tracking import tracked
from flows.units import UnitPool
from modules.lm.roles import Roles
from signatures.meta_results import Measure, MetaResult
from signatures.results import ScoredItem
from signatures.types import RunRecord

NAMED = 20
"""Failures spelled out in the result; all of them are in ``scores.jsonl``."""


@flow(name="meta", flow_run_name="{run_dir}", validate_parameters=False)
def meta(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Compare measures of the answers in a file with people and with one another.

    Args:
        config: A resolved meta configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.meta_results.MetaResult`).

    Raises:
        InputError: The file holds no answer.
        BudgetReached: A cap was met. All that is finished is kept.
    """
    settings = typed(MetaConfig, config)
    found = _rows(settings)
    run = new_run("meta", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        result, files = _studied(settings, config, run, found)
        files.append(run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"))
        tracker.finish(_metrics(result), files)
    return result.model_dump(mode="json")


def _rows(settings: MetaConfig) -> Read:
    """The file's rows, with what the dataset knows of their questions."""
    loaded = load(Path(settings.subject))
    if settings.dataset is not None:
        loaded = filled(loaded, {item.id: known(item) for item in settings.dataset.items()})
    return read(loaded)


def _studied(
    settings: MetaConfig, config: dict[str, Any], run: Run, found: Read
) -> tuple[MetaResult, list[Path]]:
    lm_cache(settings.paths)
    backend = settings.roles.get("judge", settings.backend)
    slots = limiters(settings.runner, [backend])
    roles = run.holding(
        Roles(settings.backend, run.ledger, own=settings.roles, seed=settings.seed, slots=slots)
    )
    programs = Programs(settings)
    chosen = variants(settings, found.answers)
    total = expected(chosen, found.answers)
    # Every answer is asked about under every measure; whether too much failed is said at the end.
    pool = UnitPool(run, settings.runner, expected=total, max_failed=1.0)
    try:
        scored = score_all(settings, run, roles, programs, chosen, found.answers, pool)
    finally:
        pool.close()
    if pool.stopped is not None:
        raise pool.stopped
    measures = [measure(one, scored.items[one.name], settings) for one in chosen]
    answers, unit = _with_lengths(found.answers, scored)
    judged = any(one.metric is not None and one.metric.program() is not None for one in chosen)
    judge = roles.backends["judge"].identity()
    models = {"judge": judge} if judged else {}
    models |= {f"evaluator.{name}": one.name for name, one in scored.evaluators.items()}
    failures = [*found.bad, *_failures(chosen, scored)]
    rows_total = total + len(found.bad)
    result = _result(
        settings, answers, found, measures, scored, failures,
        notes=[*_notes(settings, chosen, found, unit, judge), *programs.notes()],
        incomplete=_incomplete(len(failures), rows_total or len(answers), settings.max_failed),
        seconds=run.seconds, usage=pool.usage(),
        run=RunRecord(
            id=run.id, config_hash=config_hash(config), models=models,
            programs=programs.used(), corpus_version=None, dir=str(run.folder),
            usage_total=pool.total,
        ),
    )  # fmt: skip
    return _written(run, result, scored)


def _result(
    settings: MetaConfig,
    answers: list[Answer],
    found: Read,
    measures: list[Measure],
    scored: Scored,
    failures: list[str],
    **rest: Any,
) -> MetaResult:
    scores = {name: _values(items) for name, items in scored.items.items()}
    apart = [answer for answer in answers if answer.setting is None]
    study = analysis.Study(apart, measures, scores, found.preferences)
    means = analysis.means(study)
    people = analysis.human(found.preferences, seed=settings.seed)
    more = len(failures) - NAMED
    told = [*failures[:NAMED], f"and {more} more"] if more > 0 else failures
    return MetaResult(
        file=settings.subject,
        questions=len({answer.question for answer in answers}),
        answers=len(answers),
        measures=measures,
        table=analysis.table(study, means),
        human=people,
        alignment=analysis.alignment(study, means, people),
        labels=analysis.labels(study),
        stability=analysis.stability(study, means),
        weighted=analysis.weighted(means, measures),
        sweeps=analysis.sweeps(answers, measures, scores),
        failures=told,
        files=[],
        **rest,
    )


def _written(run: Run, result: MetaResult, scored: Scored) -> tuple[MetaResult, list[Path]]:
    """The run's files: plots, the report, and every score."""
    plots = []
    for name, figure in draw(result).items():
        path = run.folder / f"{name}.png"
        figure.savefig(path, dpi=120)
        plots.append(path)
    names = [path.name for path in plots] + ["report.md", "scores.jsonl"]
    result = result.model_copy(update={"files": names})
    lines = [
        f'{{"measure": {json.dumps(name, ensure_ascii=False)}, "item": {item.model_dump_json()}}}\n'
        for name, items in scored.items.items()
        for item in items.values()
    ]
    files = [run.write("report.md", markdown(result)), run.write("scores.jsonl", "".join(lines))]
    return result, [*plots, *files]


def _with_lengths(answers: Sequence[Answer], scored: Scored) -> tuple[list[Answer], str]:
    """Answers with a length each: their own, the evaluator's tokens, else words; and which."""
    reader = next(iter(scored.evaluators.values()), None)

    def words(text: str) -> int | None:
        return len(text.split())

    count = words if reader is None else functools.cache(reader.count)
    measured = []
    for answer in answers:
        own = answer.length if answer.length is not None else count(str(answer.row["generation"]))
        measured.append(answer._replace(length=own))
    if all(answer.length is not None for answer in answers):
        return measured, "tokens, as the rows say"
    return measured, "words" if reader is None else f"tokens of {reader.name}"


def _values(items: dict[str, ScoredItem]) -> dict[str, float]:
    return {name: item.value for name, item in items.items() if item.value is not None}


def _failures(chosen: Sequence[Variant], scored: Scored) -> list[str]:
    return [
        f"{one.name}: {item.id}: {item.explanation}"
        for one in chosen
        for item in scored.items[one.name].values()
        if item.status == "failed"
    ]


def _notes(
    settings: MetaConfig, chosen: Sequence[Variant], found: Read, unit: str, judge: str
) -> list[str]:
    notes = [f"length in {unit}"]
    if any(one.metric is not None and one.metric.judges for one in chosen):
        if settings.roles.get("judge", settings.backend).deterministic:
            notes.append("the judge is the extractive baseline, which abstains: choose backend=...")
        elif any(same_model(answer.row.get("writer"), judge) for answer in found.answers):
            notes.append(f"the judge {judge} wrote some of the answers itself")
    if not found.preferences:
        notes.append("no preferences of people: nothing to align with")
    return notes


def _incomplete(n_failed: int, total: int, allowed: float) -> str | None:
    if n_failed <= allowed * total:
        return None
    return f"{n_failed} of {total} scores and rows failed, more than max_failed={allowed:g}"


def _metrics(result: MetaResult) -> dict[str, float | None]:
    told: dict[str, float | None] = {f"usage.{k}": v for k, v in result.usage.model_dump().items()}
    for line in result.alignment:
        told[f"{_flat(line.measure)}.spearman"] = line.spearman
        told[f"{_flat(line.measure)}.kendall"] = line.kendall
    for verdict in result.labels:
        told[f"{_flat(verdict.measure)}.accuracy"] = verdict.accuracy
        told[f"{_flat(verdict.measure)}.mcc"] = verdict.mcc
    return {**told, "answers": float(result.answers), "seconds": result.seconds}


def _flat(name: str) -> str:
    return name.replace(" ", "_")


__all__ = ["meta"]
