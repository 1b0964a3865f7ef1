"""``dvc repro`` on a copy of this checkout: it runs its stages once, and then nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import KEYS, ROOT

pytestmark = pytest.mark.slow

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


def repro(folder: Path) -> str:
    env = {k: v for k, v in os.environ.items() if k not in KEYS and not k.startswith("PREFECT")}
    env.pop("MOOT_ARTIFACTS", None)
    env |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}",
        # The console script resolves the packages of the checkout it was installed from.
        "PYTHONPATH": str(folder),
        "DVC_SITE_CACHE_DIR": str(folder / "site"),
    }
    command = [sys.executable, "-m", "dvc", "repro"]
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_repro_runs_once_and_then_does_nothing(tmp_path: Path) -> None:
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
    first = repro(tmp_path)
    assert "Running stage 'ingest'" in first
    assert "Running stage 'essay'" in first
    assert (tmp_path / "artifacts" / "dvc" / "essay" / "essay.md").exists()
    assert "Running stage" not in repro(tmp_path)
    text = (tmp_path / "conf" / "settings" / "essay.yaml").read_text(encoding="utf-8")
    (tmp_path / "conf" / "settings" / "essay.yaml").write_text(
        text.replace("seed: 0 ", "seed: 3 "), encoding="utf-8"
    )
    third = repro(tmp_path)
    assert "Running stage 'essay'" in third
    assert "Running stage 'ingest'" not in third
