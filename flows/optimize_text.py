"""An optimization in words: the report of a run, and what the command prints."""

from __future__ import annotations

from collections.abc import Mapping

from modules.markup import markdown, visible
from signatures.optimize_results import HoldoutMetric, OptimizeResult

CURVE_FILE = "curve.png"


def report_text(result: OptimizeResult, changed: str) -> str:
    """The report as Markdown: the verdict, before and after, the trials, the change."""
    lines = [
        f"# {result.target}/{result.method}, {result.optimizer} ({result.size})",
        "",
        markdown(result.reason[:1].upper() + result.reason[1:]) + ".",
        "",
        f"{result.split.train} questions to train on, {result.split.val} to choose by, "
        f"{result.split.holdout} held out. The search: {markdown(result.ended)}.",
        "",
        "| held-out questions | before | after | change (95 % interval) | p | n |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in result.holdout.metrics:
        arrow = "↑" if row.direction == "higher" else "↓"
        cells = [_cell(row.before), _cell(row.after), _change(row), _cell(row.p), str(row.n)]
        lines.append(f"| {row.metric} {arrow} | {' | '.join(cells)} |")
    told = judge_lines(result.judge)
    lines += ["", *(f"- {line}" for line in told)] if told else []
    lines += ["", f"![How the search went]({CURVE_FILE})", "", "# What was changed", "", changed]
    lines += ["", "# Trials", "", *_trials(result)]
    lines += ["", *(f"- {markdown(note)}" for note in result.notes)]
    return "\n".join(lines).rstrip() + "\n"


def _trials(result: OptimizeResult) -> list[str]:
    names = sorted(result.baseline.keys() - {"objective"})
    head = ["trial", "objective", *names, "demos", "changed", "requests", "front"]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for trial in result.trials:
        cells = [str(trial.number), _cell(trial.objective)]
        cells += [_cell(trial.metrics.get(name)) for name in names]
        cells += [str(trial.demos), str(len(trial.changed)), str(trial.requests)]
        cells.append("yes" if trial.front else "")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def optimize_lines(result: OptimizeResult) -> list[str]:
    """What the command prints: the verdict, the held-out figures, where the rest is."""
    sizes = result.split
    lines = [
        f"{result.target}/{result.method} by {result.optimizer} ({result.size}) on "
        f"{result.dataset}: {sizes.train} questions to train on, {sizes.val} to choose by, "
        f"{sizes.holdout} held out",
        f"{len(result.trials) - 1} other prompts tried; the search: {visible(result.ended)}",
        "",
        f"{'held out':<24}{'before':>9}{'after':>9}   change, 95 % interval",
    ]
    for row in result.holdout.metrics:
        arrow = "↑" if row.direction == "higher" else "↓"
        name = f"{row.metric} {arrow}" + (" *" if row.metric == result.primary else "")
        lines.append(f"{name:<24}{_cell(row.before):>9}{_cell(row.after):>9}   {_change(row)}")
    lines.append("(* decides)")
    lines += judge_lines(result.judge)
    lines += ["", visible(result.reason)]
    if result.champion is not None:
        lines.append(f"champion: {result.champion} (use it with program=champion)")
    return lines


def judge_lines(found: Mapping[str, float | None]) -> list[str]:
    """A judge's agreement with held-out labels, and what its metric comes to, one above the other:
    a judge may agree better and its metric stand elsewhere.
    """
    if not found:
        return []
    named = {"before": "before", "after": "after", "without_judge": "without a judge"}
    kappas = [f"{named[k]} {_cell(found[f'kappa_{k}'])}" for k in named if f"kappa_{k}" in found]
    means = [f"{named[k]} {_cell(found[f'mean_{k}'])}" for k in named if f"mean_{k}" in found]
    labels = f"people {_cell(found.get('mean_labels'))}"
    return [
        f"kappa with the held-out labels: {', '.join(kappas)}",
        f"the metric's mean on them: {', '.join([*means, labels])}",
    ]


def _change(row: HoldoutMetric) -> str:
    ci = "–" if row.ci is None else f"[{row.ci[0]:+.3f}, {row.ci[1]:+.3f}]"
    delta = "–" if row.delta is None else f"{row.delta:+.3f}"
    return f"{delta} {ci}"


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


__all__ = ["CURVE_FILE", "optimize_lines", "report_text"]
