"""``dvc repro`` on a copy of this checkout: each stage once, then what a change asks for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import KEYS, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

COPIED = (
    "conf",
    "data",
    "evals",
    "flows",
    "modules",
    "signatures",
    ".dvc",
    ".dvcignore",
    "dvc.yaml",
)


STAGES = ["essay", "evaluation", "ingest", "optimize", "report"]
MUSEUMS = (
    "Should all museums be free of charge?",
    "Should museums charge an entrance fee?",
    "Do free museums bring more visitors?",
    "Should taxpayers pay for free museums?",
    "Do museum fees keep families away?",
    "Should museums live on ticket money?",
    "Should national museums be free?",
    "Do museum tickets pay for conservation?",
)


def question(text: str) -> str:
    """A debatable question as a row of the project's own."""
    views = [{"point_of_view": f"{side}: {text}", "explanation": text} for side in ("Yes", "No")]
    row = {"id": text, "question": text, "debatable": True, "partial_answers": views}
    return json.dumps(row) + "\n"


def dvc(folder: Path, *words: str) -> str:
    env = {k: v for k, v in os.environ.items() if k not in KEYS and not k.startswith("PREFECT")}
    env.pop("MOOT_ARTIFACTS", None)
    env |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}",
        # The console script resolves the packages of the checkout it was installed from.
        "PYTHONPATH": str(folder),
        "DVC_SITE_CACHE_DIR": str(folder / "site"),
    }
    command = [sys.executable, "-m", "dvc", *words]
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def ran(said: str) -> list[str]:
    """The stages that a repro ran, in order."""
    return re.findall(r"Running stage '(\w+)'", said)


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_change_runs_exactly_what_depends_on_it(tmp_path: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "tmp")
            )
        else:
            shutil.copy(source, tmp_path / name)
    for topic in (tmp_path / "data" / "corpus").iterdir():
        if topic.is_dir() and topic.name != "free-museums":
            shutil.rmtree(topic)
    (tmp_path / "data" / "corpus" / "manifest.json").unlink()
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    own = tmp_path / "data" / "propositions" / "propositions.jsonl"
    lines = own.read_text(encoding="utf-8").splitlines(keepends=True)
    own.write_text("".join(x for x in lines if "free-museums" in x), encoding="utf-8")
    asked = tmp_path / "data" / "questions" / "questions.jsonl"
    asked.write_text("".join(map(question, MUSEUMS)), encoding="utf-8")
    produced, conf = tmp_path / "artifacts" / "dvc", tmp_path / "conf"
    assert sorted(ran(dvc(tmp_path, "repro"))) == STAGES
    program = json.loads((produced / "optimize" / "program.json").read_text(encoding="utf-8"))
    assert (program["target"], program["method"]) == ("answer", "basic")
    assert (produced / "essay" / "essay.md").exists()
    assert "<html" in (produced / "evaluation" / "report.html").read_text(encoding="utf-8")
    assert ran(dvc(tmp_path, "repro")) == []
    change(conf / "evaluation.yaml", "replicates: 1 ", "replicates: 2 ")
    assert ran(dvc(tmp_path, "repro")) == ["evaluation", "report"]
    rows = (produced / "evaluation" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    assert [len(json.loads(row)["outputs"]) for row in rows] == [2] * 4
    # Of what follows, the status tells without running it.
    change(conf / "settings" / "essay.yaml", "seed: 0 ", "seed: 3 ")
    assert set(changed(tmp_path)) == {"essay", "evaluation"}
    change(conf / "settings" / "essay.yaml", "seed: 3 ", "seed: 0 ")
    change(conf / "ingest.yaml", "max_megabytes: 50", "max_megabytes: 40")
    assert set(changed(tmp_path)) == {"ingest"}


def changed(folder: Path) -> list[str]:
    """The stages whose own parameters, data or code have changed since they ran."""
    # Warnings follow the document on the same stream.
    found, _ = json.JSONDecoder().raw_decode(dvc(folder, "status", "--json"))
    return [stage for stage, why in found.items() if any("changed deps" in one for one in why)]
