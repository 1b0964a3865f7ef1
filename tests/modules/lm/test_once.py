"""Equal requests run one after the other; others do not wait."""

from __future__ import annotations

import threading

from modules.lm.once import once


def test_equal_requests_take_turns_and_others_pass() -> None:
    inside: list[str] = []
    entered, go = threading.Event(), threading.Event()

    def first() -> None:
        with once("seed", {"a": 1, "b": 2}):
            entered.set()
            go.wait(10)
            inside.append("first")

    def second() -> None:
        with once("seed", {"b": 2, "a": 1}):
            inside.append("second")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert entered.wait(10)
    threads[1].start()
    with once("seed", {"a": 1, "b": 3}):
        inside.append("other")
    go.set()
    for thread in threads:
        thread.join(10)
    assert inside == ["other", "first", "second"]


def test_a_failure_lets_the_next_one_in() -> None:
    for _ in range(2):
        try:
            with once("failing"):
                raise ValueError
        except ValueError:
            continue
    with once("failing"):
        pass
