"""Plots of ratings: distributions, trajectories, agreement of annotators, polarization.

Each function draws one criterion and returns a figure; whoever asks for it saves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from signatures.moderation import Criterion
from signatures.moderation_results import Analysis, CommentFigures, Side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: dict[Side, str] = {
    "moderated": "#0072b2",
    "unmoderated": "#d55e00",
    "unknown": "#7f7f7f",
}
"""Told apart by readers who see few colours, too."""

_SIDES: dict[Side, str] = {
    "moderated": "users, moderated",
    "unmoderated": "users, unmoderated",
    "unknown": "speaker not known",
}

BINS = np.linspace(0, 1, 11)


def draw(
    criteria: Mapping[str, Criterion], analysis: Analysis, comments: Sequence[CommentFigures]
) -> dict[str, Figure]:
    """All plots by name; a criterion without a rating has none."""
    drawn = {}
    for name, criterion in sorted(criteria.items()):
        own = [c for c in comments if c.criterion == name]
        if not any(c.n for c in own):
            continue
        drawn[f"{name}_ratings"] = rated(name, criterion, analysis)
        if any(t.criterion == name for t in analysis.trajectories):
            drawn[f"{name}_trajectories"] = trajectories(name, criterion, analysis)
        if any(p.criterion == name and p.n for p in analysis.pairs):
            drawn[f"{name}_annotators"] = annotators(name, analysis)
        if any(c.ndfu is not None for c in own):
            drawn[f"{name}_polarization"] = polarization(name, own)
    return drawn


def rated(name: str, criterion: Criterion, analysis: Analysis) -> Figure:
    """The share of each rating, side by side."""
    figure, axes = _figure(f"Ratings: {name}")
    own = [d for d in analysis.distributions if d.criterion == name and sum(d.histogram) > 0]
    values = np.arange(criterion.low, criterion.high + 1)
    width = 0.8 / max(len(own), 1)
    for place, one in enumerate(own):
        shares = np.array(one.histogram) / sum(one.histogram)
        label = f"{_SIDES[one.side]} (n = {sum(one.histogram)}, mean {one.mean:.2f})"
        offset = (place - (len(own) - 1) / 2) * width
        axes.bar(values + offset, shares, width, label=label, color=COLOURS[one.side])
    if len(values) <= 11:
        labels = [_label(value, criterion) for value in values.tolist()]
        axes.set_xticks(values, labels, fontsize=8)
    axes.set(ylabel="share of ratings", ylim=(0, 1))
    axes.legend(fontsize=8)
    return figure


def trajectories(name: str, criterion: Criterion, analysis: Analysis) -> Figure:
    """The mean rating by turn, with its interval over discussions."""
    figure, axes = _figure(f"Trajectory: {name}")
    points = [t for t in analysis.trajectories if t.criterion == name]
    for side, colour in COLOURS.items():
        own = [t for t in points if t.side == side]
        if not own:
            continue
        turns = [t.turn for t in own]
        axes.plot(turns, [t.mean for t in own], marker="o", color=colour, label=side)
        known = [t for t in own if t.low is not None and t.high is not None]
        low, high = [t.low or 0.0 for t in known], [t.high or 0.0 for t in known]
        axes.fill_between([t.turn for t in known], low, high, color=colour, alpha=0.2, lw=0)
    axes.set_xticks(_ticks(max(t.turn for t in points)))
    axes.set(
        xlabel="user comment in the discussion",
        ylabel="mean rating, 95 % interval",
        ylim=(criterion.low, criterion.high),
    )
    axes.legend(fontsize=8)
    return figure


def annotators(name: str, analysis: Analysis) -> Figure:
    """Ordinal alpha between every two annotators."""
    own = [p for p in analysis.pairs if p.criterion == name]
    names = sorted({p.a for p in own} | {p.b for p in own})
    index = {annotator: place for place, annotator in enumerate(names)}
    grid = np.full((len(names), len(names)), np.nan)
    size = max(4.5, 0.7 * len(names) + 2.5)
    figure, axes = _figure(f"Agreement of annotators: {name}", (size, size))
    for pair in own:
        i, j = index[pair.a], index[pair.b]
        grid[i, j] = grid[j, i] = np.nan if pair.alpha is None else pair.alpha
        said = "–" if pair.alpha is None else f"{pair.alpha:.2f}"
        strong = pair.alpha is not None and abs(pair.alpha) > 0.6
        for x, y in ((j, i), (i, j)):
            axes.text(x, y, f"{said}\nn={pair.n}", ha="center", va="center", fontsize=7,
                      color="white" if strong else "black")  # fmt: skip
    image = axes.imshow(grid, vmin=-1, vmax=1, cmap="RdBu")
    labels = [fill(name.replace("_", " "), 18) for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=45, ha="right", fontsize=7)
    axes.set_yticks(range(len(names)), labels, fontsize=7)
    figure.colorbar(image, ax=axes, fraction=0.04, label="Krippendorff's alpha (ordinal)")
    return figure


def polarization(name: str, comments: Sequence[CommentFigures]) -> Figure:
    """How many comments have which nDFU."""
    figure, axes = _figure(f"Polarization: {name}")
    sides = [s for s in COLOURS if any(c.side == s and c.ndfu is not None for c in comments)]
    values = [[c.ndfu for c in comments if c.side == s and c.ndfu is not None] for s in sides]
    labels = [f"{s} (n = {len(v)})" for s, v in zip(sides, values, strict=True)]
    axes.hist(values, bins=BINS.tolist(), label=labels, color=[COLOURS[s] for s in sides])
    axes.set(xlabel="nDFU: 0 one peak, 1 two equal peaks", ylabel="comments")
    axes.legend(fontsize=8)
    return figure


def _figure(title: str, size: tuple[float, float] = (6.4, 4.0)) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=120, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=10)
    return figure, axes


def _label(value: int, criterion: Criterion) -> str:
    words = criterion.labels.get(value, "")
    return f"{value}\n{words}" if words else str(value)


def _ticks(last: int) -> list[int]:
    step = max(1, last // 12)
    return list(range(1, last + 1, step))


__all__ = ["annotators", "draw", "polarization", "rated", "trajectories"]
