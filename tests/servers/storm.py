"""A responder that plays its part badly: a share of requests meets each fault."""

from __future__ import annotations

import random
from collections.abc import Callable

from .messages import LMRequest, Reply

FAULTS = {"429": 0.10, "500": 0.05, "nonsense": 0.05, "hang": 0.02}
"""Fault -> the share of requests that meet it."""


class Storm:
    """Faults drawn by the number of the request, so that a retry is a draw of its own.

    Args:
        play: Answers the requests that meet no fault.
        seed: Of the draw.
    """

    def __init__(self, play: Callable[[LMRequest], Reply | str], *, seed: int = 0) -> None:
        self._play = play
        self._seed = seed

    def __call__(self, request: LMRequest) -> Reply | str:
        left = random.Random(f"{self._seed}/{request.index}").random()
        for fault, share in FAULTS.items():
            if left < share:
                return _faulty(fault)
            left -= share
        return self._play(request)


def _faulty(fault: str) -> Reply:
    if fault == "429":
        return Reply(status=429, retry_after=0.1)
    if fault == "500":
        return Reply(status=500)
    return Reply(text="No fields here.") if fault == "nonsense" else Reply(hang=True)


__all__ = ["FAULTS", "Storm"]
