"""A regression gate: whether a run is worse than an earlier one, cell by cell.

Cells that both runs have are paired item by item and text by text. A cell fails where the whole
95 % interval of the paired difference lies on the worse side; what merely is not shown to be as
good passes, and says what difference could have been seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evals.table import Place, Value, Whole, compared, compared_whole
from signatures.errors import InputError
from signatures.evaluation_results import CellGate, Comparison, Direction, Finding, GateResult

Rows = Sequence[Mapping[str, Any]]
"""The rows of a run's ``scores.jsonl``."""


def gate(
    run: str,
    ours: Rows,
    against: str,
    theirs: Rows,
    metrics: Mapping[str, Direction],
    figures: tuple[Whole, Whole] = ({}, {}),
) -> GateResult:
    """Every cell of a run against the same cell of another.

    Where the runs share no cell and each has one on a dataset, those two are compared: a method
    under a new name, say.

    Args:
        run: The run's name.
        ours: Its scores.
        against: The other run's name.
        theirs: Its scores.
        metrics: What to compare by, and which way is better.
        figures: Both runs' figures over whole cells, by which metrics that have such are compared;
            paired by their samples, which must be over the same items.

    Raises:
        InputError: Nothing can be compared.
    """
    pairs, notes = _pairs(_places(ours), _places(theirs))
    found = [
        _gated(
            compared_whole(a, b, name, direction, *figures)
            if (a, name) in figures[0]
            else compared(a, b, name, direction, _values(ours, a, name), _values(theirs, b, name)),
            b,
        )
        for a, b in pairs
        for name, direction in metrics.items()
    ]
    known = [cell for cell in found if cell.delta is not None]
    if not known:
        raise InputError(
            f"the runs {run} and {against} cannot be compared",
            expected="a cell that both have, with items that both have scored",
            got=f"{_named(_places(ours))} against {_named(_places(theirs))}",
        )
    lost = len(found) - len(known)
    notes += [f"{lost} comparisons have no items that both runs scored"] if lost else []
    return GateResult(
        run=run,
        against=against,
        cells=known,
        passed=all(cell.passed for cell in known),
        notes=notes,
    )


def _gated(c: Comparison, b: Place) -> CellGate:
    worse = c.ci is not None and (c.ci[1] < 0 if c.direction == "higher" else c.ci[0] > 0)
    better = c.ci is not None and (c.ci[0] > 0 if c.direction == "higher" else c.ci[1] < 0)
    said: Finding = "worse" if worse else "better" if better else "not distinguishable"
    return CellGate(
        cell=_name(Place(c.a, c.backend, c.dataset, c.prompt)),
        against=_name(b),
        metric=c.metric,
        direction=c.direction,
        delta=c.delta,
        ci=c.ci,
        p=c.p,
        mde=c.mde,
        n=c.n,
        finding="undefined" if c.ci is None else said,
        passed=not worse,
    )


def _pairs(ours: list[Place], theirs: list[Place]) -> tuple[list[tuple[Place, Place]], list[str]]:
    shared = [(place, place) for place in ours if place in theirs]
    if shared:
        left = [_name(place) for place in (*ours, *theirs) if (place in ours) != (place in theirs)]
        return shared, [f"only in one of the runs: {', '.join(left)}"] if left else []
    lone = []
    for dataset in dict.fromkeys(place.dataset for place in ours):
        a = [place for place in ours if place.dataset == dataset]
        b = [place for place in theirs if place.dataset == dataset]
        if len(a) == len(b) == 1:
            lone.append((a[0], b[0]))
    return lone, []


def _places(rows: Rows) -> list[Place]:
    return list(dict.fromkeys(_place(row) for row in rows))


def _place(row: Mapping[str, Any]) -> Place:
    return Place(row["method"], row["backend"], row["dataset"], row.get("prompt", ""))


def _values(rows: Rows, place: Place, metric: str) -> Iterable[Value]:
    return [
        Value(place, metric, row["item"], row["part"], row["value"])
        for row in rows
        if row["metric"] == metric and row["value"] is not None and _place(row) == place
    ]


def _name(place: Place) -> str:
    return "/".join(filter(None, (place.dataset, place.backend, place.method, place.prompt)))


def _named(places: Sequence[Place]) -> str:
    shown = [_name(place) for place in places[:4]]
    return ", ".join([*shown, f"{len(places) - 4} more"] if len(places) > 4 else shown) or "nothing"


__all__ = ["Rows", "gate"]
