"""How an evaluation ends early, and goes on: bad words, a backend that dies, a full disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from flows import cli
from signatures.errors import TooManyFailures
from tests.flows.test_evaluation import MUSEUMS, SMALL, dataset, run
from tests.flows.test_processes import PREFECT
from tests.servers.debaters import debaters
from tests.servers.lm import LMRequest, LMServer, Reply
from tests.support import KEYS, ROOT

pytestmark = pytest.mark.usefixtures("prefect_server")

ROOM_KB = 160
"""On the small disk: enough for some units of a run, and not for all of them."""


class Mortal:
    """Answers so many requests, and breaks off all that follow until it is revived."""

    def __init__(self, lives: int) -> None:
        self._lock = threading.Lock()
        self.lives = lives

    def __call__(self, request: LMRequest) -> Reply | str:
        with self._lock:
            self.lives -= 1
            dead = self.lives < 0
        return Reply(drop=True) if dead else debaters(request)


def test_a_backend_that_dies_ends_the_run_and_a_resumed_one_finishes_it(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    rows, folder = dataset(tmp_path / "rows.jsonl", *MUSEUMS), tmp_path / "run"
    mortal = Mortal(5)
    with LMServer(mortal, models=("gpt-4o-mini",)) as server:
        words = ["backend=openai", f"backend.base_url={server.base_url}", "backend.retries=0",
                 "metric=[citations]", "primary=citation_recall", "runner.concurrency=1",
                 "runner.retries=0", "seed=61"]  # fmt: skip
        with pytest.raises(TooManyFailures, match="units failed") as caught:
            run(corpus, rows, *words, folder=folder)
        assert caught.value.exit_code == 1
        kept = [json.loads(x) for x in (folder / "outputs.jsonl").read_text().splitlines()]
        assert sum(len(row["outputs"]) for row in kept) >= 2
        answered = Counter(r.prompt for r in server.requests[:5])
        mortal.lives = 10**6
        before = len(server.requests)
        result = run(corpus, rows, *words, folder=folder)
        again = Counter(r.prompt for r in server.requests[before:])
    assert result["failures"] == []
    assert not {p for p in again if p in answered and again[p] + answered[p] > 2}
    # 2 propositions x 2 texts x (1 call by e2e, 2 by plan), five of which were answered before.
    assert len(server.requests) - before == 12 - 5
    assert result["run"]["usage_total"]["calls"] == 12
    assert result["run"]["usage_total"]["failed_attempts"] == before - 5


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("metric=[self_blue]", "unknown metric 'self_blue'; did you mean self_bleu"),
        ("methods=e2e", "methods"),
        ("reference=nobody", "reference names no method: 'nobody'; there are persona_debate"),
    ],
)
def test_words_that_mean_nothing_are_one_line(
    word: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["evaluation", word]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def kept(path: Path) -> bool:
    """Whether a unit's result was written to its end."""
    try:
        return bool(json.loads(path.read_text()))
    except ValueError:
        return False


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_a_resumed_run_goes_on(corpus: Path, tmp_path: Path) -> None:
    """The run and its kept units are on a disk of their own, first a small one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    own = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    mount = f"mount -t tmpfs -o size={ROOM_KB}k tmpfs {disk}"
    if shutil.which("unshare") is None or subprocess.run([*own, mount], check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    rows = dataset(tmp_path / "rows.jsonl", *(f"{t}{e}" for t in MUSEUMS for e in ("", " today")))
    moot = f"{sys.executable} -m flows.cli"
    words = " ".join([*SMALL, f"dataset.path={rows}", "tracking=none", "output=json", "seed=62"])
    env = {k: v for k, v in os.environ.items() if k not in (*KEYS, *PREFECT)}
    env |= {
        "MOOT_ARTIFACTS": str(corpus),
        "PREFECT_RESULTS_LOCAL_STORAGE_PATH": f"{disk}/stages",
        "PREFECT_API_URL": "",
    }
    script = f"""{mount}
        {moot} evaluation '{words.replace(" ", "' '")}' hydra.run.dir={disk}/run >{tmp_path}/1.out
        echo $?
        cp -r {disk}/stages {tmp_path}/kept
        mount -o remount,size=64m {disk}
        {moot} resume {disk}/run output=json >{tmp_path}/2.out
        echo $?"""
    done = subprocess.run(
        [*own, script], cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.stdout.split() == ["1", "0"], done.stderr
    said = [x for x in done.stderr.splitlines() if x.startswith("moot: ")]
    assert len(said) == 1 and "No space left" in said[0] and "moot resume" in said[0]
    assert "Traceback" not in done.stderr
    error = json.loads((tmp_path / "1.out").read_text())["error"]
    assert error["type"] == "StorageError"
    result = json.loads((tmp_path / "2.out").read_text())
    assert result["failures"] == []
    whole = sum(kept(path) for path in (tmp_path / "kept").iterdir())
    assert result["usage"]["units_reused"] >= whole > 0
    assert all(r["n_failed"] == 0 for r in result["table"])
