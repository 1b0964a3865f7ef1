"""An evaluation's report as Markdown: the same sections in words and tables."""

from __future__ import annotations

from evals.report import verdict
from evals.report_data import Report
from evals.table_text import markdown, number
from modules import markup

QUOTED = 600
"""Characters of an example."""


def markdown_report(report: Report) -> str:
    """The verdicts, the tables, topics, examples, failures and commands."""
    head, _, tables = markdown(report.result).partition("\n\n")
    parts = [head, "\n".join(f"- {markup.markdown(verdict(report, d))}" for d in report.datasets)]
    parts += [tables.rstrip(), *_topics(report), *_examples(report), *_failures(report)]
    commands = "\n".join(report.commands)
    parts += ["## Do it again", f"```console\n{commands}\n```"]
    parts += ["\n".join(f"- {name}: {fact}" for name, fact in report.facts.items())]
    return "\n\n".join(part for part in parts if part) + "\n"


def _topics(report: Report) -> list[str]:
    parts = []
    for dataset in report.datasets:
        topics, means = report.topics(dataset)
        if not topics:
            continue
        lines = [["cell", *topics], ["---"] * (len(topics) + 1)]
        for cell in report.rows(dataset):
            if cell in means:
                values = [means[cell].get(topic) for topic in topics]
                shown = ["–" if v is None else number(v, None) for v in values]
                lines.append([f"{cell.name}, {cell.backend}", *shown])
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"## {report.result.primary} by topic: {dataset}\n\n{table}")
    return parts


def _examples(report: Report) -> list[str]:
    parts = []
    for dataset in report.datasets:
        for example in report.examples(dataset):
            about = markup.markdown(markup.one_line(example.subject))
            lines = [f"### {example.title}: {about} ({dataset})"]
            for cell, value, body in example.texts:
                said = markup.markdown(markup.one_line(body)[:QUOTED])
                lines.append(f"**{cell.name}, {cell.backend}** ({number(value, None)}): {said} …")
            parts.append("\n\n".join(lines))
    return ["## Examples", *parts] if parts else []


def _failures(report: Report) -> list[str]:
    reasons = report.failures()
    if not reasons:
        return ["## Failures\n\nNone."]
    lines = [f"- {len(units)} units: {markup.markdown(reason)}" for reason, units in reasons]
    return ["## Failures\n\n" + "\n".join(lines)]


__all__ = ["markdown_report"]
