"""How much discussions take beyond the LM calls that must wait for one another.

Four independent discussions of 24 calls each (two users and a moderator, six rounds) against a
local server that answers after 200 ms. In a discussion every call waits for the one before, so
the chain is 24 calls; the server's median latency times 24 is what it takes at least. Start-up
(imports, Prefect's server) is done before the clock starts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LATENCY_S = 0.2
DISCUSSIONS, ROUNDS, USERS = 4, 6, 2
DEPTH = ROUNDS * USERS * 2
REPEATS = 5


def main() -> None:
    """Print the ratio for several batches and the median."""
    root = Path(tempfile.mkdtemp(prefix="moot-bench-"))
    os.environ["MOOT_ARTIFACTS"] = str(root)
    os.environ["OPENAI_API_KEY"] = "bench"
    from flows.environment import prepare

    prepare(root)
    from flows import prefect_server

    prefect_server.start(root)
    command = [sys.executable, "-m", "bench.server", str(LATENCY_S), "forum"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        url = _line(server)
        with prefect_server.connected():
            ratios = sorted([_measure(root, url, server, n) for n in range(REPEATS + 1)][1:])
        server.terminate()
    prefect_server.stop()
    print(f"{DISCUSSIONS} x {DEPTH} calls, {REPEATS} batches after one to warm up:")
    low, middle, high = ratios[0], ratios[len(ratios) // 2], ratios[-1]
    print(f"wall / chain  min {low:.3f}  median {middle:.3f}  max {high:.3f}")


def _measure(root: Path, url: str, server: Any, number: int) -> float:
    from flows.discuss import discuss
    from flows.launch import stored
    from tests.support import composed

    plain = composed(
        "discuss", "subject=x", "backend=openai", f"backend.base_url={url}", "tracking=none",
        f"paths.artifacts={root}", f"discussion.rounds={ROUNDS}",
    )  # fmt: skip
    topics = [f"Question {number}.{place} is settled" for place in range(DISCUSSIONS)]
    started, cpu = time.perf_counter(), time.process_time()
    found = stored(discuss)({**plain, "subject": topics[0], "topics": topics[1:]})
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    server.stdin.write("\n")
    server.stdin.flush()
    intervals = sorted(json.loads(_line(server)))
    if len(intervals) != DISCUSSIONS * DEPTH or found["failures"]:
        raise SystemExit(f"{len(intervals)} calls were made, {DISCUSSIONS * DEPTH} are declared")
    latencies = sorted(end - start for start, end in intervals)
    chain = float(DEPTH * latencies[len(latencies) // 2])
    span = intervals[-1][1] - intervals[0][0]
    print(
        f"batch {number}: chain {chain:.3f} s; over it: the whole call {wall / chain:.3f}, "
        f"first call to last {span / chain:.3f}; CPU {1000 * cpu / len(intervals):.1f} ms a call"
    )
    return wall / chain


def _line(server: Any) -> str:
    return str(server.stdout.readline()).strip()


if __name__ == "__main__":
    main()
