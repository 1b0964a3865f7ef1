"""Plots of a curated dataset: S4's Figures 11 to 14. Each function returns a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evals.curation import mean_cosine
from signatures.curation_results import CuratedQuestion, CurationFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOUR = "#0072b2"


def draw(kept: Sequence[CuratedQuestion], figures: CurationFigures) -> dict[str, Figure]:
    """All plots by name; none where no question is kept."""
    if not kept:
        return {}
    return {
        "cosines": cosines(kept),
        "documents": bars(figures.documents, "documents per question", "questions"),
        "views": bars(figures.views, "points of view per question", "questions"),
        "topics": across(figures.topics, "questions"),
    }


def cosines(kept: Sequence[CuratedQuestion]) -> Figure:
    """How near documents are to their questions: means over the chunks of each (Figure 11)."""
    values = [m for q in kept if (m := mean_cosine(q)) is not None]
    figure, axes = _figure("Evidence and question")
    axes.hist(values, bins=np.linspace(0, 1, 41).tolist(), color=COLOUR)
    mean = float(np.mean(values)) if values else 0.0
    axes.axvline(mean, color="#d55e00", linestyle="--", label=f"mean {mean:.2f}")
    axes.set(xlabel="cosine of a question and the chunks of its documents", ylabel="questions")
    axes.legend(frameon=False)
    _whole(axes.yaxis)
    return figure


def bars(counts: Mapping[str, int], what: str, of: str) -> Figure:
    """How many questions have how many (Figures 12 and 13)."""
    figure, axes = _figure(what.capitalize())
    values = [int(value) for value in counts]
    drawn = axes.bar(values, list(counts.values()), color=COLOUR, width=0.6)
    axes.bar_label(drawn)
    axes.set(xlabel=what, ylabel=of, xlim=(min(values) - 1.5, max(values) + 1.5))
    _whole(axes.xaxis, axes.yaxis)
    return figure


def across(counts: Mapping[str, int], of: str) -> Figure:
    """How questions are spread over topics (Figure 14), the most frequent on top."""
    figure, axes = _figure("Topics", height=1.5 + 0.32 * len(counts))
    ordered = sorted(counts.items(), key=lambda pair: (pair[1], pair[0]))
    drawn = axes.barh([name for name, _ in ordered], [n for _, n in ordered], color=COLOUR)
    axes.bar_label(drawn, padding=2)
    axes.set(xlabel=of)
    _whole(axes.xaxis)
    return figure


def _whole(*scales: Axis) -> None:
    """Ticks at whole numbers: questions are counted."""
    from matplotlib.ticker import MaxNLocator

    for scale in scales:
        scale.set_major_locator(MaxNLocator(integer=True))


def _figure(title: str, height: float = 3.6) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure as Drawing

    figure = Drawing(figsize=(6.4, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


__all__ = ["across", "bars", "cosines", "draw"]
