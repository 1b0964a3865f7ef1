"""Runs started from the page: each in a thread of the server, on a folder of its own.

Nothing about a run is kept here but that it is under way: all else is in its folder, so a page
that is reloaded, or a server that is started anew, finds everything there.
"""

from __future__ import annotations

import gc
import logging
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import filelock

from flows import prefect_server
from flows.compose import composed
from flows.config import DebateConfig, typed
from flows.configs import CONFIGS
from flows.environment import artifacts
from flows.launch import stored
from flows.run import LOCK_FILE, RESULT_FILE
from flows.runtime import embedder_of, in_background
from flows.tracking import settle
from signatures.errors import MootError

log = logging.getLogger("moot.app")

_lock = threading.Lock()
_threads: dict[Path, threading.Thread] = {}
_errors: dict[Path, str] = {}


def start(flow: str, plain: dict[str, Any], folder: Path) -> None:
    """Begin to run a flow in the background; a run that is under way already is left alone.

    Raises:
        MootError: The configuration cannot be used.
    """
    typed(CONFIGS[flow], plain)
    with _lock:
        if running(folder):
            return
        _errors.pop(folder, None)
        thread = threading.Thread(
            target=_run, args=(flow, plain, folder), name=f"moot-{folder.name}", daemon=True
        )
        _threads[folder] = thread
        thread.start()


def running(folder: Path) -> bool:
    """Whether the run is under way, here or in another process."""
    thread = _threads.get(folder)
    if thread is not None and thread.is_alive():
        return True
    path = folder / LOCK_FILE
    if not path.exists():
        return False
    probe = filelock.FileLock(path, timeout=0, thread_local=False)
    try:
        probe.acquire()
    except filelock.Timeout:
        return True
    probe.release()
    return False


def finished(folder: Path) -> bool:
    """Whether the run has its result."""
    return (folder / RESULT_FILE).exists()


def error(folder: Path) -> str | None:
    """What ended the run's last try here, in one line."""
    return _errors.get(folder)


def warm() -> None:
    """Start and import what is slow before anyone waits for it."""
    prefect_server.start(artifacts())
    config = typed(DebateConfig, composed("debate", "warming up", {}))
    embedder_of(config).warm()
    for name in ("lancedb", "flows.debate", "flows.essay", "flows.answer"):
        import_module(name)
    with prefect_server.connected():
        pass
    gc.collect()
    gc.freeze()  # what is loaded stays: no later collection need look through it


def _run(flow: str, plain: dict[str, Any], folder: Path) -> None:
    try:
        prefect_server.start(artifacts())
        run = getattr(import_module(f"flows.{flow}"), flow)
        with prefect_server.connected():
            stored(run)(plain, str(folder))
    except MootError as fault:
        _errors[folder] = fault.line()
    except Exception as fault:  # a run's fault is shown on its page, and must not end the server
        log.exception("the run %s failed", folder.name)
        _errors[folder] = f"{type(fault).__name__}: {fault}"
    finally:
        in_background(settle)  # the record: nobody waits for it


__all__ = ["error", "finished", "running", "start", "warm"]
