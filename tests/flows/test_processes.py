"""Whole processes: killed and resumed, interrupted, run side by side, piped, out of disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from flows.run import every
from tests.servers.debaters import debaters
from tests.servers.lm import LMServer
from tests.support import KEYS, ROOT, document, moot

pytestmark = pytest.mark.slow

MUSEUMS = "We should make all museums free of charge"
PREFECT = ("PREFECT_HOME", "PREFECT_RESULTS_LOCAL_STORAGE_PATH", "DSPY_CACHEDIR")


def start(*words: str, artifacts: Path, **environment: str) -> subprocess.Popen[str]:
    env = {k: v for k, v in os.environ.items() if k not in (*KEYS, *PREFECT)}
    env |= {"MOOT_ARTIFACTS": str(artifacts), **environment}
    return subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *words],
        cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=interruptible,
    )  # fmt: skip


def interruptible() -> None:
    """A shell's background jobs ignore Ctrl-C, and so would what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(server: LMServer, calls: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while len(server.requests) < calls:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, "the run did not get that far"
        time.sleep(0.02)


def essay_words(server: LMServer, *more: str) -> list[str]:
    url = f"backend.base_url={server.base_url}"
    return ["essay", MUSEUMS, "backend=openai", url, "output=json", "tracking=none", *more]


def test_kill_9_and_resume_repeats_nothing(corpus: Path) -> None:
    with LMServer(debaters, models=("gpt-4o-mini",), latency_s=0.15) as server:
        process = start(*essay_words(server, "seed=11"), artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, 6, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before = len(server.requests)
        folder = every(corpus / "runs")[-1]
        done = moot("resume", folder.name, artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        result = document(done)
        # One call may have been under way when the process died: it was not answered to anyone.
        assert 12 <= len(server.requests) <= 13
        assert result["usage"]["calls"] == len(server.requests) - before
    assert result["run"]["id"] == folder.name
    assert result["usage"]["units_reused"] >= 3
    total = result["run"]["usage_total"]
    # A call answered after the kill was never counted; one counted but not yet cached is asked,
    # and counted, again.
    assert total["calls"] in (11, 12, 13)
    assert total["usd"] > 0


def test_ctrl_c_exits_130_and_can_be_resumed(corpus: Path) -> None:
    with LMServer(debaters, models=("gpt-4o-mini",), latency_s=0.15) as server:
        process = start(*essay_words(server, "seed=12"), artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, 4, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert out == ""
        assert "moot resume" in err
        assert "Traceback" not in err
        done = moot("resume", artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        assert document(done)["run"]["usage_total"]["calls"] in (11, 12)


def test_a_budget_exits_3_and_resumes_with_a_higher_one(corpus: Path) -> None:
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        words = essay_words(server, "seed=13", "budget.calls=5")
        done = moot(*words, artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 3, done.stderr
        assert json.loads(done.stdout)["error"]["type"] == "BudgetReached"
        assert len(server.requests) == 5
        done = moot("resume", "budget.calls=50", artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 12


def test_two_first_processes_at_once_are_safe(tmp_path: Path) -> None:
    museum = str(ROOT / "data" / "corpus" / "free-museums")
    pair = [start("ingest", museum, "output=json", artifacts=tmp_path) for _ in range(2)]
    results = [process.communicate(timeout=240) for process in pair]
    assert [p.returncode for p in pair] == [0, 0], results
    first, second = (json.loads(out) for out, _ in results)
    assert first["chunks"] == second["chunks"]
    pair = [start("essay", MUSEUMS, "output=json", artifacts=tmp_path) for _ in range(2)]
    results = [process.communicate(timeout=240) for process in pair]
    assert [p.returncode for p in pair] == [0, 0], results
    essays: list[dict[str, Any]] = [json.loads(out) for out, _ in results]
    assert essays[0]["essay"] == essays[1]["essay"]
    assert essays[0]["run"]["id"] != essays[1]["run"]["id"]


def test_a_second_server_starts_while_the_first_is_up(corpus: Path, prefect_server: None) -> None:
    museum = str(ROOT / "data" / "corpus" / "free-museums")
    words = ("ingest", museum, "output=json", "tracking=none")
    # An empty address: the process must not use the server of this one, but start its own.
    done = moot(*words, artifacts=corpus, timeout=110, PREFECT_API_URL="")
    assert done.returncode == 0, done.stderr


def test_a_full_disk_is_one_line(corpus: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    folder = corpus / "runs" / "essay" / "full"
    folder.mkdir(parents=True)
    (folder / "config.yaml.part").symlink_to(full)
    done = moot("essay", MUSEUMS, f"hydra.run.dir={folder}", "tracking=none", artifacts=corpus)
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_written_to_the_home_folder(corpus: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = moot("essay", MUSEUMS, "seed=14", artifacts=corpus, HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in home.rglob("*")) == []


def test_a_sweep_prints_json_lines(corpus: Path) -> None:
    done = moot(
        "essay", MUSEUMS, "-m", "seed=21,22", "output=json", "tracking=none", artifacts=corpus
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 2
    assert rows[0]["essay"] != rows[1]["essay"]
