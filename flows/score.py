"""The score flow: one metric over texts that exist, without generating any."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow

from evals.contract import Metric, Tools
from evals.datasets import Item
from evals.judged import same_model
from evals.rows import Loaded, load
from evals.scoring import Figure, RowScore, failed, figure, filled, scored
from flows.config import ScoreConfig, config_hash, typed
from flows.limiting import limiters
from flows.programs import Programs
from flows.run import RESULT_FILE, Run
from flows.runtime import embedder_of, evaluator_of, lm_cache, new_run
from flows.tracking import tracked
from flows.units import Outcome, Unit, UnitPool, kept, unit_key
from modules.lm.roles import Roles
from signatures.errors import ConfigError
from signatures.results import ScoredItem, ScoreResult
from signatures.types import RunRecord


@flow(name="score", flow_run_name="{run_dir}", validate_parameters=False)
def score(config: dict[str, Any], run_dir: str | None = None) -> dict[str, Any]:
    """Score the rows of a file.

    Args:
        config: A resolved score configuration as plain data.
        run_dir: The run's folder; by default a new one under the configured runs.

    Returns:
        The JSON document (:class:`signatures.results.ScoreResult`).
    """
    settings = typed(ScoreConfig, config)
    loaded = _rows(settings)
    run = new_run("score", settings, config, run_dir, settings.budget)
    with tracked(run, settings, config) as tracker:
        result = _score(settings, config, run, loaded)
        path = run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n")
        tracker.finish(_metrics(result), [path])
    return result.model_dump(mode="json")


def _rows(settings: ScoreConfig) -> list[Loaded]:
    """The rows of the file, with what the dataset knows of them."""
    loaded = load(Path(settings.subject))
    if settings.dataset is None:
        return loaded
    items = settings.dataset.items()
    by_text = {" ".join(item.text.split()).casefold(): known(item) for item in items}
    return filled(loaded, by_text | {item.id: known(item) for item in items})


def known(item: Item) -> dict[str, Any]:
    """What the dataset says of an item: its text, and what answers to it should hold."""
    found = {
        name: [one.model_dump(mode="json") for one in getattr(item, name, ())]
        for name in ("partial_answers", "clusters")
    }
    return {"input": item.text, **{name: given for name, given in found.items() if given}}


def _score(
    settings: ScoreConfig, config: dict[str, Any], run: Run, loaded: list[Loaded]
) -> ScoreResult:
    metric = settings.metric
    roles, programs = _roles(settings, run), Programs(settings)
    judge = roles.backends["judge"].identity()
    notes = _judge_notes(settings, loaded, judge) + programs.notes()
    embedder = embedder_of(settings) if metric.embeds else None
    evaluator = evaluator_of(settings, run.ledger) if metric.evaluates else None
    tools = Tools(embedder, programs.bind(roles), judge, evaluator)
    good = sum(one.row is not None for one in loaded)
    pool = UnitPool(run, settings.runner, expected=good, max_failed=settings.max_failed)
    try:
        items = _items(settings, run, loaded, tools, pool)
    finally:
        pool.close()
    whole = figure(
        metric,
        loaded,
        items,
        tools,
        seed=settings.seed,
        resamples=settings.bootstrap.resamples,
        level=settings.bootstrap.level,
    )
    record = RunRecord(
        id=run.id,
        config_hash=config_hash(config),
        models={
            **({} if metric.program() is None else {"judge": judge}),
            **({} if evaluator is None else {"evaluator": evaluator.name}),
        },
        programs=programs.used(),
        corpus_version=None,
        dir=str(run.folder),
        usage_total=pool.total,
    )
    return _result(settings, items, whole, notes, run, pool, record)


def _roles(settings: ScoreConfig, run: Run) -> Roles:
    lm_cache(settings.paths)
    backend = settings.roles.get("judge", settings.backend)
    slots = limiters(settings.runner, [backend])
    return run.holding(
        Roles(settings.backend, run.ledger, own=settings.roles, seed=settings.seed, slots=slots)
    )


def _judge_notes(settings: ScoreConfig, loaded: Sequence[Loaded], judge: str) -> list[str]:
    """A warning, or a refusal, where the judge's model wrote what it is to judge."""
    metric = settings.metric
    if metric.program() is None:
        return []
    if settings.roles.get("judge", settings.backend).deterministic:
        does = "it never judges" if metric.judges else "its built-in extractor answers"
        return [f"the judge is the extractive baseline: {does}; choose a model with backend=..."]
    if not metric.judges:
        return []
    own = sum(same_model(one.row.get("writer"), judge) for one in loaded if one.row)
    said = f"the judge {judge} wrote {own} of {len(loaded)} rows itself"
    if own and settings.self_judging == "refuse":
        raise ConfigError(
            said,
            expected="another model",
            remedy="set backend@roles.judge, or allow it with self_judging=warn",
        )
    return [said] if own else []


def _items(
    settings: ScoreConfig, run: Run, loaded: Sequence[Loaded], tools: Tools, pool: UnitPool
) -> list[ScoredItem]:
    """What became of each row, in the file's order."""
    metric = settings.metric
    items = {
        place: failed(one.id, one.problem) for place, one in enumerate(loaded) if one.row is None
    }
    good = [(place, one.id, one.row) for place, one in enumerate(loaded) if one.row is not None]
    if metric.program() is None and not metric.evaluates:
        for place, name, row in good:
            items[place] = scored(name, functools.partial(metric.score, row, tools))
    else:
        outcomes: list[Outcome] = []
        units = _units(metric, good, tools)
        if tools.evaluator is not None and any(kept(unit) is None for unit in units):
            tools.evaluator.warm()  # a model that is not there is no row's fault
        pool.run(units, lambda outcome: _kept(outcomes, outcome))
        for outcome in outcomes:
            place, name = outcome.unit.about
            if outcome.reason is not None:
                items[place] = failed(name, outcome.reason)
            else:
                items[place] = ScoredItem.model_validate(outcome.value)
        if pool.stopped is not None:
            lost = [item.model_dump() for item in items.values() if item.status == "failed"]
            lines = (json.dumps(item, ensure_ascii=False) for item in lost)
            run.write("failures.jsonl", "".join(f"{line}\n" for line in lines))
            raise pool.stopped
    return [items[place] for place in range(len(loaded))]


def _kept(outcomes: list[Outcome], outcome: Outcome) -> tuple[Unit, ...]:
    """Keep an outcome; no further units follow from it."""
    outcomes.append(outcome)
    return ()


def _units(
    metric: Metric, good: Sequence[tuple[int, str, dict[str, Any]]], tools: Tools
) -> list[Unit]:
    stage = RowScore(metric, tools)
    identity = stage.identity()
    return [
        Unit(
            name=f"{place + 1}:{name}",
            key=unit_key("score", identity=identity, name=name, row=row),
            work=functools.partial(_work, stage, name, row),
            about=(place, name),
        )
        for place, name, row in good
    ]


def _work(stage: RowScore, name: str, row: dict[str, Any]) -> Any:
    return stage(name=name, row=row).model_dump(mode="json")


def _result(
    settings: ScoreConfig,
    items: list[ScoredItem],
    whole: Figure,
    notes: list[str],
    run: Run,
    pool: UnitPool,
    record: RunRecord,
) -> ScoreResult:
    metric = settings.metric
    count = {kind: sum(item.status == kind for item in items) for kind in _STATUSES}
    return ScoreResult(
        file=settings.subject,
        metric=metric.name,
        options=metric.model_dump(mode="json"),
        range=_finite(metric.range),
        direction=metric.direction,
        level=metric.level,
        value=whole.value,
        ci=whole.ci,
        n_scored=count["scored"],
        n_failed=count["failed"],
        n_abstained=count["abstained"],
        items=items,
        incomplete=_incomplete(count["failed"], len(items), settings.max_failed),
        notes=[*notes, *whole.notes],
        seconds=run.seconds,
        usage=pool.usage(),
        run=record,
    )


def _finite(ends: tuple[float, float]) -> tuple[float | None, float | None]:
    low, high = (end if math.isfinite(end) else None for end in ends)
    return low, high


_STATUSES = ("scored", "abstained", "failed")


def _incomplete(n_failed: int, n_rows: int, allowed: float) -> str | None:
    """What to say when more rows failed than may."""
    if n_failed <= allowed * n_rows:
        return None
    return f"{n_failed} of {n_rows} rows could not be scored, more than max_failed={allowed:g}"


def _metrics(result: ScoreResult) -> dict[str, float | None]:
    low, high = result.ci or (None, None)
    usage = result.usage.model_dump()
    return {
        **{f"usage.{k}": v for k, v in usage.items()},
        result.metric: result.value,
        f"{result.metric}.low": low,
        f"{result.metric}.high": high,
        "n_scored": result.n_scored,
        "n_failed": result.n_failed,
        "n_abstained": result.n_abstained,
        "seconds": result.seconds,
    }


__all__ = ["known", "score"]
