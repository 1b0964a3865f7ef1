"""A stand-in for a backend: the extractive engine at the backend's price, for an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import InstanceOf

from modules.lm.backends import Backend, ExtractiveBackend

if TYPE_CHECKING:
    import dspy

    from modules.lm.meter import Price


class Rehearsed(ExtractiveBackend):
    """Answers as the extractive engine does, priced as ``of`` is, and keeps nothing.

    Args:
        of: The backend it stands in for.
    """

    name: str = "rehearsed"
    of: InstanceOf[Backend]

    def price(self) -> Price | None:
        return self.of.price()

    def lm(self, *args: Any, **options: Any) -> dspy.LM:
        """As any backend's, without DSPy's cache: a cached call would not be counted."""
        found = super().lm(*args, **options)
        found.cache = False
        return found


__all__ = ["Rehearsed"]
