"""The interpreter, set for many threads that wait for replies."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SWITCH_S = 0.0005
"""Seconds a thread computes before another may: by default ten times as many, which a call's thread
would wait for again and again, its place at the server empty."""

GARBAGE = 50_000
"""New objects after which the youngest are looked through."""


class _Settling:
    """Pools overlap, in one thread and in several: the first sets the interpreter, the last one
    sets it back.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._back: Callable[[], None] = gc.unfreeze

    def enter(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._back = self._set()

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._back()

    @staticmethod
    def _set() -> Callable[[], None]:
        frozen, interval = gc.get_freeze_count() > 0, sys.getswitchinterval()
        thresholds = gc.get_threshold()
        if not frozen:  # else by the page's server, for good
            gc.freeze()
        gc.set_threshold(max(GARBAGE, thresholds[0]), *thresholds[1:])
        sys.setswitchinterval(min(SWITCH_S, interval))

        def back() -> None:
            sys.setswitchinterval(interval)
            gc.set_threshold(*thresholds)
            if not frozen:
                gc.unfreeze()

        return back


_settling = _Settling()


@contextmanager
def settled() -> Iterator[None]:
    """Set the interpreter for many threads that wait for replies.

    What there is already is not looked through for garbage: a full collection walks all that the
    libraries have loaded, up to half a second in which no thread does anything else. What is new is
    looked through less often. And a thread whose reply has come waits less for each that computes.
    """
    _settling.enter()
    try:
        yield
    finally:
        _settling.leave()


__all__ = ["settled"]
