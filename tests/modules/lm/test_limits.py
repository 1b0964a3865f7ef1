"""Limits of a backend: the arithmetic on a clock of our own, and calls to a server that refuses."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy
import pytest

from modules.lm.ask import Ask
from modules.lm.backends import ServerBackend
from modules.lm.ledger import Ledger
from modules.lm.limits import Limiter, Limits, Pace, Refusal
from signatures.errors import MootError
from tests.servers.lm import LMRequest, LMServer, Reply, answer

REFUSED = Refusal(None)


def under_way(pace: Pace, count: int, now: float = 0.0) -> list[int]:
    found = []
    for _ in range(count):
        assert pace.wait_s(now) == 0
        found.append(pace.begin(now))
    return found


def test_a_window_of_refusals_halves_it_once_and_answers_let_it_grow() -> None:
    pace = Pace(Limits(concurrency=8))
    epochs = under_way(pace, 8)
    assert pace.wait_s(0) == math.inf
    for epoch in epochs:
        pace.end(1, epoch, refused=REFUSED)
    assert (pace.window, pace.epoch) == (4.0, 1)
    for epoch in under_way(pace, 4, 1):
        pace.end(2, epoch)
        pace.grow()
    assert 4.8 < pace.window < 5.0  # one more after a window of answers, or nearly
    for epoch in under_way(pace, 4, 2):
        pace.end(3, epoch, refused=REFUSED)
    assert (pace.window, pace.epoch) == (2.0, 2)  # half of what was under way
    for _ in range(100):
        pace.grow()
    assert pace.window == 8.0


def test_the_window_never_closes() -> None:
    pace = Pace(Limits(concurrency=2))
    for now in range(5):
        (epoch,) = under_way(pace, 1, now)
        pace.end(now, epoch, refused=REFUSED)
    assert pace.window == 1.0


def test_without_a_cap_refusals_find_one() -> None:
    pace = Pace(Limits())
    for epoch in under_way(pace, 20):
        pace.end(1, epoch, refused=REFUSED)
    assert pace.window == 10.0


def test_retry_after_holds_back_everybody() -> None:
    pace = Pace(Limits(concurrency=4))
    first, second = under_way(pace, 2)
    pace.end(10, first, refused=Refusal(30.0))
    pace.end(11, second, refused=Refusal(5.0))
    assert pace.wait_s(12) == 28.0
    assert pace.wait_s(40) == 0.0


def test_no_minute_holds_more_requests_than_allowed() -> None:
    pace = Pace(Limits(requests_per_minute=3))
    for now in (0, 10, 20):
        (epoch,) = under_way(pace, 1, now)
        pace.end(now, epoch)
    assert pace.wait_s(20) == 40.0
    under_way(pace, 1, 60)
    assert pace.wait_s(60) == 10.0


def test_tokens_count_as_they_were_and_those_under_way_as_the_mean() -> None:
    pace = Pace(Limits(tokens_per_minute=1000))
    (epoch,) = under_way(pace, 1)
    pace.end(5, epoch, tokens=400)
    (epoch,) = under_way(pace, 1, 5)
    assert pace.wait_s(5) == 60.0  # 400 spent, 400 under way, 400 more: once the first are gone
    pace.end(6, epoch, tokens=400)
    assert pace.wait_s(30) == 35.0
    assert pace.wait_s(65) == 0.0


def test_an_answer_above_the_whole_allowance_goes_alone() -> None:
    pace = Pace(Limits(tokens_per_minute=100))
    (epoch,) = under_way(pace, 1)
    pace.end(1, epoch, tokens=300)
    assert pace.wait_s(1) == 60.0
    under_way(pace, 1, 61)
    assert pace.wait_s(61) == math.inf


def test_limits_can_change_while_it_works() -> None:
    pace = Pace(Limits(concurrency=4))
    pace.relimit(Limits(concurrency=16))
    assert pace.window == 16.0
    (epoch,) = under_way(pace, 1)
    pace.end(0, epoch, refused=REFUSED)
    pace.relimit(Limits(concurrency=8))
    assert pace.window == 1.0  # what was learnt is kept


def test_whoever_waits_can_be_told_to_stop() -> None:
    limiter = Limiter(Limits(concurrency=1))
    ledger = Ledger()
    ledger.halt()
    with limiter.turn(), pytest.raises(MootError, match="stopped"), limiter.turn(ledger.go_on):
        pass
    assert limiter.pace.running == 0


class Question(dspy.Signature):
    """Answer the question."""

    question: str = dspy.InputField()
    answer: str = dspy.OutputField()


class Crowded:
    """Refuses the first ``crowd`` requests once all are there; then counts who is at once."""

    def __init__(self, crowd: int) -> None:
        self._all_there = threading.Barrier(crowd)
        self._crowd = crowd
        self._lock = threading.Lock()
        self._now = self.peak = 0

    def __call__(self, request: LMRequest) -> Reply | str:
        if request.index < self._crowd:
            self._all_there.wait(60)
            return Reply(status=429, retry_after=0.05)
        with self._lock:
            self._now += 1
            self.peak = max(self.peak, self._now)
        try:
            return answer(request, {"answer": "yes"})
        finally:
            with self._lock:
                self._now -= 1


def ask(server: LMServer, ledger: Ledger, calls: int, **settings: Any) -> ServerBackend:
    """So many calls side by side, each by a backend object of its own."""
    values = {"name": "test", "door": "openai", "model": "test-model", "base_url": server.base_url}

    def one(number: int) -> str:
        lm = ServerBackend(**{**values, **settings}).lm("writer", ledger)
        lm.cache = False
        with dspy.context(lm=lm):
            return str(Ask(Question)(question=f"number {number}?").answer)

    with ThreadPoolExecutor(calls) as threads:
        assert list(threads.map(one, range(calls))) == ["yes"] * calls
    return ServerBackend(**{**values, **settings})


@pytest.mark.usefixtures("home")
def test_all_who_ask_a_server_share_one_limiter() -> None:
    ledger, crowded = Ledger(), Crowded(8)
    with LMServer(crowded) as server:
        backend = ask(server, ledger, 8, limits=Limits(concurrency=8))
    pace = backend.limiter().pace
    assert (pace.epoch, pace.running) == (1, 0)
    expected = 4.0
    for _ in range(8):
        expected += 1 / expected
    assert pace.window == pytest.approx(expected)
    assert crowded.peak <= math.floor(expected)
    usage = ledger.usage()
    assert (usage.calls, usage.failed_attempts) == (8, 8)


@pytest.mark.usefixtures("home")
def test_nobody_asks_before_the_time_the_server_named() -> None:
    with LMServer(lambda request: answer(request, {"answer": "yes"})) as server:
        server.script(Reply(status=429, retry_after=0.4))
        ask(server, Ledger(), 3, limits=Limits(concurrency=1))
        times = server.intervals
    assert len(times) == 4
    assert times[1][0] - times[0][0] >= 0.4
