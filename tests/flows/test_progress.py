"""Progress where there is no terminal: lines, the time left by what was made, silence broken."""

from __future__ import annotations

import pytest

from flows.progress import Progress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "moot.units"]


def test_a_log_tells_what_is_done_spent_and_left(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "moot.units")
    clock = Clock()
    progress = Progress(100, lambda: "7 calls, 90 tokens, $0.02", clock=clock)
    clock.now = 5.0  # what is found takes no time of those that are made
    for _ in range(40):
        progress.step(made=False)
    for _ in range(10):
        clock.now += 2.0
        progress.step(made=True)
    told = lines(caplog)
    assert len(told) == 10
    assert told[7] == "40 of 100 units in 00:05, ETA unknown: 7 calls, 90 tokens, $0.02"
    assert told[9] == "50 of 100 units in 00:25, ETA 01:40: 7 calls, 90 tokens, $0.02"


def test_a_long_silence_is_broken(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "moot.units")
    clock = Clock()
    progress = Progress(1000, lambda: "1 calls", clock=clock)
    clock.now = 59.0
    progress.still()
    progress.step(made=True)
    assert lines(caplog) == []
    clock.now = 61.0
    progress.still()
    clock.now = 122.0
    progress.step(made=True)
    clock.now = 123.0
    progress.still()
    assert [line.partition(":")[0] for line in lines(caplog)] == [
        "1 of 1000 units in 01",
        "2 of 1000 units in 02",
    ]
