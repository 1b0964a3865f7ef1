"""Variety without chance: a random stream that is a function of what was asked."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any


def stream(signature: str, inputs: Mapping[str, Any], seed: int) -> random.Random:
    """The random stream of one call; equal (signature, inputs, seed) give equal streams."""
    canonical = json.dumps(
        [signature, seed, inputs], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).digest()
    return random.Random(int.from_bytes(digest, "big"))


class Deck:
    """Deals the phrases of a list in shuffled order, none twice until all were used."""

    def __init__(self, phrases: Sequence[str], rng: random.Random) -> None:
        self._phrases = tuple(phrases)
        self._rng = rng
        self._left: list[str] = []

    def __len__(self) -> int:
        return len(self._phrases)

    def draw(self) -> str:
        """The next phrase."""
        if not self._left:
            self._left = list(self._phrases)
            self._rng.shuffle(self._left)
        return self._left.pop()


__all__ = ["Deck", "stream"]
