"""Two pictures of a search: how it went, and what it traded against what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO

from evals.optimizing.trials import Trial

DARK, LIGHT, BEST = "#1b4965", "#9db4c0", "#c1121f"


def curve(trials: Sequence[Trial], title: str, total: int) -> bytes:
    """The objective of each trial and the best so far, over ``total`` requests, as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    known = [(t.requests, t.objective) for t in trials if t.objective is not None]
    x, y = [a for a, _ in known], [b for _, b in known]
    best = [max(y[: n + 1]) for n in range(len(y))]
    axes.scatter(x, y, s=22, color=LIGHT, label="a trial", zorder=2)
    ends = [max(total, x[-1])] if x else []
    axes.step([*x, *ends], [*best, *best[-1:]], where="post", color=DARK, label="best so far")
    if y:
        axes.axhline(y[0], color=BEST, linewidth=0.8, linestyle="--", label="untuned")
    axes.set(xlabel="requests of the search", ylabel="objective, validation set", title=title)
    axes.legend(frameon=False)
    return _png(figure)


def trade(
    trials: Sequence[Trial],
    front: Sequence[Trial],
    first: str,
    second: str,
    units: Mapping[str, str],
) -> bytes:
    """Two metrics of all trials, those on the front marked, as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 4.2), layout="constrained")
    axes = figure.subplots()
    for group, colour, label in ((trials, LIGHT, "a trial"), (front, DARK, "on the front")):
        points = [(t.metrics.get(first), t.metrics.get(second)) for t in group]
        kept = [(a, b) for a, b in points if a is not None and b is not None]
        axes.scatter([a for a, _ in kept], [b for _, b in kept], s=26, color=colour, label=label)
    start = trials[0].metrics if trials else {}
    x, y = start.get(first), start.get(second)
    if x is not None and y is not None:
        axes.scatter([x], [y], s=60, marker="x", color=BEST, label="untuned")
    axes.set(xlabel=f"{first} ({units[first]})", ylabel=f"{second} ({units[second]})")
    axes.legend(frameon=False)
    return _png(figure)


def _png(figure: object) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": ""})  # type: ignore[attr-defined]  # matplotlib's Figure, imported where it is used
    return buffer.getvalue()


__all__ = ["curve", "trade"]
