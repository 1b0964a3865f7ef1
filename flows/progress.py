"""How far a flow's units are, while they run: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

from tqdm import tqdm

log = logging.getLogger("moot.units")

LINES = 20
"""Lines over a whole run, besides those that :data:`QUIET_S` brings."""

QUIET_S = 60.0
"""Seconds without a line after which there is one, whether or not anything was finished."""

BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}, {postfix}]"


class Progress:
    """Tells how many units are done, what they have cost, and how long the others will take.

    The time left goes by the units made since the last one that was merely found, at their mean
    rate: what earlier work left behind takes no time, and tells nothing of what is to come.

    Args:
        expected: How many units there will be.
        said: What they have come to so far: calls, tokens, money.
        clock: Seconds that only grow.
    """

    def __init__(
        self, expected: int, said: Callable[[], str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._expected = expected
        self._said = said
        self._clock = clock
        self._bar = tqdm(
            total=expected, file=sys.stderr, disable=None, leave=False, unit="unit", bar_format=BAR
        )
        self._done = self._made = 0
        self._started = self._told = self._since = clock()

    def step(self, *, made: bool) -> None:
        """One more unit is done; ``made`` where it took work, and was not merely found."""
        self._done += 1
        self._made += made
        if not self._made:
            self._since = self._clock()
        if not self._bar.disable:
            self._bar.set_postfix_str(f"{self._left()}, {self._said()}", refresh=False)
            self._bar.update()
        elif (
            self._done % max(1, self._expected // LINES) == 0
            or self._done == self._expected
            or self._quiet()
        ):
            self._tell()

    def still(self) -> None:
        """Nothing was finished for a while: say so, where a log would say nothing."""
        if self._bar.disable and self._quiet():
            self._tell()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()

    def _quiet(self) -> bool:
        return self._clock() - self._told >= QUIET_S

    def _tell(self) -> None:
        self._told = self._clock()
        took = tqdm.format_interval(self._told - self._started)
        log.info(
            "%d of %d units in %s, %s: %s",
            self._done, self._expected, took, self._left(), self._said(),
        )  # fmt: skip

    def _left(self) -> str:
        left = max(0, self._expected - self._done)
        if left and not self._made:
            return "ETA unknown"
        each = (self._clock() - self._since) / max(1, self._made)
        return f"ETA {tqdm.format_interval(left * each)}"


__all__ = ["Progress"]
