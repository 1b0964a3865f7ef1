"""A sweep over optimizers, backends and seeds: killed, resumed, its programs used elsewhere."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
import yaml

from tests.flows.test_optimize import MODEL, QUESTIONS, dataset, words
from tests.flows.test_processes import start, wait_for
from tests.servers.lm import LMServer
from tests.servers.teachable import teachable
from tests.support import document, moot

SWEPT = ("-m", "optimizer=bootstrap,random_search", "backend=openai,vllm", "seed=0,1")
JOBS = 8


@pytest.mark.slow
def test_a_sweep_goes_on_where_it_was_killed(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", *QUESTIONS[:8])
    with LMServer(teachable, models=(MODEL,)) as server:
        given = [w for w in words(rows, "optimizer.calls=20") if not w.startswith("seed=")]
        # Hydra composes a sweep once without what is swept: the default backend has no address.
        given += [f"++backend.base_url={server.base_url}", f"++backend.model={MODEL}"]
        sweep = f"hydra.sweep.dir={corpus}/runs/optimize/sweep-own"
        process = start("optimize", *SWEPT, *given, sweep, artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, 40, process)  # into the second of the searches
        process.send_signal(signal.SIGKILL)
        process.communicate()
        folder = corpus / "runs" / "optimize" / "sweep-own"
        before = {path: path.read_bytes() for path in folder.glob("*/result.json")}
        done = moot("resume", "sweep-own", artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        asked = len(server.requests)
        paths = sorted(folder.glob("*/result.json"))
        found = [json.loads(path.read_text()) for path in paths]
        # What was tuned on one backend is another's prompt, word for word.
        best = max(found, key=lambda one: one["best"]["citation_recall"] or 0)
        other = "vllm" if best["run"]["models"]["writer"].startswith("openai") else "openai"
        used = moot(
            "answer", "Should museums be free?", "method=basic", f"backend={other}",
            f"program={best['program']}", f"backend.base_url={server.base_url}",
            f"backend.model={MODEL}", "retriever=dense", "tracking=none", "output=json",
            artifacts=corpus, OPENAI_API_KEY="k",
        )  # fmt: skip
        assert used.returncode == 0, used.stderr
        program = json.loads(Path(best["program"]).read_text())["program"]
        assert any(demo for predictor in program.values() for demo in predictor["demos"])
        ours = [m for m in server.requests[-1].messages if m["role"] == "assistant"]
        assert len(ours) == sum(len(predictor["demos"]) for predictor in program.values())
        assert server.errors == []
    assert document(used)["run"]["models"]["writer"].startswith(other)
    configs = [yaml.safe_load((path.parent / "config.yaml").read_text()) for path in paths]
    swept = {(c["optimizer"]["_target_"], c["backend"]["name"], c["seed"]) for c in configs}
    assert len(found) == len(swept) == JOBS
    assert {f["optimizer"] for f in found} == {"bootstrap", "random_search"}
    assert len({f["run"]["models"]["writer"] for f in found}) == 2
    assert all(path.read_bytes() == content for path, content in before.items())
    # A backend and a seed make a cache; what both optimizers ask of one of them is asked once.
    assert asked <= sum(f["run"]["usage_total"]["calls"] for f in found) + 8
