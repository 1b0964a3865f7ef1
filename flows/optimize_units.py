"""The texts of a program on the questions of one part, as persisted units: baseline and holdout."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evals.optimizing.compiled import Compiled, restore
from evals.optimizing.objective import Scored
from evals.optimizing.targets import judges_of
from evals.scoring import RowScore
from flows.units import Outcome, Unit, UnitPool, unit_key
from modules.stage import program_identity

if TYPE_CHECKING:
    from flows.optimize_run import Optimization


def scored_units(
    work: Optimization, program: Compiled, ids: Sequence[str], what: str
) -> dict[str, Scored]:
    """Each item's text by ``program`` under all metrics, as persisted units.

    A text that fails is counted, unless too many do.
    """
    import dspy

    settings = work.settings
    pool = UnitPool(work.run, settings.runner, expected=len(ids), max_failed=settings.max_failed)
    tuned = restore(program.program, work.target.program())
    bound = work.roles.bind(tuned)
    identity = program_identity(bound)
    judges = [program_identity(judge) for judge in judges_of(bound)]
    target = [work.target.name, work.target.method, work.target.identity()]
    metrics = {
        name: RowScore(metric, work.tuning.tools).identity()
        for name, metric in settings.measures.items()
    }
    found: dict[str, Scored] = {}
    rows: dict[str, dict[str, Any]] = work.rows.setdefault(what, {})

    def make(item: str) -> Any:
        made = work.tuning.rows(bound, work.items[item])
        return {"row": _kept(made[0]), "scored": work.tuning.scored(made).model_dump()}

    units = [
        Unit(
            f"{what}/{item}",
            unit_key(
                "tuned",
                target=target,
                program=[identity, judges],
                metrics=metrics,
                item=[item, work.items[item]],
                replicates=settings.replicates,
                corpus=work.corpus_version,
            ),
            functools.partial(make, item),
            item,
        )
        for item in ids
    ]

    def take(outcome: Outcome) -> tuple[Unit, ...]:
        found[outcome.unit.about] = (
            Scored(problem=outcome.reason)
            if outcome.reason is not None
            else Scored.model_validate(outcome.value["scored"])
        )
        if outcome.reason is None:
            rows[outcome.unit.about] = outcome.value["row"]
        return ()

    try:
        with dspy.context(disable_history=True):
            pool.run(units, take)
    finally:
        pool.close()
    if pool.stopped is not None:
        raise pool.stopped
    work.reused += pool.reused
    return {item: found[item] for item in ids}


def _kept(row: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a row besides its scores: a judge's rating and label."""
    return {name: row[name] for name in ("rating", "label") if name in row}


__all__ = ["scored_units"]
