"""p-Recall and bias against plain loops on tasks small enough to count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evals.pir import bias, measures
from evals.pir.measures import Bootstrap
from evals.pir.task import Task, checked
from signatures.errors import InputError

TASK = Task(
    name="small",
    documents=("d0", "d1", "d2", "d3", "d4", "d5"),
    queries=("a for", "a against", "b for", "b against", "c for"),
    roots=("a", "a", "b", "b", "c"),
    perspectives=("for", "against", "for", "against", "for"),
    labels=("support", "undermine", "support", "undermine", "support"),
    gold=((0,), (1, 2), (3,), (4,), (5,)),
)


def ranked(scores: Any) -> list[list[int]]:
    return [sorted(range(len(row)), key=lambda at: (-row[at], at)) for row in scores]


def test_positions_and_tops_equal_sorting_with_ties_by_index() -> None:
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 4, size=(5, 6)) / 3  # many ties
    order = ranked(scores)
    expected = [min(order[i].index(g) for g in TASK.gold[i]) for i in range(5)]
    assert measures.positions(scores, TASK.gold).tolist() == expected
    for k in (1, 3, 6, 9):
        assert measures.top(scores, k).tolist() == [row[:k] for row in order]


def test_p_recall_is_the_mean_over_roots_of_the_mean_over_queries() -> None:
    at = np.asarray([0, 5, 1, 1, 0])
    values = measures.per_root(TASK, at < 2)
    assert values.tolist() == [0.5, 1.0, 0.0]  # c has one query: nothing to compare
    found, _ = measures.p_recall(TASK, at, 2, "zero", Bootstrap())
    assert found.value == pytest.approx(50.0)
    assert measures.p_recall(TASK, at, 2, "skip", Bootstrap())[0].value == pytest.approx(75.0)
    assert found.ci is not None and found.ci[0] <= found.value <= found.ci[1]
    assert measures.every_perspective(TASK, at, 2) == 50.0
    assert measures.by_label(TASK, at, 2)["undermine"] == (50.0, 2)


def test_the_first_query_of_a_root_inherits_its_gold() -> None:
    assert TASK.gold_of("aliased") == ((0, 1, 2), (1, 2), (3, 4), (4,), (5,))
    assert TASK.root_gold == ((0, 1, 2), (3, 4), (5,))


def test_the_macro_average_is_the_mean_of_tasks() -> None:
    tasks = [np.asarray([1.0, 0.0]), np.asarray([1.0, 1.0, 1.0, 0.0])]
    found = measures.macro(tasks, Bootstrap())
    assert found.value == pytest.approx(100 * (0.5 + 0.75) / 2)
    assert measures.macro([np.asarray([1.0])], Bootstrap()).ci is None


def test_sides_are_counted_among_relevant_documents_alone() -> None:
    best = np.asarray([[0, 1, 3], [3, 5, 4], [5, 0, 1]])
    rows = {row.label: row for row in bias.stances("dense", TASK, best, 2)}
    # a brings 0 (support) and 1 (undermine); b brings 3 (support); c brings 5 (support).
    assert {label: row.n_hits for label, row in rows.items()} == {"support": 3, "undermine": 1}
    assert rows["support"].share == 75.0
    # By chance: a's two hits fall 1:2, b's one 1:1, c's one 1:0.
    assert rows["support"].expected == pytest.approx(100 * (2 / 3 + 1 / 2 + 1) / 4)
    assert sum(row.normalized or 0 for row in rows.values()) == pytest.approx(100)


def test_labels_of_documents_are_followed() -> None:
    labels = ("Peru", "Peru", "Chad", "Chad", None, None)
    task = TASK.model_copy(
        update={"document_labels": labels, "labels": ("location", "x", "location", "x", "x")}
    )
    roots = np.asarray([[0, 1], [2, 3], [4, 5]])
    queries = np.asarray([[1, 2], [0, 0], [2, 3], [0, 0], [0, 0]])
    found = np.asarray([2, 0, 1, 0, 0])
    rows = {r.label: r for r in bias.places("dense", task, roots, queries, found, 2)}
    assert (rows["Peru"].brought_by_roots, rows["Chad"].brought_by_roots) == (2, 2)
    assert (rows["Peru"].recall, rows["Chad"].recall) == (0.0, 100.0)
    assert (rows["Peru"].desired, rows["Chad"].desired) == (50.0, 100.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"documents": ()}, "the corpus is empty"),
        ({"queries": ()}, "no queries"),
        ({"gold": ((0,), (1,), (3,), (4,), (6,))}, "gold 6 of a corpus of 6"),
        ({"gold": ((0,), (1,), (-1,), (4,), (5,))}, "gold -1"),
        ({"gold": ((0,), (), (3,), (4,), (5,))}, "query 1 has no gold"),
        ({"labels": ("x",)}, "5 queries, but 1 labels"),
        ({"roots": ("a", "b", "c", "d", "e")}, "one perspective alone"),
        ({"queries": ("a", " ", "b", "c", "d")}, "query 1 is blank"),
    ],
)
def test_a_task_that_cannot_be_run_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        checked(TASK.model_copy(update=change), "a test")
