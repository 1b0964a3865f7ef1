"""Exact match and the two measures that go by the name of QA-F1."""

from __future__ import annotations

import pytest

from evals.contract import Tools
from evals.matching import ExactMatch, QaF1, QaJaccard
from signatures.errors import InputError


@pytest.mark.parametrize(
    ("said", "answers", "expected"),
    [
        ("the 21", ["21"], (100, 100, 100)),
        ("in Nebraska", ["Nebraska", "Ohio"], (0, 200 / 3, 50)),
        ("rose rose", ["rose"], (0, 200 / 3, 100)),  # F1 counts repeats, Jaccard does not
        ("nothing alike", ["gold"], (0, 0, 0)),
        ("", ["gold"], (0, 0, 0)),
    ],
)
def test_the_best_gold_answer_counts(
    said: str, answers: list[str], expected: tuple[float, float, float]
) -> None:
    row = {"id": "1", "generation": said, "answers": answers}
    found = [metric().score(row, Tools()).value for metric in (ExactMatch, QaF1, QaJaccard)]
    assert found == pytest.approx(expected)


def test_a_row_without_gold_answers_is_no_zero() -> None:
    with pytest.raises(InputError, match="no gold answers"):
        ExactMatch().score({"generation": "x", "answers": []}, Tools())
