"""Whether a tuned program is better: on questions no search has seen, paired, with an interval."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evals.contract import Direction, Metric
from evals.optimizing.objective import ObjectiveSettings, Scored
from evals.statistics import paired
from signatures.optimize_results import HoldoutMetric

SMALL = 1e-12


class Verdict(NamedTuple):
    """Whether to promote, and why; ``metrics`` compares before and after by every metric."""

    promoted: bool
    reason: str
    metrics: list[HoldoutMetric]


def verdict(
    before: Mapping[str, Scored],
    after: Mapping[str, Scored],
    groups: Mapping[str, str],
    metrics: Mapping[str, Metric],
    settings: ObjectiveSettings,
    *,
    seed: int,
    max_failed: float,
) -> Verdict:
    """Compare the untuned with the tuned program.

    Promoted is what is better on the primary metric, its whole 95 % interval on the better side,
    and not worse on the guards: a guard's mean may lie at most its tolerance on the worse side,
    and its interval must not lie there wholly.

    Args:
        before: Item id -> the untuned program's text under the metrics.
        after: The same for the tuned one.
        groups: Item id -> what it belongs to: groups, not texts, are resampled.
        metrics: By name, those that score one row.
        settings: What counts.
        seed: Of the resampling.
        max_failed: The share of texts without a primary value above which nothing is promoted.
    """
    compared = [
        _compared(name, before, after, groups, metric.direction, seed)
        for name, metric in sorted(metrics.items())
    ]
    by_name = {row.metric: row for row in compared}
    primary = by_name[settings.primary]
    lost = [
        i
        for i in after
        if after[i].values.get(settings.primary) is None
        and before[i].values.get(settings.primary) is not None
    ]
    if len(lost) > max_failed * len(after):
        said = f"{len(lost)} of {len(after)} held-out texts lost their {settings.primary}"
        return Verdict(
            False, f"not promoted: {said}, more than max_failed={max_failed:g}", compared
        )
    if primary.delta is None or primary.ci is None:
        said = f"{settings.primary} has no interval on the {len(after)} held-out questions"
        return Verdict(False, f"not promoted: {said}", compared)
    worse = [why for name in sorted(settings.guards) if (why := _worse(by_name[name], settings))]
    low, high = primary.ci
    said = (
        f"{settings.primary} changes by {primary.delta:+.3g} on the held-out questions, "
        f"95 % interval [{low:.3g}, {high:.3g}]"
    )
    if not _better(primary):
        side = "above" if primary.direction == "higher" else "below"
        return Verdict(False, f"not promoted: {said}: not all of it is {side} 0", compared)
    if worse:
        return Verdict(False, f"not promoted: {'; '.join(worse)}", compared)
    guarded = f", and not worse on {', '.join(sorted(settings.guards))}" if settings.guards else ""
    return Verdict(True, f"promoted: {said}{guarded}", compared)


def _compared(
    name: str,
    before: Mapping[str, Scored],
    after: Mapping[str, Scored],
    groups: Mapping[str, str],
    direction: Direction,
    seed: int,
) -> HoldoutMetric:
    old = {i: v for i, scored in before.items() if (v := scored.values.get(name)) is not None}
    new = {i: v for i, scored in after.items() if (v := scored.values.get(name)) is not None}
    both = [i for i in before if i in old and i in new]
    found = paired(
        [new[i] for i in both], [old[i] for i in both], [groups[i] for i in both], seed=seed
    )
    ci = None if found.low is None or found.high is None else (found.low, found.high)
    return HoldoutMetric(
        metric=name,
        direction=direction,
        before=_mean([old[i] for i in both]),
        after=_mean([new[i] for i in both]),
        delta=found.delta,
        ci=ci,
        p=found.p,
        n=len(both),
        n_without=len(before) - len(both),
    )


def _better(row: HoldoutMetric) -> bool:
    """Whether the whole interval lies on the better side of 0."""
    if row.ci is None:
        return False
    return row.ci[0] > SMALL if row.direction == "higher" else row.ci[1] < -SMALL


def _worse(row: HoldoutMetric, settings: ObjectiveSettings) -> str | None:
    """Why a guard does not hold, or None."""
    if row.delta is None or row.ci is None:
        return f"the guard {row.metric} has no interval"
    sign = 1 if row.direction == "higher" else -1
    tolerance = settings.guards[row.metric]
    if sign * row.delta < -tolerance - SMALL:
        return f"{row.metric} changes by {row.delta:+.3g}, more than {tolerance:g} for the worse"
    wholly = row.ci[1] < -SMALL if sign > 0 else row.ci[0] > SMALL
    if wholly and tolerance == 0:
        return f"{row.metric} is worse: [{row.ci[0]:.3g}, {row.ci[1]:.3g}]"
    return None


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


__all__ = ["Verdict", "verdict"]
