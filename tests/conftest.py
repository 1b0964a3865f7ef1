"""Fixtures: every test gets its own artifacts, a clean DSPy, and no ambient keys."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import KEYS, ROOT

_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The artifacts folder of this process: Prefect's server and the caches live in it."""
    from flows.environment import prepare

    root = tmp_path_factory.mktemp(f"artifacts-{_WORKER}")
    os.environ["MOOT_ARTIFACTS"] = str(root)
    prepare(root)
    return root


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No keys from outside, and DSPy as a fresh process has it."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    yield
    if "dspy" in sys.modules:
        import dspy

        dspy.configure(lm=None, adapter=None)
        dspy.cache.reset_memory_cache()


@pytest.fixture(scope="session")
def corpus(home: Path) -> Path:
    """The home with the starter corpus's museum texts in its index."""
    from modules.retrieval import EvidenceStore, MiniLM, ingest

    ingest([ROOT / "data" / "corpus" / "free-museums"], EvidenceStore(home / "index", MiniLM()))
    return home


@pytest.fixture(scope="session")
def prefect_server(home: Path) -> Iterator[None]:
    """Prefect's server, started once per test process."""
    from flows import prefect_server as server

    server.start(home)
    # An earlier test may have imported Prefect: its threads would start a server of their own.
    from prefect.context import refresh_global_settings_context

    refresh_global_settings_context()
    with server.connected():
        yield
    server.stop()
