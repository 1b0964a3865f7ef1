"""What a program that was killed and resumed asked a second time.

A program may ask one prompt several times of its own accord (rollouts), so what counts as asked
again is what it asked more often than the same program that nobody killed. An answer that the
server had sent off a good while before the kill should have been kept; one that was under way, or
had just left, was answered to nobody.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from .desk import Desk
from .messages import LMRequest

KEPT_AFTER_S = 0.05
"""Seconds after which an answer that was sent off counts as had by the client."""


class Kill(NamedTuple):
    """A kill, in seconds of a monotonic clock.

    Attributes:
        at: When it was sent.
        gone: When the server had read all that the program had sent, and no other had begun: what
            it reads between the two comes from a program that is dead, or dying.
    """

    at: float
    gone: float


class Repeats(NamedTuple):
    """Prompts asked more often than without a kill.

    Attributes:
        answered: Their answer had been sent off at least 50 ms before the kill.
        under_way: They were under way, or their answer had just left.
        foreign: The program that nobody killed never asked them.
        ages: Of each of ``answered``, how long before the kill its answer was sent off, seconds.
    """

    answered: int
    under_way: int
    foreign: int
    ages: list[float]


def repeats(
    killed: Desk, straight: Sequence[LMRequest], kills: Sequence[Kill], slack: float = KEPT_AFTER_S
) -> Repeats:
    """Compare a server that saw a program killed with what one saw that did not.

    Args:
        killed: The server.
        straight: The requests of the program that nobody killed.
        kills: One for each.
        slack: Seconds for an answer to arrive and be kept.
    """
    times, requests = killed.times, killed.requests
    known = Counter(map(_asked, straight))
    more = Counter(map(_asked, requests)) - known
    lost: Counter[str] = Counter()
    waited: dict[str, list[float]] = defaultdict(list)
    for request in requests:
        begun, ended = times.get(request.index, (0.0, inf))
        lost[_asked(request)] += sum(begun < gone and ended + slack > at for at, gone in kills)
        waited[_asked(request)] += [at - ended for at, _ in kills if at >= ended + slack]
    foreign = sum(n for prompt, n in more.items() if prompt not in known)
    again = {prompt: n for prompt, n in more.items() if prompt in known}
    under_way = sum(min(n, lost[prompt]) for prompt, n in again.items())
    kept = {prompt: n - lost[prompt] for prompt, n in again.items() if n > lost[prompt]}
    ages = [age for prompt, n in kept.items() for age in sorted(waited[prompt])[:n]]
    return Repeats(sum(kept.values()), under_way, foreign, ages)


def _asked(request: LMRequest) -> str:
    return json.dumps(request.body, sort_keys=True)


__all__ = ["KEPT_AFTER_S", "Kill", "Repeats", "repeats"]
