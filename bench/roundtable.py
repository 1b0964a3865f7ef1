"""How soon a roundtable shows its first words, and how long it takes beyond its chain of calls.

Rounds of five given personas, sources and a closing against a local server that answers after
200 ms. The longest chain of calls is known from what depends on what: in ``continuous`` mode every
turn hears the one before it, in ``round_synchronous`` mode every round the one before it; the
evidence of a turn (a query, a rewriting) needs the turn, the closing needs all turns. Start-up is
done before the clock starts (imports, weights, Prefect's server, a first debate, as a session of
the page has had them) or told apart: the opening of a flow run, timed beside each debate on a flow
that does nothing. The time without LM calls is what one turn costs in this process when nothing
else runs: the extractive engine's turn, retrieval, rewriting and citation check, divided by the
turns.
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
SEATS = 5
MODES = ("continuous", "round_synchronous")
REPEATS = 5
TOPIC = "We should make all museums free of charge"
PERSONAS = [
    {"title": "Museum director", "stance": "against"},
    {"title": "Teacher", "stance": "for"},
    {"title": "Taxpayer", "stance": "against"},
    {"title": "Visitor", "stance": "for"},
    {"title": "Historian", "stance": "neutral"},
]


def needs(mode: str, rounds: int) -> dict[str, list[str]]:
    """Every LM call of a debate, and the calls whose replies it needs."""
    graph: dict[str, list[str]] = {}
    for number in range(rounds):
        before = [f"turn {n}" for n in range(number * SEATS)]
        for seat in range(number * SEATS, (number + 1) * SEATS):
            turn = f"turn {seat}"
            graph[turn] = [f"turn {n}" for n in range(seat)] if mode == "continuous" else before
            graph[f"query {seat}"] = [turn]
            graph[f"citing {seat}"] = [f"query {seat}"]
    return graph | {"closing": [f"turn {n}" for n in range(rounds * SEATS)]}


def depth(mode: str, rounds: int) -> int:
    """The number of calls on the longest chain."""
    graph = needs(mode, rounds)

    @cache
    def of(call: str) -> int:
        return 1 + max(map(of, graph[call]), default=0)

    return max(map(of, graph))


class Measured(NamedTuple):
    """One debate: seconds of the whole call, without the flow run's opening, from the first call
    to the last, until the first words, and the median latency of a call.
    """

    whole: float
    apart: float
    span: float
    first: float
    latency: float


def main() -> None:
    """Print the figures for both modes, one round and five."""
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
        url = _asked(server)
        with prefect_server.connected():
            for mode in MODES:
                _measure(root, url, server, mode, 1, 0)
            for mode in MODES:
                for rounds in (1, 5):
                    _report(root, url, server, mode, rounds)
            _turn_time(root)
        server.terminate()
    prefect_server.stop()


def _report(root: Path, url: str, server: Any, mode: str, rounds: int) -> None:
    runs = [_measure(root, url, server, mode, rounds, seed) for seed in range(1, REPEATS + 1)]
    deep = depth(mode, rounds)
    latency = median(run.latency for run in runs)
    print(f"{mode}, {rounds} x {SEATS}: chain {deep} calls = {deep * latency:.2f} s; wall / chain:")
    for name, found in (
        ("start-up apart", [run.apart / (deep * run.latency) for run in runs]),
        ("the whole call", [run.whole / (deep * run.latency) for run in runs]),
        ("first call to last", [run.span / (deep * run.latency) for run in runs]),
    ):
        print(f"  {name}: min {min(found):.3f} median {median(found):.3f} max {max(found):.3f}")
    late = median(run.first - run.latency for run in runs)
    print(f"  first words after a call + {late:.2f} s")


def _opening() -> float:
    """Seconds that Prefect takes to open a flow run."""
    from prefect import flow

    from flows.launch import stored

    @flow(name="nothing", validate_parameters=False)
    def nothing(config: dict[str, Any], run_dir: str | None = None) -> float:
        return time.perf_counter()

    started = time.perf_counter()
    return float(stored(nothing)({}, "none") - started)


def _measure(root: Path, url: str, server: Any, mode: str, rounds: int, seed: int) -> Measured:
    plain = _composed(
        root, "backend=openai", f"backend.base_url={url}", f"debate.mode={mode}",
        f"debate.rounds={rounds}", f"seed={_seed(mode, rounds, seed)}",
    )  # fmt: skip
    opening = _opening()
    began = time.time()
    started = time.perf_counter()
    document = _debate(plain)
    wall = time.perf_counter() - started
    server.stdin.write("\n")
    server.stdin.flush()
    intervals = sorted(json.loads(_asked(server)))
    if len(intervals) != len(needs(mode, rounds)):
        raise SystemExit(f"{len(intervals)} calls were made, {len(needs(mode, rounds))} declared")
    events = (Path(document["run"]["dir"]) / "events.jsonl").read_text().splitlines()
    shown = (json.loads(line) for line in events)
    first = next(e["at"] for e in shown if e["event"] in ("text", "spoken"))
    span = max(end for _, end in intervals) - intervals[0][0]
    latency = median(end - start for start, end in intervals)
    return Measured(wall, wall - opening, span, first - began, latency)


def _seed(mode: str, rounds: int, seed: int) -> int:
    """A seed of its own for every run: equal prompts of another run would come from the cache."""
    return 10_000 * (mode == "continuous") + 100 * rounds + seed


def _turn_time(root: Path) -> None:
    for seed in (1, 2):
        plain = _composed(root, f"seed={seed}", "debate.closing=false", "debate.rounds=2")
        cpu, started = time.process_time(), time.perf_counter()
        document = _debate(plain)
        turns = sum(map(len, document["rounds"]))
        wall, spent = time.perf_counter() - started, time.process_time() - cpu
    print(
        f"without a model's time: {wall / turns:.2f} s a turn, {spent / turns:.2f} CPU s "
        f"({turns} turns with evidence, extractive engine)"
    )


def _composed(root: Path, *overrides: str) -> dict[str, Any]:
    from tests.support import composed

    plain = composed("debate", "subject=x", f"paths.artifacts={root}", *overrides)
    return {**plain, "subject": TOPIC, "personas": PERSONAS}


def _debate(plain: dict[str, Any]) -> dict[str, Any]:
    from flows.debate import debate
    from flows.launch import stored

    return dict(stored(debate)(plain))


def _asked(server: Any) -> str:
    return str(server.stdout.readline()).strip()


if __name__ == "__main__":
    main()
