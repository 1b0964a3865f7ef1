"""The same work on several things side by side, in the caller's context: DSPy's settings and whose
calls are counted reach every thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
A = TypeVar("A")


def at_once(work: Callable[[A], T], items: Sequence[A], *, threads: int | None = None) -> list[T]:
    """``work`` on all items at the same time, each in a copy of the caller's context.

    Args:
        work: Is given one item.
        items: In whose order the results are.
        threads: How many at most at once; None takes all.

    Raises:
        BaseException: What the first of the items that failed raised, once all have ended.
    """
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads or len(items), thread_name_prefix="at-once") as pool:
        futures = [pool.submit(copy_context().run, work, item) for item in items]
    return [future.result() for future in futures]


__all__ = ["at_once"]
