"""Who follows a roundtable while it is going on; what is heard is no part of any result."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
A = TypeVar("A")


class Listener(Protocol):
    """Is told what happens, from any thread, at once."""

    def __call__(self, event: str, **values: Any) -> None:
        """One event by its name and its values, which are plain data or records."""


def silent(event: str, **values: Any) -> None:
    """The listener of those who only want the result."""


def at_once(work: Callable[[A], T], items: list[A]) -> list[T]:
    """``work`` on all items at the same time, each in a copy of the caller's context.

    Raises:
        Exception: What the first of the items that failed raised, once all have ended.
    """
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(len(items), thread_name_prefix="table") as pool:
        futures = [pool.submit(copy_context().run, work, item) for item in items]
    return [future.result() for future in futures]


__all__ = ["Listener", "at_once", "silent"]
