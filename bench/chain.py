"""How much an essay takes beyond the LM calls that must wait for one another.

One essay against a local server that answers after 200 ms. The longest chain of calls is known
from what depends on what: the pool, the selection, every turn of the debate, the plan, the essay.
Start-up is done before the clock starts (imports, weights, Prefect's server) or told apart: the
opening of a flow run, timed beside each essay on a flow that does nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

LATENCY_S = 0.2
ROUNDS, TEAM = 2, 3


def needs() -> dict[str, list[str]]:
    """Every LM call of an essay, and the calls whose replies it needs."""
    turns = [f"turn {n}" for n in range(1, ROUNDS * (TEAM + 1) + 1)]
    graph: dict[str, list[str]] = {"personas": [], "selection": ["personas"]}
    for number, turn in enumerate(turns):
        graph[turn] = ["selection", *turns[:number]]
    return graph | {"plan": turns, "essay": ["plan"]}


def depth(call: str) -> int:
    """The number of calls on the longest chain that ends in ``call``."""
    return 1 + max((depth_of(before) for before in needs()[call]), default=0)


depth_of = cache(depth)
DEPTH = max(map(depth_of, needs()))
SUBJECTS = (
    "We should make all museums free of charge",
    "Museums should charge no entrance fee",
    "Entry to every museum should cost nothing",
    "Museum tickets should be abolished",
    "No visitor should pay to enter a museum",
    "Public museums should not charge for admission",
)


def main() -> None:
    """Print the ratio for several essays and the median."""
    root = Path(tempfile.mkdtemp(prefix="moot-bench-"))
    os.environ["MOOT_ARTIFACTS"] = str(root)
    os.environ["OPENAI_API_KEY"] = "bench"
    from flows.environment import prepare

    prepare(root)
    from flows import prefect_server

    prefect_server.start(root)
    from modules.retrieval import EvidenceStore, MiniLM, ingest

    ingest(["data/corpus/free-museums"], EvidenceStore(root / "index", MiniLM()))
    command = [sys.executable, "-m", "bench.server", str(LATENCY_S)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        url = str(_asked(server))
        with prefect_server.connected():
            ratios = [_measure(root, url, server, seed) for seed in range(len(SUBJECTS))][1:]
        server.terminate()
    prefect_server.stop()
    print(f"{DEPTH} calls deep, {len(ratios)} essays after one to warm up; wall / chain:")
    for name, found in (("start-up apart", [r.apart for r in ratios]),
                        ("the whole call", [r.whole for r in ratios])):  # fmt: skip
        low, *_, high = sorted(found)
        print(f"{name}  min {low:.3f}  median {median(found):.3f}  max {high:.3f}")


class Ratios(NamedTuple):
    """Wall time over the chain: of the whole call, and without the flow run's opening."""

    whole: float
    apart: float


def _opening() -> float:
    """Seconds that Prefect takes to open a flow run."""
    from prefect import flow

    from flows.launch import stored

    @flow(name="nothing", validate_parameters=False)
    def nothing(config: dict[str, Any], run_dir: str | None = None) -> float:
        return time.perf_counter()

    started = time.perf_counter()
    return float(stored(nothing)({}, "none") - started)


def _measure(root: Path, url: str, server: Any, seed: int) -> Ratios:
    from flows.essay import essay
    from flows.launch import stored
    from tests.support import composed

    plain = composed(
        "essay", "subject=x", "backend=openai", f"backend.base_url={url}", f"seed={seed}",
        f"paths.artifacts={root}", f"debate.max_rounds={ROUNDS}", f"personas.team_size={TEAM}",
    )  # fmt: skip
    opening = _opening()
    started = time.perf_counter()
    inside = stored(essay)({**plain, "subject": SUBJECTS[seed]})["seconds"]
    wall = time.perf_counter() - started
    server.stdin.write("\n")
    server.stdin.flush()
    intervals = sorted(json.loads(_asked(server)))
    if len(intervals) != len(needs()):
        raise SystemExit(f"{len(intervals)} calls were made, {len(needs())} are declared")
    latencies = sorted(end - start for start, end in intervals)
    chain = float(DEPTH * latencies[len(latencies) // 2])
    span = intervals[-1][1] - intervals[0][0]
    print(
        f"seed {seed}: chain {chain:.3f} s; over it: the whole call {wall / chain:.3f}, the run "
        f"without Prefect's opening and closing {inside / chain:.3f}, first call to last "
        f"{span / chain:.3f}"
    )
    return Ratios(wall / chain, (wall - opening) / chain)


def _asked(server: Any) -> str:
    return str(server.stdout.readline()).strip()


if __name__ == "__main__":
    main()
