"""What was last asked for, kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """What was last asked for, at most ``limit`` of it. Safe from many threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, keys: Sequence[K]) -> dict[K, V]:
        """Those of ``keys`` that are kept."""
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
            return found

    def put(self, found: dict[K, V]) -> None:
        """Keep these too."""
        with self._lock:
            self._kept.update(found)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)


__all__ = ["Recent"]
