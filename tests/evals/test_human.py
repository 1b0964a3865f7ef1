"""Blind sheets and what the ranks in them say, against values worked out by hand."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from evals.human import ASPECTS, Key, gather, positions, ranking, sheets
from evals.rows import Loaded
from signatures.errors import InputError

SYSTEMS = ("e2e", "plan", "ours")


def _loaded(n: int = 4) -> list[Loaded]:
    return [
        Loaded(f"{i}", {"proposition": f"P{i}", "method": s, "essay": f"=text {i} by {s}"})
        for i in range(n)
        for s in SYSTEMS
    ]


def _filled(text: str, key: Key, judge: str, rank: Any, delimiter: str = ",") -> str:
    """The sheet with ``rank(system, item, aspect)`` in every cell."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    for row in rows:
        system = key.sheets[judge][row["item"]][row["label"]]
        row.update({aspect: rank(system, row["item"], aspect) for aspect in key.aspects})
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return "\ufeff" + out.getvalue()


def test_sheets_are_blind_shuffled_and_reproducible() -> None:
    made, key = sheets(gather(_loaded(12)), judges=3, items=8, seed=5)
    assert (made, key) == sheets(gather(_loaded(12)), judges=3, items=8, seed=5)
    assert sorted(made) == ["judge-1", "judge-2", "judge-3"]
    assert len(set(made.values())) == 3
    for judge, text in made.items():
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert list(rows[0]) == ["item", "label", "proposition", "text", *ASPECTS]
        assert len(rows) == 8 * 3
        for row in rows:
            system = key.sheets[judge][row["item"]][row["label"]]
            number = row["proposition"].removeprefix("P")
            # No spreadsheet takes the text for a formula.
            assert row["text"] == f"'=text {number} by {system}"
    orders = {tuple(key.sheets["judge-1"][item].values()) for item in key.items}
    assert len(orders) > 1


RANKS = {"ours": 1, "plan": 1, "e2e": 3}


def test_ties_and_both_rules() -> None:
    # In "overall": ours and plan tie for the first place, e2e comes third.
    made, key = sheets(gather(_loaded()), judges=2)
    filled = {
        judge: _filled(
            text, key, judge, lambda s, i, aspect: RANKS[s] if aspect == "overall" else
            SYSTEMS.index(s) + 1, ";" if judge == "judge-2" else ",",
        )
        for judge, text in made.items()
    }  # fmt: skip
    found = {(s.aspect, s.system): s for s in ranking(filled, key).standings}
    scores = {name: found["overall", name].score for name in SYSTEMS}
    assert scores == {"ours": 3, "plan": 3, "e2e": 1}
    assert {name: found["overall", name].first for name in SYSTEMS} == {
        "ours": 1, "plan": 1, "e2e": 0,
    }  # fmt: skip
    assert {n: found["persuasiveness", n].score for n in SYSTEMS} == {
        "e2e": 3,
        "plan": 2,
        "ours": 1,
    }
    assert all(s.n == 8 for s in found.values())
    text = ranking(filled, key, rule="text")
    assert text.rule == "n - rank"
    lower = {s.system: s.score for s in text.standings if s.aspect == "overall"}
    assert lower == {"ours": 2, "plan": 2, "e2e": 0}


def test_a_position_counts_those_ranked_better() -> None:
    assert positions({"a": 1, "b": 1, "c": 2}) == {"a": 1, "b": 1, "c": 3}
    assert positions({"a": 2, "b": 1.5, "c": 7}) == {"a": 2, "b": 1, "c": 3}


@pytest.mark.parametrize("bad", ["", "first", "0", "-1", "nan", "99"])
def test_an_item_not_fully_ranked_is_left_out_and_named(bad: str) -> None:
    made, key = sheets(gather(_loaded()), judges=1)
    text = _filled(
        made["judge-1"], key, "judge-1",
        lambda s, i, a: bad if (s, i, a) == ("ours", "2", "overall") else "1",
    )  # fmt: skip
    found = ranking({"judge-1": text}, key)
    assert {s.n for s in found.standings if s.aspect == "overall"} == {3}
    assert {s.n for s in found.standings if s.aspect == "persuasiveness"} == {4}
    (line,) = found.unused
    assert line.startswith("judge-1, item 2, overall: no rank for ")


def test_sheets_that_do_not_belong_to_the_key_are_refused() -> None:
    made, key = sheets(gather(_loaded()), judges=1)
    with pytest.raises(InputError, match="knows no judge-9"):
        ranking({"judge-9": made["judge-1"]}, key)
    with pytest.raises(InputError, match="lacks columns; got item, label"):
        ranking({"judge-1": "persuasiveness,overall\n1,2\n"}, key)
    with pytest.raises(InputError, match="no item is ranked"):
        ranking(made, key)


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to rank"):
        gather([Loaded("1", {"input": "P", "method": "e2e", "essay": "E"})])
    with pytest.raises(InputError, match="whose text"):
        gather([Loaded("1", {"input": "P", "essay": "E"})])
    with pytest.raises(InputError, match="cannot be used; got torn"):
        gather([Loaded("line 1", None, "torn")])
