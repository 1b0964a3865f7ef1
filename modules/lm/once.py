"""Equal requests one after the other, so that the cache answers all but the first.

DSPy's cache does not know of requests under way: equal ones that run side by side all reach the
backend, get different replies, and leave one of them in the cache. Work that went on from another
one could then not be replayed from the cache after a crash.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic_core import to_jsonable_python

_guard = threading.Lock()
_locks: dict[str, threading.Lock] = {}
_users: Counter[str] = Counter()


@contextmanager
def once(*request: Any) -> Iterator[None]:
    """Hold off other threads with an equal request until the block is done.

    Args:
        request: What makes requests equal; anything pydantic can turn into JSON.
    """
    key = json.dumps(to_jsonable_python(request), sort_keys=True)
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
        _users[key] += 1
    try:
        with lock:
            yield
    finally:
        with _guard:
            _users[key] -= 1
            if not _users[key]:
                del _users[key], _locks[key]


__all__ = ["once"]
