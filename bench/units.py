"""Ten thousand persisted units: listing the run, resuming it, reporting it, by seconds and memory.

5,000 propositions, a text each that costs no call, its measure: made once, its result
taken away (as by a kill at the very end), and then the commands are timed as a user would run them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.evaluation import environment

ITEMS = 5000


def main() -> None:
    """Measure, and print."""
    root = Path(tempfile.mkdtemp(prefix="moot-bench-"))
    rows = [{"id": f"i{n:05}", "proposition": f"Proposal {n} is sound"} for n in range(ITEMS)]
    path = root / "propositions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = [
        "evaluation", "~method@methods.persona_debate", "evidence=none", "runner.concurrency=4",
        "+methods.none={_target_: bench.parts.NoCalls}", "reference=none", "metric=[]",
        "+metrics.length={_target_: bench.parts.Length}", "primary=length", "dataset=jsonl",
        f"dataset.path={path}", "tracking=none",
    ]  # fmt: skip
    _told("making them", root, *words)
    (run,) = (root / "artifacts" / "runs" / "evaluation").iterdir()
    (run / "result.json").unlink()
    _told("moot runs", root, "runs")
    _told("moot resume", root, "resume")
    result = json.loads((run / "result.json").read_text())
    reused, calls = result["usage"]["units_reused"], result["usage"]["calls"]
    print(f"  {reused} units reused, {calls} calls, {len(result['failures'])} failures")
    _told("moot show", root, "show", run.name)
    _told("moot report", root, "report", run.name)


def _told(what: str, root: Path, *words: str) -> None:
    started = time.monotonic()
    command = [sys.executable, "-m", "flows.cli", *words]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment(root), stdout=quiet, stderr=quiet)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - started
    print(
        f"{what}: {took:.1f} s, {usage.ru_utime + usage.ru_stime:.1f} CPU s, "
        f"{usage.ru_maxrss / 1e6:.2f} GB"
        + (f", exit code {os.waitstatus_to_exitcode(status)}" if status else "")
    )


if __name__ == "__main__":
    main()
