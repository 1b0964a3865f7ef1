"""Who follows a roundtable while it is going on; what is heard is no part of any result."""

from __future__ import annotations

from typing import Any, Protocol


class Listener(Protocol):
    """Is told what happens, from any thread, at once."""

    def __call__(self, event: str, **values: Any) -> None:
        """One event by its name and its values, which are plain data or records."""


def silent(event: str, **values: Any) -> None:
    """The listener of those who only want the result."""


__all__ = ["Listener", "silent"]
