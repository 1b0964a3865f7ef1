"""Which of the prompts that were asked again had been answered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from .desk import Desk
from .repeats import Kill, Repeats, repeats


def seen(*spans: tuple[str, float, float]) -> Any:
    """A server that was asked these prompts, and answered them between two moments."""
    requests = [SimpleNamespace(index=n, body={"p": p}) for n, (p, *_) in enumerate(spans)]
    times = {n: (begun, ended) for n, (_, begun, ended) in enumerate(spans)}
    return SimpleNamespace(requests=requests, times=times)


def test_what_was_under_way_is_told_from_what_was_answered() -> None:
    once = (("kept", 0, 1), ("lost", 0, 1), ("late", 0, 1), ("read", 0, 1))
    straight = seen(*once, ("twice", 0, 1), ("twice", 0, 1))
    killed = seen(
        ("kept", 0, 1), ("late", 0, 4.98), ("lost", 4, 6), ("answered", 0, 2), ("twice", 0, 1),
        ("twice", 1, 2), ("read", 5.2, 6), ("late", 7, 8), ("lost", 7, 8), ("kept", 7, 8),
        ("read", 7, 8),
    )  # fmt: skip
    found = repeats(cast(Desk, killed), straight.requests, [Kill(5.0, 5.5)])
    assert found == Repeats(answered=1, under_way=3, foreign=1, ages=[4.0])
