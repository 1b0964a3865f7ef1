"""An evaluation on a Dask cluster: its processes, one of them killed; and what is refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from flows.config import typed
from flows.evaluation_config import EvaluationConfig
from flows.runners import task_runner
from flows.units import Unit
from signatures.errors import ConfigError
from tests.flows.test_evaluation import MUSEUMS, SMALL, dataset
from tests.flows.test_processes import start, wait_for
from tests.flows.test_schedules import free_port
from tests.servers.debaters import debaters
from tests.servers.lm import LMServer
from tests.support import ROOT, composed, document

CALLS = 16
"""2 propositions x 2 texts x (1 call by e2e, 2 by plan); the server says the same in both, so each
two texts are judged by one call."""


@contextmanager
def dask(role: str, *words: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{role}", *words, "--no-dashboard"]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=file, stderr=file, env={"PATH": "/usr/bin:/bin"}
            | {"OPENAI_API_KEY": "k", "HOME": str(log.parent)},
        )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def soon(what: str, true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_killed_worker_loses_and_doubles_nothing(corpus: Path, tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    rows = dataset(tmp_path / "rows.jsonl", *MUSEUMS)
    with ExitStack() as stack:
        server = stack.enter_context(LMServer(debaters, models=("gpt-4o-mini",), latency_s=0.3))
        port = address.rpartition(":")[2]
        words = ("--host", "127.0.0.1", "--port", port)
        stack.enter_context(dask("scheduler", *words, log=tmp_path / "scheduler.log"))
        own = ("--nthreads", "2", "--no-nanny", "--local-directory", str(tmp_path / "dask"))
        workers = [
            stack.enter_context(dask("worker", address, *own, log=tmp_path / f"{n}.log"))
            for n in range(2)
        ]
        for n in range(2):
            log = tmp_path / f"{n}.log"
            soon(f"worker {n}", lambda log=log: "Registered to" in log.read_text())  # type: ignore[misc]  # mypy takes no default of a lambda
        process = start(
            "evaluation", *SMALL, f"dataset.path={rows}", "backend=openai", "seed=41",
            f"backend.base_url={server.base_url}", "self_judging=warn", "tracking.traces=all",
            "output=json", "runner=dask", f"runner.address={address}", "runner.concurrency=3",
            artifacts=corpus, OPENAI_API_KEY="k",
        )  # fmt: skip
        wait_for(server, 6, process)
        workers[0].send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=400)
        assert process.returncode == 0, err
        # Lost were at most the calls under way in the two threads of the killed worker, and those
        # that it had counted but not yet cached.
        assert CALLS <= len(server.requests) <= CALLS + 4
        # Four threads in two processes, and one bound for all of them.
        assert server.max_concurrent <= 3
    result = document(subprocess.CompletedProcess([], 0, out, err))
    folder = Path(result["run"]["dir"])
    assert result["failures"] == []
    texts = [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]
    assert [len(row["outputs"]) for row in texts] == [2, 2, 2, 2]
    quality = [r for r in result["table"] if r["metric"] == "quality"]
    assert [(r["n_scored"], r["n_failed"]) for r in quality] == [(4, 0), (4, 0)]
    ledgers = sorted(folder.glob("ledger-*.jsonl"))
    assert 1 <= len(ledgers) <= 2  # the killed one may have been importing still
    lines = [
        json.loads(x) for path in ledgers for x in path.read_text().splitlines() if x[-1] == "}"
    ]
    counted = sum(line["kind"] == "call" for line in lines)
    assert CALLS <= counted <= len(server.requests)
    assert result["usage"]["calls"] == result["run"]["usage_total"]["calls"] == counted
    traced(folder, corpus)


def traced(folder: Path, corpus: Path) -> None:
    """Every unit has its trace under its cell's run, written by whichever worker did it."""
    from mlflow import MlflowClient

    files = sorted(folder.glob("traces-*.jsonl"))
    assert 1 <= len(files) <= 2
    assert not (folder / "traces.jsonl").exists()
    state = json.loads((folder / "state.json").read_text())
    client = MlflowClient(tracking_uri=f"sqlite:///{corpus}/mlflow.db")
    parent = client.get_run(state["mlflow_run_id"])
    experiment = parent.info.experiment_id
    for name, run_id in state["mlflow_children"].items():
        found = client.search_traces(locations=[experiment], run_id=run_id, max_results=50)
        units = {trace.info.tags["mlflow.traceName"] for trace in found}
        assert len(units) == 8  # two texts, the judge's score and the measures, of two propositions
        assert all(unit.startswith(name) for unit in units)
        assert all(trace.data.spans[0].name for trace in found)
    lines = sum(len(path.read_text().splitlines()) for path in files)
    assert int(parent.data.tags["traces_recorded"]) == lines >= 16
    assert parent.data.tags["traces"].startswith("complete: ")


@pytest.mark.parametrize(
    ("flow", "words", "said"),
    [
        ("evaluation", [], "no Dask scheduler answers at tcp://127.0.0.1:1"),
        ("evaluation", ["retriever=web", "search=searxng"], "retriever=web does not run on Dask"),
        ("discuss", ["subject=x"], "moot discuss does not run on Dask"),
    ],
)
def test_what_cannot_run_there_is_said(flow: str, words: list[str], said: str) -> None:
    from flows.configs import CONFIGS

    plain = composed(flow, "runner=dask", "runner.address=tcp://127.0.0.1:1", *words)
    with pytest.raises(ConfigError, match=said):
        task_runner(flow, typed(CONFIGS[flow], plain))


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prefect_dask", None)
    config = typed(EvaluationConfig, composed("evaluation", "runner=dask"))
    with pytest.raises(ConfigError, match=r"moot\[dask\]"):
        task_runner("evaluation", config)


def test_every_unit_is_rebuilt_from_what_is_sent(corpus: Path, tmp_path: Path) -> None:
    from flows.cells import Cells
    from flows.remote import errand, rebuilt
    from flows.units import Outcome
    from modules.lm.ledger import Ledger
    from signatures.types import Usage

    rows = dataset(tmp_path / "rows.jsonl", MUSEUMS[0])
    plain = composed("evaluation", *SMALL, f"dataset.path={rows}", f"paths.artifacts={corpus}")
    here, there = (Cells(typed(EvaluationConfig, plain), Ledger()) for _ in range(2))
    seen: list[Unit] = []
    waiting = list(here.texts())
    while waiting:
        unit = waiting.pop()
        seen.append(unit)
        assert rebuilt(there, errand(unit)).key == unit.key
        value = unit.work() if unit.name.count("/") == 3 else None
        outcome = Outcome(unit, value, None if value else "not needed", Usage(), 0.0, False)
        waiting += here.take(outcome)
    assert len(seen) == here.expected
