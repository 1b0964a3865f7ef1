"""A sweep over optimizers and backends, killed and resumed."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.flows.test_optimize import MODEL, QUESTIONS, dataset, words
from tests.flows.test_processes import start, wait_for
from tests.servers.lm import LMServer
from tests.servers.teachable import teachable
from tests.support import moot

SWEPT = ("-m", "optimizer=bootstrap,random_search", "backend=openai,vllm")


@pytest.mark.slow
def test_a_sweep_goes_on_where_it_was_killed(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", *QUESTIONS)
    with LMServer(teachable, models=(MODEL,)) as server:
        given = words(rows, "optimizer.calls=40", "++backend.temperature=0")
        # Hydra composes a sweep once without what is swept: the default backend has no address.
        given += [f"++backend.base_url={server.base_url}", f"++backend.model={MODEL}"]
        sweep = f"hydra.sweep.dir={corpus}/runs/optimize/sweep-own"
        process = start("optimize", *SWEPT, *given, sweep, artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, len(QUESTIONS) + 40, process)  # into the second of four searches
        process.send_signal(signal.SIGKILL)
        process.communicate()
        folder = corpus / "runs" / "optimize" / "sweep-own"
        before = {path: path.read_bytes() for path in folder.glob("*/result.json")}
        done = moot("resume", "sweep-own", artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        asked = len(server.requests)
        assert server.errors == []
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*/result.json"))]
    assert len(found) == 4
    assert {f["optimizer"] for f in found} == {"bootstrap", "random_search"}
    assert len({f["run"]["models"]["writer"] for f in found}) == 2
    assert all(path.read_bytes() == content for path, content in before.items())
    # Two backends make two caches; what both optimizers ask of one of them is asked once.
    assert asked <= sum(f["run"]["usage_total"]["calls"] for f in found) + 8
