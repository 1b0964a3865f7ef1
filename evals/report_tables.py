"""The tables of a report: leaderboard, topics, counts, the judge's share."""

from __future__ import annotations

from collections.abc import Iterator

from evals.report_charts import strip, text
from evals.report_data import Cell, Report
from evals.report_figures import Looks
from evals.table_text import ARROWS, number
from signatures.evaluation_results import Comparison, TableRow

FINDINGS = {
    "better": ("better", "▲ better"),
    "worse": ("worse", "▼ worse"),
    "not distinguishable": ("same", "≈ not distinguishable"),
    "undefined": ("same", "– not compared"),
}
"""A finding by class, and by shape and words, so that colour is never the only sign."""


def leaderboard(report: Report, dataset: str, looks: Looks) -> str:
    """A line for each cell, best first; each value and its interval drawn on the column's scale."""
    ranked = report.rows(dataset)
    names = report.metrics
    scales = {name: _scale(rows[name] for rows in ranked.values()) for name in names}
    against = _against(report, dataset)
    backends = len({cell.backend for cell in ranked}) > 1
    heads = ["<th></th><th>method</th>", "<th>backend</th>" if backends else ""]
    for name in names:
        arrow = ARROWS[report.direction(name)]
        kind = ' class="primary"' if name == report.result.primary else ""
        heads.append(f"<th{kind}>{text(name)} {arrow}</th>")
        if name == report.result.primary:
            heads.append(f"<th{kind}>than {text(report.result.reference)}</th>")
    heads += [f'<th class="n">{name}</th>' for name in ("texts", "tokens", "USD", "s")]
    lines = []
    for place, (cell, rows) in enumerate(ranked.items(), start=1):
        first = next(iter(rows.values()))
        cells = [f'<td class="n soft">{place}</td><th>{looks.swatch(cell)}{text(cell.name)}</th>']
        cells.append(f"<td>{text(cell.backend)}</td>" if backends else "")
        for name in names:
            kind = " primary" if name == report.result.primary else ""
            inside = _value(rows[name], scales[name], looks.colour(cell))
            cells.append(f'<td class="value{kind}">{inside}</td>')
            if name == report.result.primary:
                cells.append(f'<td class="primary">{against.get(cell, _tag(None))}</td>')
        cells += [f'<td class="n">{figure}</td>' for figure in _costs(first)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="scroll"><table><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        f'<p class="note">Best first by {text(report.result.primary)}. Tokens, USD and seconds are '
        "means per text, as they were when it was made.</p>"
    )


def heat(report: Report, dataset: str, looks: Looks) -> str:
    """The primary metric by cell and topic, shaded by how good it is within the topic."""
    topics, means = report.topics(dataset)
    if not topics:
        return ""
    sign = 1 if report.direction(report.result.primary) == "higher" else -1
    several = len({cell.backend for cell in means}) > 1
    head = "".join(f"<th>{text(topic.replace('-', ' '))}</th>" for topic in topics)
    spans = {}
    for topic in topics:
        own = [by[topic] for by in means.values() if topic in by]
        spans[topic] = (min(own), max(own))
    lines = []
    for cell in report.rows(dataset):
        if cell not in means:
            continue
        name = f"{cell.name}, {cell.backend}" if several else cell.name
        cells = "".join(_shaded(means[cell].get(topic), spans[topic], sign) for topic in topics)
        lines.append(f"<tr><th>{looks.swatch(cell)}{text(name)}</th>{cells}</tr>")
    return (
        f'<div class="scroll"><table class="heat"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def counts(report: Report, looks: Looks) -> Iterator[str]:
    """Scored, failed and abstained, of every cell and metric."""
    names = report.metrics
    head = "".join(f'<th class="n">{text(name)}</th>' for name in names)
    lines = []
    for dataset in report.datasets:
        for cell, rows in report.rows(dataset).items():
            cells = "".join(
                f'<td class="n">{r.n_scored} / {r.n_failed} / {r.n_abstained}</td>'
                for r in (rows[name] for name in names)
            )
            lines.append(
                f"<tr><th>{looks.swatch(cell)}{text(cell.name)}</th><td>{text(cell.backend)}</td>"
                f"<td>{text(dataset)}</td>{cells}</tr>"
            )
    yield (
        '<h2>Counts</h2><p class="note">Scored / failed / abstained. Only what is scored is '
        'averaged.</p><div class="scroll"><table><thead><tr><th>method</th><th>backend</th>'
        f"<th>dataset</th>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def variances(report: Report) -> Iterator[str]:
    """How much of a judged metric is the judge's own wavering."""
    if not report.result.variances:
        return
    lines = "".join(
        f"<tr><th>{text(v.metric)}</th><td>{text(v.dataset)}</td>"
        + "".join(
            f'<td class="n">{number(x**0.5, None)}</td>'
            for x in (v.system, v.item, v.interaction, v.judge)
        )
        + f'<td class="n">± {number(1.96 * v.noise, None)}</td>'
        + f'<td class="n">{v.judgements}</td></tr>'
        for v in report.result.variances
    )
    heads = ("systems", "items", "system × item", "judge", "judge's error", "judgements")
    head = "".join(f'<th class="n">{name}</th>' for name in heads)
    yield (
        '<h2>The judge\'s share</h2><p class="note">Standard deviations, from several judgements '
        "of each text. The judge's error is what its own wavering puts on a cell's mean (95 %): "
        "smaller differences are no differences, however many items there are.</p>"
        f'<div class="scroll"><table><thead><tr><th>metric</th><th>dataset</th>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _against(report: Report, dataset: str) -> dict[Cell, str]:
    """What each cell is, compared with the reference method by the primary metric."""
    found: dict[Cell, str] = {}
    for c in report.comparisons(dataset, report.result.primary):
        if c.b == report.result.reference and c.b != c.a:
            found[Cell(c.a, c.backend, dataset, c.prompt)] = _tag(c)
    for cell in report.rows(dataset):
        if cell.method == report.result.reference:
            found[cell] = '<span class="soft">the reference</span>'
    return found


def _tag(c: Comparison | None) -> str:
    if c is None:
        return '<span class="soft">–</span>'
    kind, words = FINDINGS[c.finding]
    p = "" if c.p_holm is None else f'<br><span class="count">p {c.p_holm:.3f}</span>'
    return f'<span class="tag {kind}">{words}</span>{p}'


def _value(row: TableRow, scale: tuple[float, float], colour: str) -> str:
    lost = [
        f"{count} {what}"
        for count, what in ((row.n_failed, "failed"), (row.n_abstained, "abstained"))
        if count
    ]
    aside = f'<span class="count">{", ".join(lost)}</span>' if lost else ""
    if row.value is None:
        return f'<span class="soft">–</span> {aside}'
    said = number(row.value, row.ci)
    value, _, ends = said.partition(" ") if row.ci else (said, "", "[–]")
    drawn = strip(row.value, row.ci, *scale, colour)
    return f"<b>{value}</b> <small>{ends}</small>{drawn}{aside}"


def _scale(rows: Iterator[TableRow]) -> tuple[float, float]:
    ends = [e for r in rows if r.value is not None for e in (r.value, *(r.ci or ()))]
    return (min(ends), max(ends)) if ends else (0.0, 1.0)


def _costs(row: TableRow) -> list[str]:
    usd = "–" if not row.texts else "unpriced" if row.usd is None else f"{row.usd:.4f}"
    tokens = "–" if row.tokens is None else f"{row.tokens:,.0f}"
    seconds = "–" if row.seconds is None else f"{row.seconds:.1f}"
    return [str(row.texts), tokens, usd, seconds]


def _shaded(value: float | None, span: tuple[float, float], sign: int) -> str:
    if value is None:
        return '<td class="soft">–</td>'
    low, high = span
    good = 0.5 if high == low else (value - low) / (high - low)
    good = good if sign > 0 else 1 - good
    mixed = f"color-mix(in srgb,var(--accent) {8 + 34 * good:.0f}%,transparent)"
    shown = number(value, None)
    best = f"<b>{shown}</b>" if good == 1 else shown
    return f'<td style="background:{mixed}">{best}</td>'


__all__ = ["counts", "heat", "leaderboard", "variances"]
