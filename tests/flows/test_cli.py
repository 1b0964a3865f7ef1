"""The command line as a user meets it: help, mistakes, exit codes. No flow is run here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flows.cli import FLOWS, UTILITIES, main
from tests.support import ROOT, moot


def test_help_lists_everything_and_loads_nothing_heavy() -> None:
    code = "import sys; from flows.cli import main; main(['--help']); print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    shown, modules = done.stdout.rsplit("\n[", 1)
    assert all(name in shown for name in {**FLOWS, **UTILITIES})
    heavy = {"dspy", "hydra", "mlflow", "numpy", "prefect", "pydantic", "torch", "yaml"}
    assert not heavy & set(modules.replace("'", "").rstrip("]\n").split(", "))


def test_flow_help_shows_options_and_groups(tmp_path: Path) -> None:
    done = moot("essay", "--help", artifacts=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in ("backend", "extractive", "max_rounds", "stance"):
        assert word in done.stdout


def test_cfg_shows_the_configuration(tmp_path: Path) -> None:
    done = moot("essay", "A claim", "seed=7", "--cfg", "job", artifacts=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "seed: 7" in done.stdout
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["esay", "x"], "did you mean essay"),
        (["zzz"], "essay"),
        (["essay", "A claim", "debate.max_round=3"], "debate.max_rounds"),
        (["essay", "debat.max_rounds=3"], "debate"),
        (["essay", "A claim", "backend=opnai"], "openai"),
        (["essay", "A claim", "nonsense=3"], "nonsense"),
        (["essay", "A claim", "stance=attack"], "stance"),
        (["essay", "A claim", "debate.max_rounds=many"], "debate.max_rounds"),
        (["essay", "A claim", "debate.max_rounds="], "debate.max_rounds"),
        (["essay", "A claim", "a second text"], "a second text"),
        (["essay"], "needs its subject"),
        (["essay", "A claim", "--jsno"], "--jsno"),
        (["essay", "caf\udce9 is coffee"], "UTF-8"),
        (["doctor", "--jsn"], "--jsn"),
        (["runs", "--what"], "--what"),
        (["essay", ""], "empty"),
        (["essay", "x" * 100_000], "too long"),
        (["ingest"], "needs its subject"),
        (["resume", "nothing-like-it"], "0 runs match"),
        (["resume"], "no run is unfinished"),
        (["show"], "there are no runs yet"),
    ],
)
def test_mistakes_get_one_line_and_exit_2(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MOOT_ARTIFACTS", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert len(err.strip().splitlines()) == 1, err
    assert "Traceback" not in err


def test_a_mistake_with_json_is_one_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOOT_ARTIFACTS", str(tmp_path))
    assert main(["essay", "A claim", "stance=attack", "output=json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert set(error) == {"type", "message", "remedy"}
    assert error["type"] == "ConfigError"


def test_runs_says_when_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOOT_ARTIFACTS", str(tmp_path))
    assert main(["runs"]) == 0
    assert "no runs yet" in capsys.readouterr().out


def test_version() -> None:
    assert main(["--version"]) == 0
