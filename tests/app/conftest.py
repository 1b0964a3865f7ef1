"""The page on a server of its own, and a browser; skipped where one of them is not installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from tests.support import KEYS, ROOT, composed

CHROMIUM = shutil.which("chromium")
CHROMEDRIVER = shutil.which("chromedriver")
MISSING = [name for name in ("streamlit", "selenium") if find_spec(name) is None]
MISSING += [
    name for name, path in (("chromium", CHROMIUM), ("chromedriver", CHROMEDRIVER)) if path is None
]
MUSEUMS = "We should make all museums free of charge"
HOSTILE = """Museum guards <script>window.pwned = 1</script>

Museum guards <img src=x onerror="window.pwned = 2"> pay for entrance fees that every museum needs.
Entrance fees keep museums open, as [this page](javascript:window.pwned=3) explains to visitors.
Free museums lose the entrance fees that pay for guards, for heating and for conservation.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say why there is no browser where there is none."""
    if MISSING:
        for item in items:
            if "tests/app" in item.path.as_posix():
                item.add_marker(pytest.mark.skip(reason=f"not installed: {', '.join(MISSING)}"))


@pytest.fixture
def browser(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[object]:
    from tests.app.browser import Browser

    shots = Path(os.environ.get("MOOT_SHOTS", ROOT / "artifacts" / "screenshots"))
    shots.mkdir(parents=True, exist_ok=True)
    assert CHROMIUM is not None
    assert CHROMEDRIVER is not None
    browser = Browser(CHROMIUM, CHROMEDRIVER, shots, tmp_path)
    yield browser
    browser.close()


def choose(browser, topic: str) -> None:  # type: ignore[no-untyped-def]  # selenium may be absent
    browser.reads("What would you like to learn about?")
    browser.fill('[data-testid="stSelectbox"] input', topic, end="\ue007")
    browser.press("Set the table")


@pytest.fixture(scope="session")
def rooms(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Artifacts with an index of museum texts, one of them hostile."""
    from flows.config import DebateConfig, typed
    from flows.runtime import embedder_of
    from modules.retrieval import EvidenceStore, ingest

    root = tmp_path_factory.mktemp("app")
    hostile = root / "hostile"
    hostile.mkdir()
    (hostile / "guards.txt").write_text(HOSTILE, encoding="utf-8")
    plain = composed("debate", "subject=x", f"paths.artifacts={home}")
    embedder = embedder_of(typed(DebateConfig, plain))
    museums = ROOT / "data" / "corpus" / "free-museums"
    ingest([museums, hostile], EvidenceStore(root / "index", embedder))
    # The converted embedder is made once for all tests.
    (root / "cache").mkdir()
    (root / "cache" / "openvino").symlink_to(home / "cache" / "openvino")
    return root


@pytest.fixture(scope="session")
def hostile(rooms: Path) -> str:
    """The id of a chunk of the hostile document."""
    from modules.retrieval import EvidenceStore, MiniLM

    rows = EvidenceStore(rooms / "index", MiniLM()).rows()
    return str(next(row["id"] for row in rows if row["source"] == "guards.txt"))


@pytest.fixture(scope="session")
def address(rooms: Path, prefect_server: None) -> Iterator[str]:
    """Where ``moot app`` serves; it shares this process's Prefect server."""
    port = free_port()
    process = serve(rooms, port)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def serve(rooms: Path, port: int, **environment: str) -> subprocess.Popen[bytes]:
    """``moot app`` in a process of its own, once it answers."""
    ours = ("PREFECT", "DSPY", "XDG", "STREAMLIT")
    env = {k: v for k, v in os.environ.items() if k not in KEYS and not k.startswith(ours)}
    env["PREFECT_API_URL"] = os.environ["PREFECT_API_URL"]
    env |= {"MOOT_ARTIFACTS": str(rooms), "HOME": str(rooms / "home"), **environment}
    (rooms / "home").mkdir(exist_ok=True)
    words = [sys.executable, "-m", "flows.cli", "app", "--port", str(port)]
    path = rooms / f"server-{port}.log"
    with path.open("ab") as log:
        process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        _answers(process, f"http://127.0.0.1:{port}/_stcore/health", path)
    except BaseException:
        process.kill()
        raise
    return process


def _answers(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    transport = httpx.HTTPTransport(retries=0)
    with httpx.Client(transport=transport, timeout=2.0) as client:
        for _ in range(600):
            assert process.poll() is None, log.read_text()
            try:
                if client.get(url).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
    raise AssertionError(log.read_text())
