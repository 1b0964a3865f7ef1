"""The files of an evaluation: table.md, report.html, outputs, scores, failures, result.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evals.table_text import markdown
from flows.report_files import write_report
from flows.run import RESULT_FILE, Run
from signatures.results import EvaluationPlan, EvaluationResult, PlannedCell

TABLE_FILE = "table.md"
OUTPUTS_FILE = "outputs.jsonl"
SCORES_FILE = "scores.jsonl"
FAILURES_FILE = "failures.jsonl"
FIGURES_FILE = "figures.jsonl"
"""Figures over whole cells with their samples, where a metric has such."""


def write_so_far(
    run: Run,
    result: EvaluationResult,
    outputs: Iterable[Mapping[str, Any]],
    scores: Iterable[Mapping[str, Any]],
    figures: Iterable[Mapping[str, Any]],
) -> None:
    """Write what there is, whether or not the run got to its end."""
    run.write(TABLE_FILE, table_text(result))
    run.write(OUTPUTS_FILE, _lines(outputs))
    run.write(SCORES_FILE, _lines(scores))
    if told := _lines(figures):
        run.write(FIGURES_FILE, told)
    run.write(FAILURES_FILE, _lines(failure.model_dump() for failure in result.failures))


def write_files(run: Run, result: EvaluationResult) -> list[Path]:
    """Write the report and the result, whose presence means the run is finished; returns what to
    record.
    """
    reports = write_report(run.folder, result)
    written = run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n")
    so_far = [run.folder / name for name in (TABLE_FILE, OUTPUTS_FILE, SCORES_FILE)]
    return [*so_far, *reports, written]


def table_text(result: EvaluationResult, *, brief: bool = False) -> str:
    """The table as Markdown, in S1's layout."""
    return markdown(result, brief=brief)


def plan_text(plan: EvaluationPlan) -> str:
    """A plan as text."""
    head = ["method", "backend", "dataset", "units", "there", "calls", "tokens", "USD"]
    lines = [head]
    for cell in plan.cells:
        name = f"{cell.method} + {cell.prompt}" if cell.prompt else cell.method
        counts = [str(cell.units), str(cell.units_there)]
        lines.append([name, cell.backend, cell.dataset, *counts, *_amounts(cell)])
    lines.append(["all", "", "", str(plan.units), str(plan.units_there), *_amounts(plan)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    rows = [
        "  ".join(
            cell.ljust(width) if column < 3 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    title = f"{plan.dataset}: {plan.items} items, {plan.replicates} texts each"
    return "\n".join([title, "", *rows, "", *(f"note: {note}" for note in plan.notes)])


def _amounts(of: EvaluationPlan | PlannedCell) -> list[str]:
    """Calls, tokens and dollars still to be spent."""
    usd = "unknown" if of.usd is None else f"{of.usd:.2f}"
    return [*("unknown" if n is None else str(n) for n in (of.calls, of.tokens)), usd]


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


__all__ = ["FIGURES_FILE", "plan_text", "table_text", "write_files", "write_so_far"]
