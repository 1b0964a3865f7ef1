"""Schedules: a server, ``prefect deploy --all``, a worker, and a run that its cron began."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support import KEYS, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PATIENCE_S = 400.0
"""A schedule of minutes takes up to one until it begins; the rest is for a busy machine."""
NIGHTLY = "moot evaluation experiment=table1 dataset.limit=8 replicates=2 --cfg job --resolve"
SMALL = (
    "moot evaluation ~method@methods.persona_debate +method@methods.e2e=e2e reference=e2e "
    "metric=[self_bleu] primary=self_bleu replicates=2 dataset=jsonl dataset.path={rows} "
    "essay.words=120 tracking=none --cfg job --resolve"
)
CRON = 'cron: "0 2 * * *"'


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def running(words: list[str], env: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command of Prefect's and all it starts, ended with the block."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "prefect", *words],
            cwd=ROOT, env=env, stdout=file, stderr=file, start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        for how in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, how)
                process.wait(20)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


def awaited(what: str, found: Callable[[], Any], log: Path) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.5)
    raise AssertionError(f"{what} did not come about: {log.read_text()[-3000:]}")


def healthy(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=10).is_success
    except httpx.TransportError:
        return False


def asked(url: str, path: str, **body: Any) -> Any:
    reply = httpx.post(f"{url}/{path}", json=body, timeout=60)
    reply.raise_for_status()
    return reply.json()


def test_a_schedule_runs_an_evaluation(corpus: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"proposition": "We should make all museums free of charge"}))
    text = (ROOT / "prefect.yaml").read_text(encoding="utf-8")
    assert text.count(NIGHTLY) == text.count(CRON) == 1
    shipped = tmp_path / "prefect.yaml"
    every_minute = text.replace(CRON, 'cron: "* * * * *"')
    shipped.write_text(every_minute.replace(NIGHTLY, SMALL.format(rows=rows)))
    port = free_port()
    url = f"http://127.0.0.1:{port}/api"
    env = {k: v for k, v in os.environ.items() if k not in KEYS and not k.startswith("PREFECT")}
    env |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}",
        "MOOT_ARTIFACTS": str(corpus),
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_API_URL": url,
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }

    def prefect(*words: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "prefect", "--no-prompt", *words],
            cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    log = tmp_path / "server.log"
    serve = ["server", "start", "--host", "127.0.0.1", "--port", str(port), "--no-ui"]
    with running(serve, env, log):
        awaited("the server", lambda: healthy(url), log)
        prefect("work-pool", "create", "moot", "--type", "process")
        prefect("deploy", "--all", "--prefect-file", str(shipped))
        deployments = {d["name"]: d for d in asked(url, "deployments/filter")}
        assert set(deployments) == {"nightly", "refresh", "weekly"}
        for one in deployments.values():
            assert one["global_concurrency_limit"]["limit"] == 1
            assert "paths:" in one["parameters"]["config"]
        nightly = deployments["nightly"]["id"]
        ended = {
            "deployments": {"id": {"any_": [nightly]}},
            "flow_runs": {"state": {"type": {"any_": ["COMPLETED", "FAILED", "CRASHED"]}}},
        }
        log = tmp_path / "worker.log"
        with running(["worker", "start", "--pool", "moot", "--limit", "1"], env, log):
            runs = awaited("the run", lambda: asked(url, "flow_runs/filter", **ended), log)
    run = runs[0]
    assert run["state"]["type"] == "COMPLETED", log.read_text()[-3000:]
    assert run["created_by"]["type"] == "SCHEDULE"
    (folder,) = [p for p in (corpus / "runs" / "evaluation").iterdir() if _about(p, rows)][:1]
    result = json.loads((folder / "result.json").read_text())
    assert [(r["method"], r["n_scored"]) for r in result["table"]] == [("e2e", 1)]


def _about(folder: Path, rows: Path) -> bool:
    config = folder / "config.yaml"
    return (folder / "result.json").exists() and str(rows) in config.read_text()
