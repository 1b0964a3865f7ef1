"""Values that look like chance and depend on a seed alone."""

from __future__ import annotations

import hashlib

_LOREM = (
    "lorem ipsum dolor amet consectetur adipiscing elit tempor incididunt labore magna aliqua "
    "enim minim veniam quis nostrud ullamco laboris nisi aliquip commodo consequat duis aute "
    "irure reprehenderit voluptate velit cillum fugiat nulla pariatur excepteur sint occaecat "
    "cupidatat proident culpa officia deserunt mollit anim laborum sapien vitae massa porta"
)
_WORDS = tuple(_LOREM.split())


def digest(seed: str) -> bytes:
    """The bytes that everything made here is taken from."""
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()


def number(seed: str, below: int) -> int:
    """A whole number from 0 up to, not including, a bound."""
    return int.from_bytes(digest(seed)[:8], "big") % below


def words(seed: str) -> str:
    """Six to nine words that depend on the seed alone."""
    hashed = digest(seed)
    count = 6 + hashed[0] % 4
    return " ".join(_WORDS[byte % len(_WORDS)] for byte in hashed[1 : 1 + count])
