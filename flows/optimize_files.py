"""The files of an optimization: the program, the report, the pictures, the result."""

from __future__ import annotations

from pathlib import Path

from evals.optimizing.diff import diff
from evals.optimizing.plots import curve, trade
from flows.optimize_result import PROGRAM_FILE
from flows.optimize_run import Optimization
from flows.optimize_text import CURVE_FILE, report_text
from flows.registry import Registered, promote
from flows.run import RESULT_FILE, Run
from flows.tracking import Tracker
from modules.disk import storage
from signatures.optimize_results import OptimizeResult

REPORT_FILE = "report.md"
TRADE_FILE = "trade.png"


def write_files(
    work: Optimization, result: OptimizeResult, tracker: Tracker
) -> tuple[OptimizeResult, list[Path]]:
    """Write all files and register a champion; the result last: its presence means the end.

    Returns:
        The result with the champion and the files named, and what to record.
    """
    run = work.run
    pictures = _pictures(work, result)
    for name, content in pictures.items():
        _binary(run, name, content)
    kept = work.compiled.model_copy(update={"agreement": result.judge})
    program = run.write(PROGRAM_FILE, kept.text())
    changed = diff(work.original.program, work.compiled.program)
    report = run.write(REPORT_FILE, report_text(result, changed))
    if result.promoted:
        result = _promoted(work, result, program, tracker)
    named = [PROGRAM_FILE, REPORT_FILE, *pictures, "search/trials.jsonl", "search/best.json"]
    result = result.model_copy(update={"files": named})
    written = run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n")
    return result, [program, report, *(run.folder / name for name in pictures), written]


def _pictures(work: Optimization, result: OptimizeResult) -> dict[str, bytes]:
    trials = work.trials.done
    title = f"{result.target}/{result.method}, {result.optimizer}"
    found = {CURVE_FILE: curve(trials, title, work.ledger.requests)}
    weighed = [name for name in result.weights if name in trials[0].parts]
    if len(weighed) > 1:
        others = [name for name in weighed if name != result.primary]
        units = {
            name: f"{metric.direction} is better" for name, metric in work.settings.metrics.items()
        }
        found[TRADE_FILE] = trade(trials, work.trials.front(), result.primary, others[0], units)
    return found


def _promoted(
    work: Optimization, result: OptimizeResult, program: Path, tracker: Tracker
) -> OptimizeResult:
    """The result with its champion, or with a note why there is none."""
    settings = work.settings
    if not settings.register_champion or settings.tracking.kind == "none":
        why = "register=false" if not settings.register_champion else "tracking=none"
        note = f"the program is not registered ({why}); use it by its path: program={program}"
        return result.model_copy(update={"notes": [*result.notes, note]})
    found: Registered = promote(settings.tracking.uri, result, program, tracker.run_id())
    return result.model_copy(update={"champion": found.uri})


def _binary(run: Run, name: str, content: bytes) -> None:
    path = run.folder / name
    with storage(path):
        draft = path.with_suffix(".part")
        draft.write_bytes(content)
        draft.replace(path)


__all__ = ["REPORT_FILE", "write_files"]
