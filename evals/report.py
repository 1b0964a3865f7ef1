"""An evaluation as one HTML file to read, mail and keep: no scripts, nothing fetched.

Every text of a model, a document or a configuration is escaped; markup comes from these files
alone. Sections that have nothing to say are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evals.report_charts import text
from evals.report_data import Cell, Report
from evals.report_figures import Looks, figures, forests
from evals.report_style import STYLE
from evals.report_tables import counts, heat, leaderboard, variances
from evals.table_text import ITEMS, number, title
from modules.markup import visible

SHOWN = 1400
"""Characters of an example shown before the rest is folded away."""

UNITS = 8
"""Units named under a reason for failing."""

METRICS = {
    "self_bleu": "self-BLEU", "self_emb": "self-Emb", "da": "D.A.", "pd": "P.D.", "pd_log": "P.D.",
    "ndfu": "nDFU",
}  # fmt: skip
"""How metrics are called in print, where that is not their name with spaces."""


def page(report: Report) -> str:
    """The report as one self-contained document."""
    looks = Looks.of(report)
    body = "\n".join(
        section
        for section in (
            _head(report),
            *_tables(report, looks),
            *forests(report, looks),
            *figures(report, looks),
            *_topics(report, looks),
            *variances(report),
            *_examples(report, looks),
            *_failures(report),
            *counts(report, looks),
            *_reproduce(report),
        )
        if section
    )
    name = text(title(report.result))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{name}</title><style>{STYLE}</style></head><body><main>\n{body}\n"
        f"<footer>Run {text(report.result.run.id)}. Values with their 95 % interval: items are "
        "resampled, so that several texts on one count once. p is of a paired permutation test, "
        "corrected after Holm over all comparisons of a metric; below 0.05 a difference is called "
        "one. What failed or abstained is counted beside a value, never in it.</footer>"
        "\n</main></body></html>\n"
    )


def verdict(report: Report, dataset: str) -> str:
    """What the primary metric says of a dataset, in one sentence."""
    metric = report.result.primary
    ranked = [(c, rows[metric]) for c, rows in report.rows(dataset).items() if metric in rows]
    known = [(c, row) for c, row in ranked if row.value is not None]
    if not known:
        return f"On {dataset}, nothing was scored by {metric}."
    (best, row), *others = known
    figure = number(row.value or 0, row.ci)
    said = f"On {dataset}, {_cell(best, report)} is best by {metric} ({figure})"
    if not others:
        return f"{said}."
    same = [c for c, _ in others if not _apart(report, dataset, best, c)]
    if not same:
        return f"{said}, apart from all others."
    if len(same) > 3:
        return f"{said}; {len(same)} of {len(others)} others are not shown to differ from it."
    return f"{said}; not shown to differ: {', '.join(_cell(c, report) for c in same)}."


def label(metric: str) -> str:
    """A metric's name in print."""
    return METRICS.get(metric, metric.replace("_", " "))


def _apart(report: Report, dataset: str, a: Cell, b: Cell) -> bool:
    """Whether a comparison of the two was made, and says that they differ."""
    for c in report.comparisons(dataset, report.result.primary):
        ends = {
            Cell(c.a, c.backend, dataset, c.prompt),
            Cell(c.b, c.b_backend or c.backend, dataset, c.b_prompt),
        }
        if ends == {a, b}:
            return c.finding in ("better", "worse")
    return False


def _cell(cell: Cell, report: Report) -> str:
    several = len({row.backend for row in report.result.table}) > 1
    return f"{cell.name} on {cell.backend}" if several else cell.name


def _head(report: Report) -> str:
    result = report.result
    spent = result.run.usage_total
    money = "unpriced" if spent.usd is None else f"${spent.usd:,.2f}"
    texts = {cell: next(iter(rows.values())).texts
             for d in report.datasets for cell, rows in report.rows(d).items()}  # fmt: skip
    facts = {
        "cells": str(len(texts)),
        ITEMS[result.kind]: str(result.items),
        "texts": f"{sum(texts.values()):,}",
        "LM calls": f"{spent.calls:,}",
        "tokens": f"{spent.input_tokens + spent.output_tokens:,}",
        "spent": money,
        "units failed": str(len(result.failures)),
    }
    cards = "".join(f"<div><b>{text(v)}</b><span>{text(k)}</span></div>" for k, v in facts.items())
    said = "".join(f"<p>{text(verdict(report, d))}</p>" for d in report.datasets)
    better = f", {result.primary_direction} is better" if result.primary_direction else ""
    notes = "".join(f'<p class="note">{text(note)}</p>' for note in result.notes)
    return (
        f"<h1>{text(title(result))}</h1>"
        f'<p class="soft">Primary metric: {text(result.primary)}{better}. '
        f"Reference method: {text(result.reference)}.</p>"
        f'<div class="lead">{said}</div><div class="facts">{cards}</div>{notes}'
    )


def _tables(report: Report, looks: Looks) -> Iterator[str]:
    for dataset in report.datasets:
        yield f"<h2>Leaderboard: {text(dataset)}</h2>{leaderboard(report, dataset, looks)}"


def _topics(report: Report, looks: Looks) -> Iterator[str]:
    found = [(d, heat(report, d, looks)) for d in report.datasets]
    told = [f"<h3>{text(d)}</h3>{table}" for d, table in found if table]
    if told:
        way = report.direction(report.result.primary)
        yield (
            f"<h2>By topic</h2><p class='note'>Mean {text(label(report.result.primary))} of each "
            f"cell on each topic; {way} is better. The deeper the shade, the better within the "
            f"topic; the best is in bold.</p>{''.join(told)}"
        )


def _examples(report: Report, looks: Looks) -> Iterator[str]:
    parts = []
    for dataset in report.datasets:
        for example in report.examples(dataset):
            texts = "".join(
                f"<article><h4>{looks.swatch(cell)}{text(_cell(cell, report))} "
                f'<span class="soft">{text(label(report.result.primary))} {number(value, None)}'
                f"</span></h4>{_prose(body)}</article>"
                for cell, value, body in example.texts
            )
            parts.append(
                f"<h3>{example.title}: {text(example.subject)} "
                f'<span class="soft">({text(dataset)})</span></h3><div class="pair">{texts}</div>'
            )
    if parts:
        yield (
            f"<h2>Examples by {text(label(report.result.primary))}</h2>"
            f'<p class="note">The first text of each.</p>{"".join(parts)}'
        )


def _prose(body: str) -> str:
    """A text's paragraphs, a long one folded after its beginning."""
    if len(body) <= SHOWN * 1.2:
        return _paragraphs(body)
    cut = body.rfind(" ", 0, SHOWN)
    cut = cut if cut > 0 else SHOWN
    return (
        f"{_paragraphs(body[:cut])}<details><summary>the rest</summary>"
        f"{_paragraphs(body[cut:])}</details>"
    )


def _paragraphs(body: str) -> str:
    lines = (line.strip() for line in visible(body).split("\n"))
    return "".join(f"<p>{text(line)}</p>" for line in lines if line)


def _failures(report: Report) -> Iterator[str]:
    reasons = report.failures()
    if not reasons:
        yield '<h2>Failures</h2><p class="soft">None.</p>'
        return
    rows = []
    for reason, units in reasons:
        shown = "".join(f"<li><code>{text(unit)}</code></li>" for unit in units[:UNITS])
        more = f"<li>and {len(units) - UNITS} more</li>" if len(units) > UNITS else ""
        rows.append(
            f'<tr><td class="n">{len(units)}</td><td>{text(reason)}<details><summary>units'
            f"</summary><ul>{shown}{more}</ul></details></td></tr>"
        )
    yield (
        '<h2>Failures</h2><p class="note">Units without a result. They are counted beside every '
        'figure they belong to, and in none.</p><table><thead><tr><th class="n">units</th>'
        f"<th>reason</th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _reproduce(report: Report) -> Iterator[str]:
    commands = "\n".join(text(line) for line in report.commands)
    facts = "".join(f"<dt>{text(k)}</dt><dd>{text(v)}</dd>" for k, v in _facts(report).items())
    yield f"<h2>Do it again</h2><pre>{commands}</pre><dl>{facts}</dl>"


def _facts(report: Report) -> Mapping[str, str]:
    result = report.result
    datasets = {f"dataset {d.name}": f"{d.items} items, digest {d.digest}" for d in result.datasets}
    models = {f"model of {name}": model for name, model in result.run.models.items()}
    index = {"index": result.run.corpus_version} if result.run.corpus_version else {}
    return {**report.facts, **index, **datasets, **models, "configuration": result.run.config_hash}


__all__ = ["label", "page", "verdict"]
