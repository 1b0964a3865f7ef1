"""``moot report``, ``moot compare`` and ``moot gate``: what stored evaluations say."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import run as runs_on_disk
from flows.environment import artifacts
from modules.disk import storage
from signatures.errors import ConfigError, GateNotPassed, InputError
from signatures.evaluation_results import CellGate, Direction, EvaluationResult, GateResult

if TYPE_CHECKING:
    from evals.table import Whole

CHAMPION = "champion"


def add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """The words that each of these commands takes."""
    about = "a run's id, the start of one, or its folder"
    if name == "report":
        parser.add_argument("run", nargs="?", help=f"{about}; the latest evaluation by default")
        return
    parser.add_argument("run", help=about)
    if name == "compare":
        parser.add_argument("other", help=about)
        parser.add_argument("--metric", help="one metric; all that both have by default")
        return
    parser.add_argument("--against", default=CHAMPION, help=f"a run, or {CHAMPION} (the default)")
    parser.add_argument("--metric", help="the metric that decides; the run's primary by default")
    parser.add_argument(
        "--promote", action="store_true", help="make the run the champion if it passes"
    )


def report(options: argparse.Namespace) -> int:
    """Make a stored run's report anew."""
    from flows.report_files import REPORT_FILE, stored, write_report

    folder = _evaluation(options.run)
    write_report(folder, stored(folder))
    path = folder / REPORT_FILE
    print(json.dumps({"report": str(path)}) if options.json else path)
    return 0


def compare(options: argparse.Namespace) -> int:
    """Say how two runs differ, by every metric that both have."""
    ours, theirs = _evaluation(options.run), _evaluation(options.other)
    _print(_gated(ours, theirs, options.metric, every=True), options.json)
    return 0


def gate(options: argparse.Namespace) -> int:
    """Refuse a run that is worse than the champion, or than another run.

    Raises:
        GateNotPassed: An interval says worse.
        InputError: There is no such run, no champion, or nothing can be compared.
    """
    from flows.report_files import stored

    folder = _evaluation(options.run)
    result = stored(folder)
    name = _name_of(folder)
    held = _champion(name) if options.against == CHAMPION else _evaluation(options.against)
    if held is None:
        if not options.promote:
            raise InputError(
                f"there is no champion of {name} yet",
                remedy=f"make the run one: moot gate {folder.name} --promote",
            )
        found = GateResult(
            run=folder.name, against="", cells=[], passed=True,
            notes=[f"the first champion of {name}: there was nothing to compare with"],
        )  # fmt: skip
    else:
        found = _gated(folder, held, options.metric, every=False)
    if found.passed and options.promote:
        found = found.model_copy(update={"promoted": True})
        _promote(name, folder, result)
    _print(found, options.json)
    if not found.passed:
        raise GateNotPassed(
            f"{folder.name} is worse than {found.against}",
            got="; ".join(_line(cell) for cell in found.cells if not cell.passed),
            remedy="see moot compare for all metrics",
        )
    return 0


def gate_text(found: GateResult) -> str:
    """What was compared, a line for each cell."""
    lines = [f"{found.run} against {found.against or 'nothing'}"]
    lines += [f"  {'pass' if cell.passed else 'FAIL'}  {_line(cell)}" for cell in found.cells]
    lines += [f"note: {note}" for note in found.notes]
    if found.promoted:
        lines.append(f"{found.run} is now the champion")
    return "\n".join(lines)


def _line(cell: CellGate) -> str:
    from evals.table_text import number

    if cell.delta is None:
        return f"{cell.cell}: {cell.metric} not compared"
    other = "" if cell.against == cell.cell else f" (against {cell.against})"
    least = "" if cell.mde is None else f", least that would show {number(cell.mde, None)}"
    return (
        f"{cell.cell}{other}: {cell.metric} {number(cell.delta, cell.ci, '+')}, "
        f"{cell.direction} is better, n {cell.n}{least}: {cell.finding}"
    )


def _gated(ours: Path, theirs: Path, metric: str | None, *, every: bool) -> GateResult:
    from evals.gate import gate as gated
    from flows.report_files import rows, stored

    mine, other = stored(ours), stored(theirs)
    known = {row.metric: row.direction for row in mine.table}
    both = {name: d for name, d in known.items() if name in {row.metric for row in other.table}}
    chosen: dict[str, Direction] = both if every and metric is None else {}
    if not chosen:
        name = metric or mine.primary
        if name not in both:
            raise ConfigError(
                f"the metric {name} is not in both runs",
                expected=f"one of {', '.join(both) or 'none'}",
            )
        chosen = {name: both[name]}
    scores = [list(rows(folder / "scores.jsonl")) for folder in (ours, theirs)]
    alike = mine.digest == other.digest
    figures = (_figures(ours, alike), _figures(theirs, alike))
    found = gated(ours.name, scores[0], theirs.name, scores[1], chosen, figures)
    return found.model_copy(update={"notes": [*found.notes, *_unlike(mine, other)]})


def _figures(folder: Path, alike: bool) -> Whole:
    """The run's figures over whole cells; without samples where the items are not the same."""
    from evals.table import CellFigure, Place
    from flows.evaluation_files import FIGURES_FILE
    from flows.report_files import rows

    found: dict[tuple[Place, str], CellFigure] = {}
    for row in rows(folder / FIGURES_FILE):
        place = Place(row["method"], row["backend"], row["dataset"], row.get("prompt", ""))
        spread = {"samples": row["samples"], "clusters": row["clusters"]} if alike else {}
        found[place, row["metric"]] = CellFigure(row["value"], **spread)
    return found


def _unlike(ours: EvaluationResult, theirs: EvaluationResult) -> list[str]:
    """What else differs between two runs that are compared."""
    notes = []
    if ours.digest != theirs.digest:
        notes.append("the datasets differ: only items of one id in both are compared")
    judges = [r.run.models.get("roles.judge") for r in (ours, theirs)]
    if judges[0] != judges[1]:
        notes.append(f"the judges differ: {judges[0]} and {judges[1]}")
    tuned = [
        {name: said for name, said in r.run.programs.items() if name.startswith("judge/")}
        for r in (ours, theirs)
    ]
    if tuned[0] != tuned[1]:
        notes.append("the judges have other prompts: tuned ones in one of the runs, or in both")
    return notes


def _evaluation(name: str | None) -> Path:
    """The evaluation that is meant; the latest finished one where none is named."""
    runs = artifacts() / "runs"
    if name is not None:
        return runs_on_disk.find(runs, name)
    for folder in reversed(runs_on_disk.every(runs)):
        if (
            runs_on_disk.load(folder)[0] == "evaluation"
            and (folder / runs_on_disk.RESULT_FILE).exists()
        ):
            return folder
    raise InputError("there is no finished evaluation", remedy="moot evaluation makes one")


def _name_of(folder: Path) -> str:
    """The evaluation's name, under which its champion is kept."""
    _, plain = runs_on_disk.load(folder)
    return str(plain["name"])


def _file(name: str) -> Path:
    return artifacts() / "champions" / f"evaluation-{name}.json"


def _champion(name: str) -> Path | None:
    path = _file(name)
    if not path.exists():
        return None
    held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    folder = Path(held["dir"])
    if not folder.exists():
        raise InputError(
            f"the champion of {name} is gone", got=str(folder),
            remedy=f"remove {path}, or promote another run",
        )  # fmt: skip
    return folder


def _promote(name: str, folder: Path, result: EvaluationResult) -> None:
    path = _file(name)
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"run": folder.name, "dir": str(folder), "primary": result.primary}
        draft = path.with_suffix(".part")
        draft.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        draft.replace(path)


def _print(found: GateResult, as_json: bool) -> None:
    print(found.model_dump_json(indent=2) if as_json else gate_text(found))


__all__ = ["add_arguments", "compare", "gate", "gate_text", "report"]
