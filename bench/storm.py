"""A fault storm over 300 texts of three calls: 10 % 429, 5 % 500, 5 % nonsense, 2 % no reply.

Once through, then again under another seed and killed (SIGKILL) three times on the way. Retries are
few, so that some units do fail: each of the 300 must end as a text or as a failure with its reason,
none twice, none lost.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter

from bench import evaluation
from bench.evaluation import environment, lab, moot, propositions
from bench.throughput import Lab, asked

TEXTS = 300
REPLICATES = 2
KILLS = (200, 450, 700)
"""Requests after which the process is killed."""


def main() -> None:
    """Measure, and print."""
    with lab("storm") as found:
        propositions(found.root / "propositions.jsonl", TEXTS // REPLICATES)
        started = time.monotonic()
        moot(found.root, *_words(found, 1))
        _told(found, f"once through, {time.monotonic() - started:.0f} s")
        process = _begun(found, *_words(found, 2))
        for calls in KILLS:
            while asked(found).calls < calls and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
            process = _begun(found, "resume")
        process.wait()
        _told(found, f"killed {len(KILLS)} times, exit code {process.returncode}")


def _words(found: Lab, seed: int) -> list[str]:
    return evaluation.evaluation(
        found, f"seed={seed}", f"replicates={REPLICATES}", "backend.timeout_s=2",
        "backend.retries=1", "runner.retries=0", "max_failed=1", "tracking=none",
    )  # fmt: skip


def _begun(found: Lab, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "flows.cli", *words]
    return subprocess.Popen(command, env=environment(found.root), stdout=subprocess.DEVNULL)


def _told(found: Lab, what: str) -> None:
    runs = found.root / "artifacts" / "runs" / "evaluation"
    folder = max(runs.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    result = json.loads((folder / "result.json").read_text())
    rows = [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]
    texts = sum(len(row["outputs"]) for row in rows)
    twice = sum(n - 1 for n in Counter((row["id"], row["method"]) for row in rows).values())
    lost = [failure for failure in result["failures"] if failure["unit"].count("/") == 3]
    reasons = Counter(_kind(failure["reason"]) for failure in lost)
    row = result["table"][0]
    seen, spent = asked(found, "clear"), result["run"]["usage_total"]
    print(
        f"{what}: {texts} texts + {len(lost)} failures = {texts + len(lost)} of {TEXTS}; "
        f"{twice} twice; {TEXTS - texts - len(lost)} lost; "
        f"{row['n_scored']} scored, {row['n_failed']} failed, {row['n_abstained']} abstained"
    )
    print(
        f"  {seen.calls} requests answered, {spent['calls']} calls and {spent['failed_attempts']} "
        f"failed attempts counted; reasons: {dict(reasons)}"
    )


def _kind(reason: str) -> str:
    return reason.split(";")[0][:60]


if __name__ == "__main__":
    main()
