"""How much of a server's capacity an evaluation uses, and what a kill costs it.

64 propositions x 5 methods, one essay each, with a judged metric, against a local server in a
process of its own that answers after 200 ms; at most 16 calls at once. Capacity is 16 / 0.2 s = 80
calls per second, from the first call to the last reply (start-up excluded, the tail included), on a
corpus from which other essays were written before: its sentences' vectors are kept. Then the same
again, killed (SIGKILL) at half of its calls and resumed: the server tells how many prompts it was
asked again, and how many of these had earned their answer, sent off 50 ms or more before the kill.
The others were under way when the process died: nobody has their answers.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.servers.repeats import KEPT_AFTER_S

LATENCY_S = 0.2
CONCURRENCY = 16
ITEMS = 64
ENDINGS = ("", " today", " over time")
"""Our own 24 propositions and these variations of them make 64 that the corpus covers."""
WARM = (" next year",)
TICK = os.sysconf("SC_CLK_TCK")


class Seen(NamedTuple):
    """What the server has answered: times in seconds of a monotonic clock. Of the ``repeated``
    prompts, ``earned`` had been answered well before the kill.
    """

    calls: int
    first: float
    last: float
    repeated: int
    earned: int


class Lab(NamedTuple):
    """Where the benchmark runs: a folder with an index and propositions, and a server."""

    root: Path
    server: subprocess.Popen[str]
    url: str


def main() -> None:
    """Measure, and print."""
    root = Path(tempfile.mkdtemp(prefix="moot-bench-"))
    _moot(root, "ingest", "data/corpus", "tracking=none").wait()
    command = [sys.executable, "-m", "bench.throughput", "serve"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdout is not None  # noqa: S101 - a pipe was asked for
        lab = Lab(root, server, server.stdout.readline().strip())
        _propositions(root / "propositions.jsonl", WARM)
        _evaluation(lab, seed=0).wait()
        asked(lab, "clear")
        _propositions(root / "propositions.jsonl", ENDINGS)
        calls = _throughput(lab)
        _killed(lab, calls)
        server.terminate()


def _throughput(lab: Lab) -> int:
    process = _evaluation(lab, seed=1)
    cpu = _watched(lab, process)
    seen = asked(lab, "clear")
    span = seen.last - seen.first
    used = seen.calls * LATENCY_S / CONCURRENCY / span
    print(f"{seen.calls} calls in {span:.1f} s: {used:.1%} of the server's capacity")
    for name, seconds in cpu.items():
        print(f"  {name}: {1000 * seconds / seen.calls:.1f} ms of CPU per call")
    there = (os.cpu_count() or 1) * LATENCY_S / CONCURRENCY
    print(
        f"  in all: {1000 * sum(cpu.values()) / seen.calls:.1f} ms; at full capacity this machine "
        f"has {1000 * there:.1f} ms for a call"
    )
    return seen.calls


def _killed(lab: Lab, calls: int) -> None:
    process = _evaluation(lab, seed=2)
    while asked(lab).calls < calls // 2 and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    process.wait()
    time.sleep(2 * LATENCY_S)
    before = asked(lab, f"killed {killed}").calls
    _moot(lab.root, "resume").wait()
    after = asked(lab)
    print(
        f"killed after {before} calls, resumed with {after.calls - before}: {after.calls} in all, "
        f"{calls} without a kill; prompts asked again whose answer had been sent off "
        f"{1000 * KEPT_AFTER_S:.0f} ms before the kill: {after.earned}; that were under way: "
        f"{after.repeated - after.earned}"
    )


def _evaluation(lab: Lab, seed: int) -> subprocess.Popen[bytes]:
    return _moot(
        lab.root, "evaluation", "experiment=table1", "replicates=1", "metric=[quality,citations]",
        "primary=quality", "self_judging=warn", "dataset=jsonl",
        f"dataset.path={lab.root}/propositions.jsonl", "backend=openai",
        f"backend.base_url={lab.url}", f"runner.concurrency={CONCURRENCY}", f"seed={seed}",
        "max_failed=0.2", "tracking=none",
    )  # fmt: skip


def _moot(root: Path, *words: str) -> subprocess.Popen[bytes]:
    env = {**os.environ, "MOOT_ARTIFACTS": str(root / "artifacts"), "OPENAI_API_KEY": "bench"}
    command = [sys.executable, "-m", "flows.cli", *words]
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)


def _propositions(path: Path, endings: Sequence[str]) -> None:
    own = Path("data/propositions/propositions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["proposition"] for line in own]
    varied = [text + ending for ending in endings for text in texts][:ITEMS]
    lines = [json.dumps({"id": f"b{n:02}", "proposition": t}) for n, t in enumerate(varied)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _watched(lab: Lab, process: subprocess.Popen[bytes]) -> dict[str, float]:
    """CPU seconds by process from the first call on, as last seen before the end."""
    start: dict[str, float] = {}
    last: dict[str, float] = {}
    while process.poll() is None:
        now = {"evaluation": _cpu(process.pid), "LM server": _cpu(lab.server.pid)}
        now["Prefect's server"] = sum(map(_cpu, _children(process.pid)))
        if asked(lab).calls:
            start = start or now
            last = {k: max(v, last.get(k, 0.0)) for k, v in now.items()}
        time.sleep(0.25)
    return {k: last[k] - start[k] for k in last}


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def _children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def asked(lab: Lab, word: str = "") -> Seen:
    """What the server has seen; ``clear`` begins anew, ``killed TIME`` tells it of a kill."""
    assert lab.server.stdin is not None and lab.server.stdout is not None  # noqa: S101 - pipes
    lab.server.stdin.write(f"{word}\n")
    lab.server.stdin.flush()
    return Seen(*json.loads(lab.server.stdout.readline()))


def serve() -> None:
    """The server's process: prints its address, then what it has seen for each line it reads."""
    import hashlib

    from tests.servers.debaters import debaters
    from tests.servers.lm import LMServer
    from tests.servers.storm import Storm

    play = Storm(debaters) if "storm" in sys.argv[2:] else debaters
    killed = math.inf
    with LMServer(play, models=("gpt-4o-mini",), latency_s=LATENCY_S) as server:
        print(server.base_url, flush=True)
        for line in sys.stdin:
            word, _, value = line.strip().partition(" ")
            if word == "killed":
                killed = float(value)
            times, first = server.times, dict[bytes, int]()
            again = []
            for number, request in enumerate(server.requests):
                mark = hashlib.md5(request.prompt.encode()).digest()  # noqa: S324 - to tell apart
                if first.setdefault(mark, number) != number:
                    again.append(times.get(first[mark], (0.0, math.inf))[1])
            starts, ends = zip(*times.values(), strict=True) if times else ((0.0,), (0.0,))
            earned = sum(end < killed - KEPT_AFTER_S for end in again)
            seen = [len(times), min(starts), max(ends), len(again), earned]
            print(json.dumps(seen), flush=True)
            if word == "clear":
                server.clear()


if __name__ == "__main__":
    serve() if sys.argv[1:2] == ["serve"] else main()
