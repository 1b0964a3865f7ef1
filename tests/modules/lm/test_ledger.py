"""What was spent is known, attributed, and survives a kill."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.lm.ledger import Budget, Ledger
from modules.lm.meter import Price
from signatures.errors import BudgetReached, MootError, StorageError
from signatures.types import Usage

counts = st.integers(0, 10**6)


def spend(ledger: Ledger, **usage: float | None) -> None:
    ledger.record("call", role="writer", model="m", usage=Usage(**usage))  # type: ignore[arg-type]


def test_units_and_invocations_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    first = Ledger(path)
    with first.unit("debate"):
        spend(first, input_tokens=10, output_tokens=1, usd=0.5)
    second = Ledger(path)
    with second.unit("debate"):
        spend(second, input_tokens=20, output_tokens=2, usd=0.25)
    second.record("cached", role="writer", model="m")
    assert second.usage(unit="debate").input_tokens == 30
    assert second.usage(unit="debate").usd == 0.75
    assert second.usage(invocation=second.invocation).calls == 1
    assert second.usage(invocation=second.invocation).cached_calls == 1


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    spend(Ledger(path), input_tokens=10)
    with path.open("a") as file:
        file.write('{"kind": "call", "un')
    assert Ledger(path).usage().input_tokens == 10


def test_a_line_after_a_torn_one_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text('{"kind": "call", "un')
    spend(Ledger(path), input_tokens=10)
    assert Ledger(path).usage().input_tokens == 10


def test_the_budget_counts_earlier_invocations(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    spend(Ledger(path), input_tokens=100)
    with pytest.raises(BudgetReached, match=r"budget\.tokens"):
        Ledger(path, Budget(tokens=100)).check()
    Ledger(path, Budget(tokens=101)).check()


def test_an_unpriced_call_makes_the_sum_unknown() -> None:
    ledger = Ledger()
    spend(ledger, usd=1.0)
    spend(ledger, usd=None)
    assert ledger.usage().usd is None


@given(counts, counts, counts)
def test_price_is_linear(fresh: int, cached: int, out: int) -> None:
    usage = Usage(input_tokens=fresh + cached, cached_input_tokens=cached, output_tokens=out)
    cost = Price(input=2.0, cached_input=1.0, output=3.0).cost(usage)
    assert cost == pytest.approx((2 * fresh + cached + 3 * out) / 1e6)


def test_known_dollars_count_beside_unknown_ones() -> None:
    ledger = Ledger(budget=Budget(usd=1.0))
    spend(ledger, usd=None)
    spend(ledger, usd=2.0)
    with pytest.raises(BudgetReached):
        ledger.check()


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    ledger = Ledger(tmp_path / "ledger.jsonl")
    (tmp_path / "ledger.jsonl").symlink_to(full)  # only now: reading it would never end
    with pytest.raises(StorageError, match="No space left"):
        spend(ledger)


def test_nothing_is_below_zero_without_a_budget() -> None:
    Ledger().check()


def test_calls_side_by_side_do_not_pass_the_cap_together() -> None:
    ledger = Ledger(budget=Budget(calls=2))
    ledger.check()
    ledger.check()
    with pytest.raises(BudgetReached):
        ledger.check()
    ledger.give_up()
    ledger.check()
    spend(ledger)
    spend(ledger)
    assert ledger.usage().calls == 2
    with pytest.raises(BudgetReached):
        ledger.check()


def test_a_halted_ledger_lets_no_call_begin() -> None:
    ledger = Ledger()
    ledger.halt()
    with pytest.raises(MootError, match="being stopped"):
        ledger.check()
