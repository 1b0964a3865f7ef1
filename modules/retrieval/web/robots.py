"""What hosts ask of visitors: robots.txt, and one page at a time.

robots.txt after RFC 9309: no such file (4xx) allows everything, an unreachable one (5xx, no
answer) forbids everything. Wildcards and longest matches are Protego's; the standard library's
parser knows neither. ``Crawl-delay`` is kept as well, though the RFC does not name it.
"""

from __future__ import annotations

import copy
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from protego import Protego

from signatures.errors import InputError

MAX_ROBOTS = 500_000
"""Bytes of a robots.txt that are read; RFC 9309 asks for at least 500 KiB, rounded here."""

_MAX_WAIT = 30.0
"""Seconds a host may make us wait before its next page."""

Read = Callable[[str], str | None]
"""Reads a robots.txt by its address: its text, or None where there is none. Raises InputError
where it cannot be reached."""


class Robots:
    """The rules of each origin, read once.

    Args:
        agent: The name that rules are looked up under.
    """

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._rules: dict[str, Protego | InputError] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def check(self, origin: str, url: str, read: Read) -> float:
        """Pass where ``url`` may be fetched; the seconds to leave between pages of its origin.

        Raises:
            InputError: robots.txt forbids the page, or cannot be reached.
        """
        with self._locks[origin]:
            if origin not in self._rules:
                self._rules[origin] = _rules(origin, read)
            rules = self._rules[origin]
        if isinstance(rules, InputError):
            raise copy.copy(rules)
        if not rules.can_fetch(url, self._agent):
            raise InputError("is closed to us by its host's robots.txt")
        return float(rules.crawl_delay(self._agent) or 0.0)


class Turns:
    """One request at a time for each host, a pause after each."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._next: dict[str, float] = {}

    @contextmanager
    def turn(self, host: str, pause: float) -> Iterator[None]:
        """Wait for the turn; the host's next one comes ``pause`` seconds after this one ends.

        Raises:
            InputError: The host asks for a longer wait than can be granted.
        """
        with self._locks[host]:
            wait = self._next.get(host, 0.0) - time.monotonic()
            if wait > _MAX_WAIT:
                raise InputError(
                    "has a host that asks for a long wait between pages",
                    expected=f"at most {_MAX_WAIT:g} s",
                )
            if wait > 0:
                time.sleep(wait)
            try:
                yield
            finally:
                self._next[host] = time.monotonic() + pause


def _rules(origin: str, read: Read) -> Protego | InputError:
    try:
        return Protego.parse(read(f"{origin}/robots.txt") or "")
    except InputError as error:
        return error


__all__ = ["MAX_ROBOTS", "Robots", "Turns"]
