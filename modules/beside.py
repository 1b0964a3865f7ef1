"""Work done while an LM is waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from signatures.types import Passage

PATIENCE_S = 0.03
"""An LM that answers sooner leaves no time worth using."""

MOST = 64
"""Jobs at once; one that finds no thread is left undone."""

Meanwhile = Callable[[Iterable[Passage]], object]
"""What can be done with passages while an LM is waited for."""


# Kept: where many compute, a thread is slow to begin.
_threads = ThreadPoolExecutor(MOST, thread_name_prefix="beside")


@contextmanager
def beside(job: Callable[[], object]) -> Iterator[None]:
    """Run ``job`` in a thread if the block takes longer than ``PATIENCE_S``, and end with it.

    For work that only brings forward what would be done later anyway: a job that fails here fails
    again, with its message, where its outcome is needed.
    """
    over = threading.Event()

    def work() -> None:
        if over.wait(PATIENCE_S):
            return  # answered at once, as from a cache: there is no waiting to use
        try:
            job()
        except Exception:  # raised again, and reported, where the outcome is needed
            return

    begun = _threads.submit(work)
    try:
        yield
    finally:
        over.set()
        if not begun.cancel():
            begun.result()


__all__ = ["Meanwhile", "beside"]
