"""How soon a roundtable shows its first words, and how long it takes beyond its chain of calls.

Rounds of five given personas against a local server that answers after 200 ms, start-up done
before the clock starts. The longest chain of calls is known from what depends on what: in
``continuous`` mode every turn hears the one before it, in ``round_synchronous`` mode every round
the one before it; then come the evidence of the last turn (a query, a rewriting) and, beside it,
nothing: there is no closing here. The time without LM calls is what one turn costs in this
process when nothing else runs: the extractive engine's turn, retrieval, rewriting and citation
check, divided by the turns.
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
SEATS = 5
EVIDENCE_CALLS = 2
REPEATS = 3
TOPIC = "We should make all museums free of charge"
PERSONAS = [
    {"title": "Museum director", "stance": "against"},
    {"title": "Teacher", "stance": "for"},
    {"title": "Taxpayer", "stance": "against"},
    {"title": "Visitor", "stance": "for"},
    {"title": "Historian", "stance": "neutral"},
]


def depth(mode: str, rounds: int) -> int:
    """The number of calls on the longest chain."""
    return rounds * (SEATS if mode == "continuous" else 1) + EVIDENCE_CALLS


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
            _measure(root, url, server, "continuous", 1, 0)
            for mode in ("continuous", "round_synchronous"):
                for rounds in (1, 5):
                    _report(root, url, server, mode, rounds)
            _turn_time(root)
        server.terminate()
    prefect_server.stop()


def _report(root: Path, url: str, server: Any, mode: str, rounds: int) -> None:
    runs = [_measure(root, url, server, mode, rounds, seed) for seed in range(1, REPEATS + 1)]
    walls, firsts, latencies = (sorted(column) for column in zip(*runs, strict=True))
    middle = len(runs) // 2
    chain = depth(mode, rounds) * latencies[middle]
    print(
        f"{mode}, {rounds} x {SEATS}: chain {depth(mode, rounds)} calls = {chain:.2f} s; "
        f"wall / chain min {walls[0] / chain:.3f} median {walls[middle] / chain:.3f}; first words "
        f"after {firsts[middle]:.2f} s: a call + {firsts[middle] - latencies[middle]:.2f} s"
    )


def _measure(
    root: Path, url: str, server: Any, mode: str, rounds: int, seed: int
) -> tuple[float, float, float]:
    """Wall time, time to the first words and the median latency of a call, in seconds."""
    began = time.time()
    started = time.perf_counter()
    document = _debate(
        root, "backend=openai", f"backend.base_url={url}", f"debate.mode={mode}",
        f"debate.rounds={rounds}", f"seed={_seed(mode, rounds, seed)}", "debate.closing=false",
    )  # fmt: skip
    wall = time.perf_counter() - started
    server.stdin.write("\n")
    server.stdin.flush()
    intervals = json.loads(_asked(server))
    expected = rounds * SEATS * (1 + EVIDENCE_CALLS)
    if len(intervals) != expected:
        raise SystemExit(f"{len(intervals)} calls were made, {expected} are declared")
    latencies = sorted(end - start for start, end in intervals)
    events = (Path(document["run"]["dir"]) / "events.jsonl").read_text().splitlines()
    shown = (json.loads(line) for line in events)
    first = next(e["at"] for e in shown if e["event"] in ("text", "spoken"))
    return wall, first - began, latencies[len(latencies) // 2]


def _seed(mode: str, rounds: int, seed: int) -> int:
    """A seed of its own for every run: equal prompts of another run would come from the cache."""
    return 10_000 * (mode == "continuous") + 100 * rounds + seed


def _turn_time(root: Path) -> None:
    for seed in (1, 2):
        cpu, started = time.process_time(), time.perf_counter()
        document = _debate(root, f"seed={seed}", "debate.closing=false", "debate.rounds=2")
        turns = sum(map(len, document["rounds"]))
        wall, spent = time.perf_counter() - started, time.process_time() - cpu
    print(
        f"without a model's time: {wall / turns:.2f} s a turn, {spent / turns:.2f} CPU s "
        f"({turns} turns with evidence, extractive engine)"
    )


def _debate(root: Path, *overrides: str) -> dict[str, Any]:
    from flows.debate import debate
    from flows.launch import stored
    from tests.support import composed

    plain = composed("debate", "subject=x", f"paths.artifacts={root}", *overrides)
    return dict(stored(debate)({**plain, "subject": TOPIC, "personas": PERSONAS}))


def _asked(server: Any) -> str:
    return str(server.stdout.readline()).strip()


if __name__ == "__main__":
    main()
