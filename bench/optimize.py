"""Optimizers against a writer that can be taught: improvement, overhead, kill -9.

The writer is synthetic (``tests/servers/teachable.py``): it shows that the machinery finds what
can be found, and says nothing about language models.

- improve: each optimizer's light search on the starter corpus's questions; the change of citation
  recall on the held-out questions with its 95 % interval, calls, seconds.
- overhead: the search's wall time at 8 threads in which neither the program, nor a metric, nor a
  call to the server (50 ms each) was under way, as a share of it.
- kill: the same search, killed with SIGKILL three times at different moments and resumed, by every
  target of ``--targets``; whether the final program is the uninterrupted one's, and the prompts
  asked again, that is more often than without a kill: those whose answer the server had sent off at
  least 50 ms before the kill, which should have been kept, and beside them those that were under
  way or had just been answered, which no program can keep.
- offline: each light search on the extractive baseline, seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

NAMES = ("bootstrap", "random_search", "miprov2", "gepa", "simba", "copro")
PARTS = ("improve", "overhead", "kill", "offline")
TARGETS = ("answer", "debate", "evidence")
MODEL = "gpt-4o-mini"
TAUGHT = {
    "answer": (
        "objective.primary=citation_recall",
        "objective.weights.citation_recall=1",
        "objective.weights.pov_coverage=null",
        "objective.weights.da_builtin=null",
    ),
    "debate": (
        "metric=[turn_novelty,turn_relevance]",
        "objective.weights=null",
        "objective.guards.evidence_balance=null",
    ),
    "evidence": ("objective.guards.citation_precision=null",),
}
"""What the synthetic writer can be taught, by target: to cite, to say what is new."""
Span = tuple[float, float]


def main(words: Sequence[str] = ()) -> None:
    """Print the parts asked for."""
    options = _options(list(words) or sys.argv[1:])
    root = Path(options.artifacts or tempfile.mkdtemp(prefix="moot-bench-"))
    os.environ["MOOT_ARTIFACTS"], os.environ["OPENAI_API_KEY"] = str(root), "bench"
    from flows.environment import prepare

    prepare(root)
    from flows import prefect_server

    _ingested(root)
    prefect_server.start(root)
    with prefect_server.connected():
        for part in options.parts.split(","):
            print(f"-- {part}")
            for name in options.optimizers.split(","):
                {"improve": _improve, "overhead": _overhead, "kill": _kill, "offline": _offline}[
                    part
                ](name, options)
    prefect_server.stop()


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.optimize")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--optimizers", default=",".join(NAMES))
    parser.add_argument("--targets", default=",".join(TARGETS), help="for kill")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--latency", type=float, default=0.05, help="of the server, seconds")
    parser.add_argument("--artifacts", help="a folder with an index; by default a new one")
    return parser.parse_args(words)


def _improve(name: str, options: argparse.Namespace) -> None:
    with _server() as server:
        found = _run(name, server)
    low, high = found["holdout"]["ci"]
    print(
        f"{name:<14} {found['holdout']['delta']:+.3f} [{low:+.3f}, {high:+.3f}]  "
        f"{'promoted' if found['promoted'] else 'not promoted'}, {len(found['trials'])} trials, "
        f"{found['usage']['calls']} calls, {found['seconds']:.1f} s",
        flush=True,
    )


def _overhead(name: str, options: argparse.Namespace) -> None:
    from evals.optimizing.tuning import Tuning

    spans: list[Span] = []
    searches: list[Span] = []
    with ExitStack() as stack:
        server = stack.enter_context(_server(options.latency))
        stack.enter_context(_timed(Tuning, "_made", spans))
        stack.enter_context(_timed(Tuning, "scored", spans))
        from flows.optimize_run import Optimization

        stack.enter_context(_timed(Optimization, "search", searches))
        _run(name, server, "runner.concurrency=8", f"seed={int(time.time()) % 10_000}")
        calls = server.intervals
    ((begin, end),) = searches
    wall = end - begin
    with_all = _covered([*spans, *calls], begin, end)
    print(
        f"{name:<14} search {wall:.2f} s, of it {100 * (1 - with_all / wall):.1f} % with no call, "
        f"program or metric under way; {100 * (1 - _covered(calls, begin, end) / wall):.1f} % with "
        "no call under way",
        flush=True,
    )


def _kill(name: str, options: argparse.Namespace) -> None:
    for target in options.targets.split(","):
        _killed(name, target, options)


def _killed(name: str, target: str, options: argparse.Namespace) -> None:
    from tests.servers.repeats import Kill, repeats

    seed = int(time.time()) % 10_000
    with _server() as server:
        straight = _run(name, server, f"seed={seed}", target=target)
        asked = server.requests
    killed: list[Kill] = []
    with _server(options.latency) as server:
        first = _words(name, server, f"seed={seed}", "tracking=none", target=target)
        for _ in range(options.kills):
            process = _started(*(["resume", _latest().name] if killed else ["optimize", *first]))
            want = len(server.requests) + len(asked) // (options.kills + 1)
            while len(server.requests) < want and process.poll() is None:
                time.sleep(0.01)
            at = time.monotonic()
            process.send_signal(signal.SIGKILL)
            process.wait()
            time.sleep(2 * options.latency)
            killed.append(Kill(at, time.monotonic()))
        _started("resume", _latest().name).wait()
        found, calls = repeats(server, asked, killed), len(server.requests)
    ended = json.loads((_latest() / "result.json").read_text(encoding="utf-8"))
    same = ended["program_digest"] == straight["program_digest"]
    print(
        f"{name:<14} {target:<9} {options.kills} kills: {calls} calls, {len(asked)} without a "
        f"kill; asked again {found.answered} answered 50 ms before{_told(found.ages)}, "
        f"{found.under_way} under way; {found.foreign} that were not asked without; the final "
        f"program is {'the same' if same else 'ANOTHER'}",
        flush=True,
    )


def _told(ages: Sequence[float]) -> str:
    return f" (by {', '.join(f'{1000 * age:.0f}' for age in ages)} ms)" if ages else ""


def _offline(name: str, options: argparse.Namespace) -> None:
    started = time.monotonic()
    found = _run(name, None, f"seed={int(time.time()) % 10_000}")
    print(f"{name:<14} {time.monotonic() - started:.1f} s; {found['reason'][:60]}", flush=True)


def _words(name: str, server: Any, *more: str, target: str = "answer") -> list[str]:
    words = [f"target={target}", f"optimizer={name}", *more]
    if target != "answer":
        few = "limit=12" if target == "debate" else "each=1"
        words += [f"dataset.{few}", "optimizer.calls=1000", "recall.background=6"]
    if server is not None:
        words += TAUGHT[target]
        words += ["backend=openai", f"backend.base_url={server.base_url}"]
    return words


def _run(name: str, server: Any, *more: str, target: str = "answer") -> dict[str, Any]:
    from flows.launch import stored
    from flows.optimize import optimize
    from tests.support import composed

    plain = composed("optimize", *_words(name, server, "tracking=none", *more, target=target))
    return dict(stored(optimize)(plain, None))


def _started(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "flows.cli", *words]
    own = {k: v for k, v in os.environ.items() if not k.startswith(("PREFECT_", "DSPY_"))}
    return subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _latest() -> Path:
    from flows.run import every

    return every(Path(os.environ["MOOT_ARTIFACTS"]) / "runs")[-1]


def _server(latency: float = 0.0) -> Any:
    from tests.servers.lm import LMServer
    from tests.servers.teachable import teachable

    return LMServer(teachable, models=(MODEL,), latency_s=latency)


def _ingested(root: Path) -> None:
    from modules.retrieval import EvidenceStore, MiniLM, ingest

    if not (root / "index").exists():
        ingest([Path("data/corpus")], EvidenceStore(root / "index", MiniLM()))


@contextmanager
def _timed(kind: Any, name: str, spans: list[Span]) -> Any:
    """Note when the method begins and ends."""
    inner: Callable[..., Any] = getattr(kind, name)

    def timed(*given: Any, **options: Any) -> Any:
        begin = time.monotonic()
        try:
            return inner(*given, **options)
        finally:
            spans.append((begin, time.monotonic()))

    setattr(kind, name, timed)
    try:
        yield
    finally:
        setattr(kind, name, inner)


def _covered(spans: Sequence[Span], begin: float, end: float) -> float:
    """Seconds between ``begin`` and ``end`` that at least one span covers."""
    total, reached = 0.0, begin
    for start, stop in sorted(spans):
        first, last = max(start, reached), min(stop, end)
        if last > first:
            total += last - first
        reached = max(reached, min(stop, end))
    return total


if __name__ == "__main__":
    main()
