"""The report of a stored evaluation: report.html, report.md and plots/, from the run's files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from evals.report import page
from evals.report_charts import standalone
from evals.report_data import Report
from evals.report_figures import Looks, against, costs, forest_of
from evals.report_text import markdown_report
from flows.provenance import code, provenance
from flows.run import CONFIG_FILE, RESULT_FILE
from modules.disk import storage
from signatures.errors import InputError
from signatures.evaluation_results import EvaluationResult

REPORT_FILE = "report.html"
REPORT_TEXT = "report.md"
MADE_FILE = "made.json"
PLOTS = "plots"


def write_report(folder: Path, result: EvaluationResult) -> list[Path]:
    """Write the report of the run in ``folder``; returns its files.

    Raises:
        StorageError: The disk refused.
    """
    report = report_of(folder, result)
    with storage(folder):
        (folder / PLOTS).mkdir(exist_ok=True)
        files = {folder / REPORT_FILE: page(report), folder / REPORT_TEXT: markdown_report(report)}
        plots = {folder / PLOTS / f"{n}.svg": standalone(svg) for n, svg in _plots(report)}
        for path, content in {**files, **plots}.items():
            draft = path.with_suffix(path.suffix + ".part")
            draft.write_text(content, encoding="utf-8")
            draft.replace(path)
    return list(files)


def stored(folder: Path) -> EvaluationResult:
    """The document of a finished evaluation.

    Raises:
        InputError: The run is no evaluation, or not finished.
    """
    path = folder / RESULT_FILE
    if not path.exists():
        raise InputError(
            f"the run {folder.name} has no result", remedy=f"finish it: moot resume {folder.name}"
        )
    found = json.loads(path.read_text(encoding="utf-8"))
    if "comparisons" not in found:
        raise InputError(f"the run {folder.name} is no evaluation", remedy="`moot runs` lists them")
    return EvaluationResult.model_validate(found)


def report_of(folder: Path, result: EvaluationResult) -> Report:
    """What the run's files say."""
    return Report(
        result=result,
        scores=list(rows(folder / "scores.jsonl")),
        outputs=list(rows(folder / "outputs.jsonl")),
        commands=_commands(folder),
        facts=_facts(folder),
    )


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON Lines file; none where there is no file."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield dict(json.loads(line))


def _plots(report: Report) -> Iterator[tuple[str, str]]:
    looks = Looks.of(report)
    for dataset in report.datasets:
        for metric in report.scored:
            drawn = forest_of(report, dataset, metric)
            if drawn:
                yield f"differences-{dataset}-{metric}", drawn
    yield from ((f"metrics-{d}", svg) for d, svg in against(report, looks).items())
    yield from ((f"costs-{d}", svg) for d, svg in costs(report, looks).items())


def _commands(folder: Path) -> list[str]:
    """What runs it again: the words it was started with, or its configuration."""
    made = _made(folder)
    lines = [f"git checkout {made['commit']}"] if made.get("commit") else []
    lines.append(f"pip install -r {shlex.quote(str(folder / 'environment.txt'))}")
    overrides = folder / ".hydra" / "overrides.yaml"
    if overrides.exists():
        words = yaml.safe_load(overrides.read_text(encoding="utf-8")) or []
        lines.append(" ".join(["moot evaluation", *(shlex.quote(str(word)) for word in words)]))
    elif (folder / CONFIG_FILE).exists():
        lines.append("# every option is in the run's config.yaml")
    lines.append(f"moot report {folder.name}")
    return lines


def _facts(folder: Path) -> dict[str, str]:
    made = _made(folder)
    changed = {True: ", with changes that are not committed", False: "", None: ""}
    commit = str(made.get("commit") or "no checkout")
    return {
        "code": commit + changed[made.get("dirty")],
        "python": f"{made['python']}, {made['system']}",
    }


def _made(folder: Path) -> dict[str, Any]:
    """What the run was made with: told once, when its first report is written."""
    path = folder / MADE_FILE
    if path.exists():
        return dict(json.loads(path.read_text(encoding="utf-8")))
    found = provenance()
    made = {**code().model_dump(), "python": found.python, "system": found.system}
    path.write_text(json.dumps(made, indent=2), encoding="utf-8")
    return made


__all__ = ["REPORT_FILE", "report_of", "rows", "stored", "write_report"]
