"""A server full of faults, and a process that is killed twice: every unit ends, once, somewhere."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from flows.run import every
from tests.flows.test_evaluation import MUSEUMS, SMALL, dataset
from tests.flows.test_processes import start, wait_for
from tests.servers.debaters import debaters
from tests.servers.lm import LMServer
from tests.servers.storm import Storm
from tests.support import document, moot

TEXTS = tuple(f"{text}{ending}" for text in MUSEUMS for ending in ("", " today", " next year"))
KILLS_AT = (8, 20)
"""Requests after which the process dies; a run of 36 calls needs some 45."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_unit_ends_scored_or_as_a_counted_failure(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", *TEXTS)
    with LMServer(Storm(debaters, seed=3), models=("gpt-4o-mini",), latency_s=0.1) as server:
        words = [
            "evaluation", *SMALL, "metric=[citations]", "primary=citation_precision",
            f"dataset.path={rows}", "backend=openai", f"backend.base_url={server.base_url}",
            "backend.timeout_s=1", "backend.retries=1", "runner.retries=0", "max_failed=1",
            "runner.concurrency=4", "tracking=none", "output=json", "seed=71",
        ]  # fmt: skip
        process = start(*words, artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, KILLS_AT[0], process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        folder = every(corpus / "runs")[-1]
        again = start("resume", folder.name, artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, KILLS_AT[1], again)
        again.send_signal(signal.SIGKILL)
        again.communicate()
        done = moot("resume", folder.name, artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        result = document(done)
        asked = len(server.requests)
    written = [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]
    groups = Counter((row["id"], row["method"]) for row in written)
    assert set(groups.values()) == {1}
    failed = [failure["unit"] for failure in result["failures"]]
    assert len(failed) == len(set(failed))
    assert all(failure["reason"] for failure in result["failures"])
    texts = sum(len(row["outputs"]) for row in written)
    assert texts + sum(name.count("/") == 3 for name in failed) == 2 * 2 * len(TEXTS)
    for row in result["table"]:
        lost = sum(name.startswith(f"openai/{row['method']}/") for name in failed)
        assert row["n_scored"] + row["n_failed"] + row["n_abstained"] >= len(TEXTS)
        assert row["n_failed"] <= lost
    spent = result["run"]["usage_total"]
    assert spent["failed_attempts"] > 0
    lines = [
        json.loads(x) for x in (folder / "ledger.jsonl").read_text().splitlines() if x[-1:] == "}"
    ]
    counted = Counter(line["kind"] for line in lines)
    # A request that was answered to a process killed at that moment was counted by nobody.
    assert asked - 2 * 4 <= counted["call"] + counted["failed"] <= asked
