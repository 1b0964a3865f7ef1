"""The figures of a report: differences, one metric against another, cost against quality."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evals.report_charts import (
    Line,
    Point,
    colours,
    forest,
    legend,
    pareto,
    scatter,
    text,
)
from evals.report_data import Cell, Report
from evals.table_text import ARROWS, number, versus
from signatures.evaluation_results import Comparison, TableRow

SIGNS = {"better": "var(--good,#00704f)", "worse": "var(--bad,#b34700)"}
SAME = "var(--soft,#5b6470)"


class Looks(NamedTuple):
    """The colour of each method and the shape of each backend."""

    shades: dict[str, str]
    shapes: dict[str, int]

    @classmethod
    def of(cls, report: Report) -> Looks:
        table = report.result.table
        names = dict.fromkeys(Cell(r.method, r.backend, r.dataset, r.prompt).name for r in table)
        backends = dict.fromkeys(row.backend for row in table)
        return cls(colours(list(names)), {name: i for i, name in enumerate(backends)})

    def colour(self, cell: Cell) -> str:
        return self.shades[cell.name]

    def swatch(self, cell: Cell) -> str:
        """A dot in the cell's colour."""
        return f'<span class="swatch" style="background:{self.colour(cell)}"></span>'


def forests(report: Report, looks: Looks) -> Iterator[str]:
    """Every comparison by the primary metric, and the other metrics folded away."""
    for dataset in report.datasets:
        parts = []
        for metric in report.scored:
            drawn = forest_of(report, dataset, metric)
            if not drawn:
                continue
            figure = f"<figure>{drawn}<figcaption>{_caption(report, metric)}</figcaption></figure>"
            if metric == report.result.primary:
                parts.append(figure)
            else:
                parts.append(f"<details><summary>{text(metric)}</summary>{figure}</details>")
        if parts:
            yield f"<h2>Differences: {text(dataset)}</h2>{''.join(parts)}"


def figures(report: Report, looks: Looks) -> Iterator[str]:
    """One metric against another, and cost against quality, a chart for each dataset."""
    for heading, note, found in (
        (_axes_title(report), "Whiskers are 95 % intervals.", against(report, looks)),
        (
            f"Cost against {report.result.primary}",
            "Means per text. The dashed line joins the cells that none beats in both.",
            costs(report, looks),
        ),
    ):
        if found:
            charts = "".join(
                f"<figure>{svg}<figcaption>{text(dataset)}</figcaption></figure>"
                for dataset, svg in found.items()
            )
            yield (
                f"<h2>{text(heading)}</h2>{legend(looks.shades, looks.shapes)}"
                f'<div class="grid">{charts}</div><p class="note">{text(note)}</p>'
            )


def forest_of(report: Report, dataset: str, metric: str) -> str:
    """The differences of one metric on one dataset; empty where there is nothing to draw."""
    lines = [
        Line(_line_label(c, report), c.delta, c.ci, SIGNS.get(c.finding, SAME), _said(c),
             c.finding in SIGNS)
        for c in sorted(report.comparisons(dataset, metric), key=_dimension)
        if c.delta is not None
    ]  # fmt: skip
    if not lines:
        return ""
    axis = f"difference in {metric} {ARROWS[report.direction(metric)]}"
    return forest(lines, f"Differences in {metric} on {dataset}", axis)


def against(report: Report, looks: Looks) -> dict[str, str]:
    """Dataset -> one metric against another."""
    axes = report.axes()
    if axes is None:
        return {}
    x, y = axes
    found = {}
    for dataset in report.datasets:
        points = [
            _point(cell, looks, rows[x].value, rows[y].value, rows[x].ci, rows[y].ci)
            for cell, rows in report.rows(dataset).items()
            if rows[x].value is not None and rows[y].value is not None
        ]
        if points:
            found[dataset] = scatter(
                points, _axis(report, x), _axis(report, y), f"{x} against {y} on {dataset}"
            )
    return found


def costs(report: Report, looks: Looks) -> dict[str, str]:
    """Dataset -> what a text costs against the primary metric: in USD where all cells have a price
    above nothing, else in tokens.
    """
    metric = report.result.primary
    found = {}
    for dataset in report.datasets:
        ranked = {
            cell: rows[metric] for cell, rows in report.rows(dataset).items()
            if metric in rows and rows[metric].value is not None
        }  # fmt: skip
        priced = all(row.usd for row in ranked.values())
        known = {cell: row for cell, row in ranked.items() if _price(row, priced) is not None}
        points = [
            _point(cell, looks, _price(row, priced), row.value, None, row.ci)
            for cell, row in known.items()
        ]
        if points:
            unit = "USD per text" if priced else "tokens per text"
            best = pareto(points, report.direction(metric))
            name = f"cost against {metric} on {dataset}"
            found[dataset] = scatter(points, f"{unit} ↓", _axis(report, metric), name, best)
    return found


def _point(
    cell: Cell,
    looks: Looks,
    x: float | None,
    y: float | None,
    x_ends: tuple[float, float] | None,
    y_ends: tuple[float, float] | None,
) -> Point:
    name = cell.name if len(looks.shapes) == 1 else f"{cell.name}, {cell.backend}"
    hover = f"{name}: {number(x or 0, x_ends)}; {number(y or 0, y_ends)}"
    shape = looks.shapes[cell.backend]
    return Point(cell.name, x or 0.0, y or 0.0, looks.colour(cell), shape, x_ends, y_ends, hover)


def _price(row: TableRow, priced: bool) -> float | None:
    return row.usd if priced else row.tokens


def _axis(report: Report, metric: str) -> str:
    return f"{metric} {ARROWS[report.direction(metric)]}"


def _axes_title(report: Report) -> str:
    axes = report.axes()
    return "" if axes is None else f"{axes[0]} against {axes[1]}"


def _dimension(c: Comparison) -> bool:
    """Methods against the reference first, then backends and prompts against the first."""
    return c.a == c.b


def _line_label(c: Comparison, report: Report) -> str:
    several = len({row.backend for row in report.result.table}) > 1
    same = c.b_backend in ("", c.backend)
    return f"{versus(c)}, {c.backend}" if several and same else versus(c)


def _said(c: Comparison) -> str:
    if c.p_holm is None:
        return "not compared"
    return f"{c.finding}, p {c.p_holm:.3f}"


def _caption(report: Report, metric: str) -> str:
    least = [c.mde for c in report.result.comparisons if c.metric == metric and c.mde is not None]
    said = (
        f"Each cell less {report.result.reference}, or less the first backend, paired by item; "
        f"{report.direction(metric)} is better."
    )
    if least:
        ends = f"{number(min(least), None)} to {number(max(least), None)}"
        said += f" The least difference that would show in 8 of 10 such evaluations is {ends}."
    return text(said)


__all__ = ["Looks", "against", "costs", "figures", "forest_of", "forests"]
