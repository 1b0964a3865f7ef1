"""What an evaluation costs beside its LM calls: throughput, and CPU per unit.

200 units of three calls each (a claim, a plan, an essay) and their measure, against a server in a
process of its own that answers after 200 ms; at most 16 calls at once, traces sampled. First
without evidence: what is left is the evaluation itself. Then with it: passages are searched, the
plan's points get theirs, citations are checked, on a corpus from which 24 others were written
before. The ideal is calls x latency / 16, from the first call to the last reply. CPU per unit
besides calls is the process's, from the first unit to the last, less what its threads spent while
they asked (prompt, HTTP, parsing, counting), which is told per call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.throughput import Lab, Seen, asked

LATENCY_S = 0.2
CONCURRENCY = 16
UNITS = 200
WARM = 24
ENDINGS = ("", " today", " over time", " next year", " in this country", " by law", " for good",
           " as soon as possible", " in every town", " at last")  # fmt: skip
"""Our own 24 propositions, once as they are, and 200 of these variations of them."""


def main() -> None:
    """Measure, and print."""
    plain = ("evidence=none", "metric=[]", "essay.words=60", "primary=length",
             "+metrics.length={_target_: bench.parts.Length}")  # fmt: skip
    with lab() as found:
        for name, words in (("without evidence", plain), ("with evidence", ())):
            own = found.root / "propositions.jsonl"
            propositions(own, WARM)
            child(found, evaluation(found, *words))
            asked(found, "clear")
            propositions(own, UNITS, skip=WARM)
            told = child(found, evaluation(found, *words))
            _print(name, told, asked(found, "clear"))


def _print(name: str, told: dict[str, float], seen: Seen) -> None:
    span = seen.last - seen.first
    share = seen.calls * LATENCY_S / CONCURRENCY / span
    beside = told["cpu"] - told["asking"]
    print(
        f"{name}: {seen.calls} calls in {span:.1f} s, {share:.1%} of the ideal throughput; "
        f"CPU besides calls {1000 * beside / UNITS:.1f} ms per unit, "
        f"per call {1000 * told['asking'] / seen.calls:.1f} ms; "
        f"units took {told['seconds']:.1f} s and {told['cpu']:.1f} CPU s in all"
    )


@contextmanager
def lab(*words: str) -> Iterator[Lab]:
    """A folder with an index and propositions, and a server."""
    root = Path(tempfile.mkdtemp(prefix="moot-bench-"))
    moot(root, "ingest", "data/corpus", "tracking=none")
    command = [sys.executable, "-m", "bench.throughput", "serve", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdout is not None  # noqa: S101 - a pipe was asked for
        try:
            yield Lab(root, server, server.stdout.readline().strip())
        finally:
            server.terminate()


def propositions(path: Path, count: int, *, skip: int = 0) -> None:
    """So many propositions that the starter corpus covers."""
    own = Path("data/propositions/propositions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["proposition"] for line in own]
    varied = [text + ending for ending in ENDINGS for text in texts][skip:][:count]
    lines = [json.dumps({"id": f"b{n:03}", "proposition": t}) for n, t in enumerate(varied)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def evaluation(found: Lab, *more: str) -> list[str]:
    """The words of an evaluation of three calls a unit over the lab's propositions."""
    return [
        "evaluation", "~method@methods.persona_debate",
        "+methods.three={_target_: bench.parts.ThreeCalls}", "reference=three",
        "metric=[evidence_balance]", "primary=evidence_balance", "dataset=jsonl",
        f"dataset.path={found.root}/propositions.jsonl", "backend=openai",
        f"backend.base_url={found.url}", f"runner.concurrency={CONCURRENCY}",
        "recall.min_coverage=0", *more,
    ]  # fmt: skip


def environment(root: Path) -> dict[str, str]:
    """The variables of a process that works in the lab."""
    return {**os.environ, "MOOT_ARTIFACTS": str(root / "artifacts"), "OPENAI_API_KEY": "bench"}


def moot(root: Path, *words: str) -> None:
    """One command, to its end."""
    command = [sys.executable, "-m", "flows.cli", *words]
    subprocess.run(command, env=environment(root), stdout=subprocess.DEVNULL, check=True)


def child(found: Lab, words: list[str]) -> dict[str, float]:
    """Run a command in a process that watches itself; what it saw."""
    report = found.root / "watched.json"
    command = [sys.executable, "-m", "bench.evaluation", "watch", str(report), *words]
    env = environment(found.root)
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
    return dict(json.loads(report.read_text()))


def watch(report: Path, words: list[str]) -> None:
    """Run a command in this process; write how much CPU its units took, and its asking."""
    from flows.cli import main as command
    from flows.environment import artifacts, prepare

    prepare(artifacts())  # before Prefect is imported, as the command does it
    from flows.tracking import Tracker
    from flows.units import UnitPool
    from modules.lm.ask import Ask

    asking: list[float] = []
    lock = threading.Lock()
    spent: dict[str, float] = {}
    forward, run, start = Ask.forward, UnitPool.run, Tracker.start

    def timed(self: Any, **inputs: Any) -> Any:
        started = time.thread_time()
        try:
            return forward(self, **inputs)
        finally:
            with lock:
                asking.append(time.thread_time() - started)

    def watched(self: Any, *given: Any) -> None:
        cpu, wall = time.process_time(), time.monotonic()
        try:
            run(self, *given)
        finally:
            spent.update(cpu=time.process_time() - cpu, seconds=time.monotonic() - wall)

    def started(self: Any) -> None:
        start(self)
        if self._started is not None:
            self._started.result()  # MLflow's import is start-up

    with (
        patch.object(Ask, "forward", timed),
        patch.object(UnitPool, "run", watched),
        patch.object(Tracker, "start", started),
    ):
        code = command(words)
    report.write_text(json.dumps({**spent, "asking": sum(asking)}))
    sys.exit(code)


if __name__ == "__main__":
    if sys.argv[1:2] == ["watch"]:
        watch(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
