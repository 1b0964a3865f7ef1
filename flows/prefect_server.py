"""Prefect's server for one process: started early, listening on a port nobody raced for, and
never outliving the process that started it.

Prefect can start an ephemeral server by itself, but only once it is imported, on a port it picks
by chance, and that server stays behind when its parent is killed.
"""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signatures.errors import MootError

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 5.0

_lock = threading.Lock()
_process: subprocess.Popen[bytes] | None = None


def start(artifacts: Path) -> None:
    """Start the server unless one is named in ``PREFECT_API_URL`` or was started already.

    Sets ``PREFECT_API_URL`` at once, so that Prefect may be imported while the server starts;
    :func:`wait` tells when it answers. Call it before Prefect is imported.

    Args:
        artifacts: The folder that holds Prefect's home; the server logs into it.
    """
    global _process
    with _lock:
        if _process is not None or os.environ.get("PREFECT_API_URL"):
            return
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        flags = {
            "PREFECT_SERVER_UI_ENABLED": "0",
            "PREFECT__SERVER_EPHEMERAL": "1",
            # Slots of a global limit that a killed process held are taken back by the next server.
            "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": (
                "prefect.server.concurrency.lease_storage.filesystem"
            ),
            "PREFECT__SERVER_FINAL": "1",
            # A row for every state of every task: 6 ms of CPU per task instead of 1, for a record
            # that nobody can look at once this server is gone.
            "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
            "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_ENABLED": "false",
            "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
        }
        with listener, (artifacts / "prefect" / "server.log").open("ab") as log:
            _process = subprocess.Popen(  # noqa: S603 - this interpreter, our own module
                [sys.executable, "-m", "flows.prefect_server", str(listener.fileno())],
                env={**os.environ, **flags},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(listener.fileno(),),
                # A Ctrl-C at the terminal is for the flow, which stops the server when it is done.
                start_new_session=True,
            )
        os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{port}/api"
        atexit.register(stop)


def wait(timeout_s: float = START_TIMEOUT_S) -> None:
    """Return once the server answers.

    Raises:
        MootError: It died, or does not answer in time.
    """
    import httpx

    url = os.environ["PREFECT_API_URL"]
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if _process is not None and _process.poll() is not None:
            raise MootError(
                "Prefect's server did not start",
                got=f"exit code {_process.returncode}",
                remedy="see artifacts/prefect/server.log",
            )
        try:
            if httpx.get(f"{url}/health", timeout=timeout_s).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass  # not listening yet, or still creating its tables
        time.sleep(0.05)
    raise MootError(
        f"Prefect's server at {url} does not answer",
        expected=f"an answer within {timeout_s:g} s",
        remedy="unset PREFECT_API_URL to use one of our own, or start that server",
    )


@contextmanager
def connected() -> Iterator[None]:
    """Wait for the server, and run flows against it, over one connection that is opened here.

    On a server of our own nobody watches for crashed runs, so flows send no heartbeats: their
    thread would hold up the end of every flow by up to a second.

    Raises:
        MootError: The server died, or does not answer in time.
    """
    wait()
    from prefect.context import SyncClientContext
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    own = {PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None} if _process is not None else {}
    # A flow that finds no client open makes one, and loads every certificate authority for it.
    with temporary_settings(own), SyncClientContext.get_or_create():
        yield


def stop() -> None:
    """Stop the server this process started."""
    global _process
    with _lock:
        if _process is None:
            return
        _process.terminate()
        try:
            _process.wait(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            _process.kill()
            _process.wait()
        _process = None
        os.environ.pop("PREFECT_API_URL", None)


def _serve(fileno: int) -> None:
    """Run the server on an inherited listening socket until the parent is gone."""
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    import filelock
    import uvicorn
    from prefect.server.api.server import create_app
    from prefect.settings import get_current_settings

    # Released by another thread: a lock of this thread alone would be held for good.
    lock = filelock.FileLock(Path(get_current_settings().home) / "start.lock", thread_local=False)
    config = uvicorn.Config(create_app, factory=True, log_level="error", lifespan="on")
    server = uvicorn.Server(config)
    # Two servers that first start at once would both create the schema.
    lock.acquire()
    threading.Thread(target=_release, args=(server, lock), daemon=True).start()
    server.run(sockets=[socket.socket(fileno=fileno)])


def _release(server: object, lock: object) -> None:
    """Give the lock back once the server has started, or has failed to."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while not (getattr(server, "started", False) or getattr(server, "should_exit", False)):
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    lock.release()  # type: ignore[attr-defined]  # filelock is imported late


def _follow(parent: int) -> None:
    """End this process when its parent has ended, however that came about."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
