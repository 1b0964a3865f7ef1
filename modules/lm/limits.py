"""How fast a backend may be asked: one limiter for each, shared by all who ask it in a process.

The number of attempts at once follows additive increase, multiplicative decrease (Chiu and Jain,
1989): it begins at the cap, halves when the server refuses for its rate, and grows by one for as
many answers as may be under way. ``Retry-After`` holds back everybody, not only whoever was told.
Results do not depend on any of this, so it is part of no key.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

from pydantic import Field

from signatures.types import Record

log = logging.getLogger("moot.limits")

MINUTE_S = 60.0
OVERLOADED = frozenset({429, 503, 529})
"""Statuses by which servers say that they are asked too much (529 is Anthropic's)."""
FADING = 0.2
"""The weight of the last answer in the mean of tokens per answer."""
LOOK_S = 0.5
"""The longest time in seconds between two looks at whether waiting still makes sense."""

Enter = Callable[["Spent"], AbstractContextManager[object]]
"""A bound entered for the time of an attempt; what that has cost is known when it is left."""


class Limits(Record):
    """What a server allows; None is no limit.

    ``tokens_per_minute`` counts input and output together. An answer's tokens are known when it
    is there: until then it is taken to cost what others did.
    """

    concurrency: int | None = Field(default=None, ge=1, le=1000)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)


class Refusal(NamedTuple):
    """A server says that it is asked too much; ``retry_after`` in seconds, where it says that."""

    retry_after: float | None


class Pace:
    """When the next attempt may begin. It knows no clock and no threads; times are in seconds.

    Attributes:
        window: How many attempts may be under way at once, as learnt so far; at least 1.
        running: How many are.
        epoch: How often the window was halved.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.window = float(limits.concurrency or math.inf)
        self.running = 0
        self.epoch = 0
        self._resume_at = -math.inf
        self._starts: deque[float] = deque()
        self._spent: deque[tuple[float, int]] = deque()
        self._used = 0  # the sum of the tokens in it
        self._mean: float | None = None

    def relimit(self, limits: Limits) -> None:
        """Other limits from now on; what was learnt is kept as far as they allow it."""
        unhurt = self.window == float(self.limits.concurrency or math.inf)
        cap = float(limits.concurrency or math.inf)
        self.window = cap if unhurt else min(self.window, cap)
        self.limits = limits

    def wait_s(self, now: float) -> float:
        """Seconds until an attempt may begin; infinite where one under way must end first."""
        if self.running >= int(min(self.window, 1e9)):
            return math.inf
        self._forget(now)
        held = max(0.0, self._resume_at - now)
        return max(held, self._requests_wait(now), self._tokens_wait(now))

    def begin(self, now: float) -> int:
        """An attempt begins; returns the epoch it belongs to."""
        self.running += 1
        self._starts.append(now)
        return self.epoch

    def end(self, now: float, epoch: int, tokens: int = 0, refused: Refusal | None = None) -> None:
        """An attempt has ended.

        Args:
            now: The time.
            epoch: What :meth:`begin` gave for it.
            tokens: What it cost, where it was answered.
            refused: If that is how it ended.
        """
        under_way, self.running = self.running, self.running - 1
        if tokens:
            self._spent.append((now, tokens))
            self._used += tokens
            last = float(tokens)
            self._mean = last if self._mean is None else self._mean + FADING * (last - self._mean)
        if refused is None:
            return
        if refused.retry_after is not None:
            self._resume_at = max(self._resume_at, now + refused.retry_after)
        # Refusals of attempts that began before the last halving say nothing new.
        if epoch == self.epoch:
            self.epoch += 1
            self.window = max(1.0, min(self.window, under_way) / 2)

    def grow(self) -> None:
        """An attempt was answered: one more at once, after a window of such answers."""
        cap = float(self.limits.concurrency or math.inf)
        self.window = min(cap, self.window + 1 / self.window)

    def _forget(self, now: float) -> None:
        while self._starts and self._starts[0] <= now - MINUTE_S:
            self._starts.popleft()
        while self._spent and self._spent[0][0] <= now - MINUTE_S:
            self._used -= self._spent.popleft()[1]

    def _requests_wait(self, now: float) -> float:
        most = self.limits.requests_per_minute
        if most is None or len(self._starts) < most:
            return 0.0
        return self._starts[-most] + MINUTE_S - now

    def _tokens_wait(self, now: float) -> float:
        most = self.limits.tokens_per_minute
        if most is None:
            return 0.0
        over = self._used + (self.running + 1) * (self._mean or 0.0) - most
        if over <= 0:
            return 0.0
        for when, tokens in self._spent:
            over -= tokens
            if over <= 0:
                return when + MINUTE_S - now
        # What is under way takes up the minute; an answer that does so by itself goes alone.
        if self.running:
            return math.inf
        return self._spent[-1][0] + MINUTE_S - now if self._spent else 0.0


class Spent:
    """What an attempt has cost, told by whoever made it."""

    tokens = 0


class Limiter:
    """Lets attempts begin, threads waiting their turn.

    Args:
        limits: What the server allows.
        also: A further bound entered for each attempt, such as one that processes share.
        name: Whose it is, for the log.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        also: Enter | None = None,
        clock: Callable[[], float] = time.monotonic,
        name: str = "",
    ) -> None:
        self.pace = Pace(limits or Limits())
        self.also = also
        self._name = name
        self._clock = clock
        self._free = threading.Condition()

    @contextmanager
    def turn(self, check: Callable[[], object] = lambda: None) -> Iterator[Spent]:
        """One attempt, begun when it may; from errors that leave the block it is learnt.

        Args:
            check: Called while waiting; what it raises ends the wait.
        """
        epoch = self._begin(check)
        spent, refused, answered = Spent(), None, False
        try:
            with self.also(spent) if self.also is not None else nullcontext():
                yield spent
            answered = True
        except Exception as error:
            refused = refusal(error)
            raise
        finally:
            self._end(epoch, spent.tokens, refused, answered)

    def relimit(self, limits: Limits) -> None:
        """Other limits from now on, for those who wait as well."""
        with self._free:
            self.pace.relimit(limits)
            self._free.notify_all()

    def _begin(self, check: Callable[[], object]) -> int:
        with self._free:
            while (wait := self.pace.wait_s(self._clock())) > 0:
                check()
                self._free.wait(min(wait, LOOK_S))
            epoch = self.pace.begin(self._clock())
            self._free.notify()  # there may be room for another
            return epoch

    def _end(self, epoch: int, tokens: int, refused: Refusal | None, answered: bool) -> None:
        with self._free:
            before = self.pace.window
            self.pace.end(self._clock(), epoch, tokens, refused)
            if answered:
                self.pace.grow()
            after = self.pace.window
            self._free.notify()
        if after < before and refused is not None:
            pause = "" if refused.retry_after is None else f", none for {refused.retry_after:g} s"
            log.info("%s refuses for its rate: %d at once from now on%s", self._name, after, pause)


def refusal(error: Exception) -> Refusal | None:
    """The refusal that an engine's error stands for, if it does."""
    from dspy.lm15 import LM15Error, RateLimitError

    if isinstance(error, RateLimitError) or (
        isinstance(error, LM15Error) and error.status in OVERLOADED
    ):
        return Refusal(error.retry_after)
    return None


_lock = threading.Lock()
_known: dict[str, Limiter] = {}


def shared(name: str, limits: Limits) -> Limiter:
    """The process's limiter of that name, under these limits from now on.

    Args:
        name: A backend's identity.
        limits: What its server allows. Without ``concurrency``, the one it has is kept.
    """
    with _lock:
        found = _known.get(name)
        if found is None:
            found = _known[name] = Limiter(limits, name=name)
            return found
    if limits.concurrency is None:
        limits = limits.model_copy(update={"concurrency": found.pace.limits.concurrency})
    found.relimit(limits)
    return found


__all__ = ["Limiter", "Limits", "Pace", "Refusal", "Spent", "refusal", "shared"]
