"""What tests share: the real command, composed configurations, paths."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
KEYS = (
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_CSE_ID",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "TAVILY_API_KEY",
)


def composed(flow: str, *overrides: str) -> dict[str, Any]:
    """The plain configuration Hydra would hand to the flow.

    A module's flows have a seed of their own unless one is given: the tests of a process share the
    LM cache, and a count of calls must not depend on which modules ran before.
    """
    from hydra import compose, initialize_config_module
    from omegaconf import OmegaConf

    from flows.main import register_resolvers

    register_resolvers()
    with initialize_config_module("conf", version_base="1.3"):
        config = compose(flow, [*_own_seed(flow), *overrides])
    plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    assert isinstance(plain, dict)
    return {str(k): v for k, v in plain.items()}


def _own_seed(flow: str) -> list[str]:
    module = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    return [] if flow == "ingest" else [f"seed={zlib.crc32(module.encode()) % 1_000_000}"]


def moot(
    *words: str, artifacts: Path, timeout: float = 240, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the real command in a process of its own."""
    env = {k: v for k, v in os.environ.items() if k not in KEYS}
    env |= {"MOOT_ARTIFACTS": str(artifacts), **environment}
    for name in ("PREFECT_HOME", "PREFECT_RESULTS_LOCAL_STORAGE_PATH", "DSPY_CACHEDIR"):
        env.pop(name, None)
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *words],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON document a command printed."""
    return dict(json.loads(done.stdout))
