"""Work done while an LM is waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from signatures.types import Passage

PATIENCE_S = 0.03
"""An LM that answers sooner leaves no time worth using."""

Meanwhile = Callable[[Iterable[Passage]], object]
"""What can be done with passages while an LM is waited for."""


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

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


__all__ = ["Meanwhile", "beside"]
