"""Which measures a meta-evaluation compares, and the scores of every answer by each."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from evals.contract import Direction, Metric, Tools
from evals.meta.rows import Answer
from evals.scoring import RowScore, scored
from flows.meta_config import MetaConfig
from flows.programs import Programs
from flows.run import Run
from flows.runtime import embedder_of, evaluator_of
from flows.units import Outcome, Unit, UnitPool, kept, unit_key
from modules.lm.roles import Roles
from modules.perplexity import Evaluator
from signatures.errors import ConfigError
from signatures.meta_results import Kind, Measure
from signatures.results import ScoredItem

DIVERSITY, AWARENESS = ("pd",), ("da", "acknowledge")
"""How the names of measures of S4's two qualities begin."""


class Variant(NamedTuple):
    """A metric under one evaluator and one restatement; without a metric, scores brought along."""

    name: str
    metric: Metric | None
    evaluator: str | None
    restatement: int | None


class Scored(NamedTuple):
    """What became of the answers: by measure and answer's name."""

    items: dict[str, dict[str, ScoredItem]]
    evaluators: dict[str, Evaluator]


def variants(settings: MetaConfig, answers: Sequence[Answer]) -> list[Variant]:
    """Every metric under every evaluator and restatement it takes, then the rows' own scores.

    Raises:
        ConfigError: A metric is one figure over all rows.
    """
    found = []
    readers = list(settings.readers())
    for name, metric in settings.metrics.items():
        if metric.level != "item":
            raise ConfigError(f"metric {name} is one figure over all rows, and ranks nothing")
        for reader in readers if metric.evaluates else [None]:
            for number in settings.restatements if _restates(metric) else [None]:
                told = [name]
                told += [reader] if reader and len(readers) > 1 else []
                told += [f"restatement {number}"] if len(settings.restatements) > 1 and (
                    number is not None
                ) else []  # fmt: skip
                own = metric if number is None else _restated(metric, number)
                found.append(Variant("/".join(told), own, reader, number))
    taken = {variant.name for variant in found}
    brought = dict.fromkeys(name for answer in answers for name in answer.scores)
    return found + [Variant(name, None, None, None) for name in brought if name not in taken]


def measure(variant: Variant, items: dict[str, ScoredItem], settings: MetaConfig) -> Measure:
    """A variant's line in the result."""
    base = variant.metric.name if variant.metric else variant.name.partition("/")[0]
    count = [item.status for item in items.values()]
    return Measure(
        name=variant.name,
        metric=base,
        evaluator=variant.evaluator if variant.metric else _suffix(variant.name),
        restatement=variant.restatement,
        direction=_direction(variant, settings),
        kind=_kind(base),
        main=variant.restatement in (None, settings.restatements[0]),
        n_scored=count.count("scored"),
        n_failed=count.count("failed"),
        n_abstained=count.count("abstained"),
    )


def score_all(
    settings: MetaConfig,
    run: Run,
    roles: Roles,
    programs: Programs,
    found: Sequence[Variant],
    answers: Sequence[Answer],
    pool: UnitPool,
) -> Scored:
    """Every answer by every variant; those that cost are units, persisted and resumed."""
    evaluators = _evaluators(settings, run) if _reads(found) else {}
    judge = roles.backends["judge"].identity()
    embedder = embedder_of(settings) if settings.embeds else None
    items: dict[str, dict[str, ScoredItem]] = {variant.name: {} for variant in found}
    units: list[Unit] = []
    for variant in found:
        if variant.metric is None:
            items[variant.name] = _brought(variant.name, answers)
            continue
        reader = evaluators[variant.evaluator] if variant.evaluator else None
        tools = Tools(embedder, programs.bind(roles), judge, reader)
        if variant.metric.program() is None and reader is None:
            for answer in answers:
                work = functools.partial(variant.metric.score, answer.row, tools)
                items[variant.name][answer.name] = scored(answer.name, work)
        else:
            units += _units(variant, answers, tools)

    def keep(outcome: Outcome) -> tuple[Unit, ...]:
        name, answer = outcome.unit.about
        items[name][answer] = (
            ScoredItem.model_validate(outcome.value)
            if outcome.reason is None
            else ScoredItem(id=answer, status="failed", value=None, explanation=outcome.reason)
        )
        return ()

    if any(kept(unit) is None for unit in units):
        for evaluator in evaluators.values():
            evaluator.warm()  # a model that is not there is no answer's fault
    pool.run(units, keep)
    return Scored(items, evaluators)


def expected(found: Sequence[Variant], answers: Sequence[Answer]) -> int:
    """How many units there will be."""
    asked = [v for v in found if v.metric and (v.evaluator or v.metric.program() is not None)]
    return len(asked) * len(answers)


def _units(variant: Variant, answers: Sequence[Answer], tools: Tools) -> list[Unit]:
    assert variant.metric is not None  # noqa: S101 - only those with a metric are asked
    stage = RowScore(variant.metric, tools)
    identity = stage.identity()
    return [
        Unit(
            name=f"{variant.name}: {answer.name}",
            key=unit_key("score", identity=identity, name=answer.name, row=answer.row),
            work=functools.partial(_work, stage, answer),
            about=(variant.name, answer.name),
        )
        for answer in answers
    ]


def _work(stage: RowScore, answer: Answer) -> Any:
    return stage(name=answer.name, row=answer.row).model_dump(mode="json")


def _evaluators(settings: MetaConfig, run: Run) -> dict[str, Evaluator]:
    opened = {}
    for name, spec in settings.readers().items():
        one = evaluator_of(settings.model_copy(update={"evaluator": spec}), run.ledger)
        if one is not None:
            opened[name] = one
    return opened


def _brought(name: str, answers: Sequence[Answer]) -> dict[str, ScoredItem]:
    """The scores that rows brought along; null is an abstention."""
    return {
        answer.name: ScoredItem(
            id=answer.name,
            status="abstained" if answer.scores[name] is None else "scored",
            value=answer.scores[name],
            explanation="brought along",
        )
        for answer in answers
        if name in answer.scores
    }


def _reads(found: Sequence[Variant]) -> bool:
    return any(variant.evaluator for variant in found)


def _restates(metric: Metric) -> bool:
    return "restatement" in type(metric).model_fields


def _restated(metric: Metric, number: int) -> Metric:
    return metric.model_copy(update={"restatement": number})


def _suffix(name: str) -> str | None:
    return name.partition("/")[2] or None


def _kind(metric: str) -> Kind:
    if metric.startswith(DIVERSITY):
        return "diversity"
    return "awareness" if metric.startswith(AWARENESS) else "other"


def _direction(variant: Variant, settings: MetaConfig) -> Direction:
    if variant.metric is not None:
        return variant.metric.direction
    said = settings.directions.get(variant.name)
    return said or ("lower" if variant.name.startswith(DIVERSITY) else "higher")


__all__ = ["Scored", "Variant", "expected", "measure", "score_all", "variants"]
