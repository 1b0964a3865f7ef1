"""Strings of a format or a pattern that a JSON schema names."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .chance import digest, number, words


def _day(seed: str) -> str:
    return f"20{number(seed, 20) + 10}-0{number(seed, 9) + 1}-1{number(seed, 10)}"


def _hex(seed: str, start: int, end: int) -> str:
    return digest(seed).hex()[start:end]


FORMATS: dict[str, Callable[[str], str]] = {
    "date": _day,
    "time": lambda seed: f"12:3{number(seed, 10)}:00Z",
    "date-time": lambda seed: f"{_day(seed)}T12:3{number(seed, 10)}:00Z",
    "duration": lambda seed: f"P{number(seed, 28) + 1}D",
    "email": lambda seed: f"{words(seed).split()[0]}{_hex(seed, 0, 6)}@example.com",
    "hostname": lambda seed: f"h{_hex(seed, 0, 8)}.example.com",
    "ipv4": lambda seed: f"192.0.2.{number(seed, 254) + 1}",
    "ipv6": lambda seed: f"2001:db8::{_hex(seed, 0, 4)}",
    "uri": lambda seed: f"https://example.com/{_hex(seed, 0, 8)}",
    "uuid": lambda seed: (
        f"{_hex(seed, 0, 8)}-{_hex(seed, 8, 12)}-4{_hex(seed, 12, 15)}"
        f"-a{_hex(seed, 15, 18)}-{_hex(seed, 18, 30)}"
    ),
}

_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,"


def matching(pattern: str, seed: str) -> str:
    """A string that a regular expression without look-around or back references matches."""
    parser = importlib.import_module("re._parser")
    return _expanded(parser.parse(pattern), random.Random(seed))


def _expanded(nodes: Iterable[Any], rng: random.Random) -> str:
    return "".join(_node(str(name), value, rng) for name, value in nodes)


def _node(name: str, value: Any, rng: random.Random) -> str:
    if name == "LITERAL":
        return chr(value)
    if name == "NOT_LITERAL":
        return rng.choice(_SIGNS.replace(chr(value), ""))
    if name == "ANY":
        return rng.choice(_SIGNS)
    if name == "IN":
        return rng.choice([sign for sign in _SIGNS if _in_set(sign, value)] or [_first(value)])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, nodes = value
        return "".join(_expanded(nodes, rng) for _ in range(min(int(high), max(int(low), 4))))
    if name == "SUBPATTERN":
        return _expanded(value[-1], rng)
    if name == "BRANCH":
        return _expanded(value[1][0], rng)
    return ""


def _in_set(sign: str, parts: Sequence[Any]) -> bool:
    negated = str(parts[0][0]) == "NEGATE"
    return negated != any(_in_part(sign, str(name), value) for name, value in parts)


def _in_part(sign: str, name: str, value: Any) -> bool:
    if name == "LITERAL":
        return bool(ord(sign) == value)
    if name == "RANGE":
        return bool(value[0] <= ord(sign) <= value[1])
    tests = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": _is_word}
    for ending, test in tests.items():
        if name == "CATEGORY" and str(value).endswith(ending):
            return test(sign) != ("_NOT_" in str(value))
    return False


def _is_word(sign: str) -> bool:
    return sign == "_" or sign.isalnum()


def _first(parts: Sequence[Any]) -> str:
    """The first character of a set that holds none of the usual ones."""
    name, value = parts[0]
    return chr(value[0] if str(name) == "RANGE" else value)
