"""Plots of a meta-evaluation. Each function returns a figure; whoever asks for it saves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from signatures.meta_results import Kind, Measure, MetaResult, Stability, SweepPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS = "osD^vPX<>*hp"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Told apart by readers who see few colours, too; with the marks for more models than colours."""

LABELS: dict[Kind, str] = {"diversity": "P.D.", "awareness": "D.A.", "other": "score"}


def draw(result: MetaResult) -> dict[str, Figure]:
    """All plots that the result has figures for, by name."""
    drawn: dict[str, Figure] = {}
    chosen = {kind: _first(result.measures, kind) for kind in ("diversity", "awareness")}
    if result.weighted:
        drawn["rank_over_k"] = rank_over_k(result)
        drawn["diversity_awareness"] = diversity_awareness(
            result, chosen["diversity"], chosen["awareness"]
        )
    for setting in sorted({point.setting for point in result.sweeps}):
        points = [point for point in result.sweeps if point.setting == setting]
        for kind, measure in chosen.items():
            if measure and any(p.values.get(measure.name) is not None for p in points):
                drawn[f"sweep_{_safe(setting)}_{kind}"] = sweep(setting, points, measure)
    for name, lines in _groups(result).items():
        drawn[name] = stability(lines)
    return drawn


def rank_over_k(result: MetaResult) -> Figure:
    """The rank of each model over the weight of P.D. against D.A. (S4 Figure 7)."""
    figure, axes = _figure("Ranks of models over the weight of P.D.")
    models = list(result.weighted[0].ranks)
    for place, model in enumerate(models):
        given = [line.ranks[model] for line in result.weighted]
        axes.plot([line.k for line in result.weighted], given, label=model, **_style(place))
    axes.invert_yaxis()
    axes.set_yticks(range(1, len(models) + 1))
    axes.set_xlabel("k: 0 is dispute awareness alone, 1 perspective diversity alone")
    axes.set_ylabel("rank")
    _legend(axes)
    return figure


def diversity_awareness(
    result: MetaResult, diversity: Measure | None, awareness: Measure | None
) -> Figure:
    """Each model by both qualities, the better end of each axis up and right (S4 Figure 6)."""
    figure, axes = _figure("Perspective diversity and dispute awareness")
    assert diversity is not None  # noqa: S101 - weighted ranks exist only where both do
    assert awareness is not None  # noqa: S101 - as above
    for place, line in enumerate(sorted(result.table, key=lambda line: line.model)):
        x, y = line.values[diversity.name], line.values[awareness.name]
        if x is not None and y is not None:
            axes.scatter([x], [y], label=line.model, color=COLOURS[place % len(COLOURS)],
                         marker=MARKS[place % len(MARKS)], s=55)  # fmt: skip
    if diversity.direction == "lower":
        axes.invert_xaxis()
    axes.set_xlabel(f"{diversity.name} ({diversity.direction} is better, to the right)")
    axes.set_ylabel(f"{awareness.name} ({awareness.direction} is better)")
    _legend(axes)
    return figure


def sweep(setting: str, points: Sequence[SweepPoint], measure: Measure) -> Figure:
    """A measure over a setting, one line for each model (S4 Figures 8 to 10)."""
    figure, axes = _figure(f"{measure.name} over {setting}")
    for place, model in enumerate(sorted({point.model for point in points})):
        own = [
            (point.at, point.values.get(measure.name)) for point in points if point.model == model
        ]
        told = sorted((at, value) for at, value in own if value is not None)
        axes.plot([x for x, _ in told], [y for _, y in told], label=model, **_style(place))
    axes.set_xlabel("mean length of the answers" if setting == "tokens" else setting)
    axes.set_ylabel(f"{LABELS[measure.kind]} ({measure.direction} is better)")
    _legend(axes)
    return figure


def stability(lines: Sequence[Stability]) -> Figure:
    """Kendall's tau between rankings by variants of one metric (S4 Figures 3 to 5)."""
    first = lines[0]
    names = list(dict.fromkeys(name for line in lines for name in (line.first, line.second)))
    alike = first.over == "measure"
    grid = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(grid, 1.0)
    for line in lines:
        value = line.agreement if alike else line.kendall
        one, two = names.index(line.first), names.index(line.second)
        grid[one, two] = grid[two, one] = np.nan if value is None else value
    told = "share of equal verdicts" if alike else "Kendall's tau between rankings of models"
    figure, axes = _figure(f"{first.metric} over {first.over}: {told}", side=2 + 0.8 * len(names))
    axes.imshow(grid, vmin=0 if alike else -1, vmax=1, cmap="cividis")
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), names)
    for (row, column), value in np.ndenumerate(grid):
        dark = value < 0.5
        text = "-" if np.isnan(value) else f"{value:.2f}"
        axes.text(column, row, text, ha="center", va="center", color="w" if dark else "k")
    axes.grid(visible=False)
    return figure


def _groups(result: MetaResult) -> dict[str, list[Stability]]:
    """Variants that differ in one thing: for each evaluator its restatements, and so on."""
    known = {measure.name: measure for measure in result.measures}
    groups: dict[str, list[Stability]] = {}
    for line in result.stability:
        one = known[line.first]
        kept = {
            "evaluator": f"_restatement_{one.restatement or 0}",
            "restatement": f"_{_safe(one.evaluator or '')}",
            "measure": "",
        }
        name = f"stability_{_safe(line.metric)}_{line.over}{kept[line.over]}"
        groups.setdefault(name, []).append(line)
    return groups


def _first(measures: Sequence[Measure], kind: str) -> Measure | None:
    return next((m for m in measures if m.kind == kind and m.n_scored), None)


def _figure(title: str, side: float | None = None) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    size = (7.5, 4.5) if side is None else (side + 1.5, side)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=11)
    axes.grid(visible=True, alpha=0.3)
    return figure, axes


def _style(place: int) -> dict[str, Any]:
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKS[place % len(MARKS)]}


def _legend(axes: Axes) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)


__all__ = ["draw"]
