"""Duplicates, documents and decisions, each against what is plain to see."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from evals.agreement import fleiss_kappa
from evals.curation import TASKS, sheet, topics, verified
from modules.curation import without_duplicates
from modules.curation.documents import best_documents, cleaned, measured, within
from signatures.curation_results import CuratedQuestion
from signatures.errors import InputError
from signatures.types import Passage

ROWS = [
    {
        "id": "q",
        "question": "=SUM(A1)?",
        "partial_answers": [
            {"point_of_view": f"View {n}.", "explanation": "Because.", "sources": ["s"]}
            for n in (1, 2)
        ],
    }
]


class Angles:
    """Texts are angles in degrees: their cosine is that of the difference."""

    name = "angles"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        at = [math.radians(float(text.split()[-1])) for text in texts]
        return np.array([[math.cos(a), math.sin(a)] for a in at], dtype=np.float32)


def test_a_cover_takes_the_one_that_many_are_like() -> None:
    # 0 is like 10, 10 like both, 20 like 10; 90 stands alone; 90.5 is its twin.
    kept, gone = without_duplicates(["0", "10", "20", "90", "90.5"], Angles(), math.cos(0.2))
    assert kept == [0, 2, 3]
    assert [(one.place, one.of) for one in gone] == [(1, 0), (4, 3)]
    assert without_duplicates([], Angles(), 0.9) == ([], [])
    # A chain: the cover must not cost a question that is like nothing that is left.
    kept, gone = without_duplicates(["0", "10", "20", "30"], Angles(), math.cos(0.2))
    assert all(any(abs(10 * k - 10 * one.place) <= 10 for k in kept) for one in gone)
    assert all(abs(a - b) >= 2 for a in kept for b in kept if a != b)


def test_documents_are_ranked_by_their_best_passage_and_a_scorer_decides() -> None:
    def passage(source: str, angle: int) -> Passage:
        return Passage(id=f"{source}{angle}", text=str(angle), source=source, title="")

    found = [passage("a", 80), passage("a", 5), passage("b", 20), passage("c", 40)]
    groups = best_documents("0", [*found, found[0]], Angles(), most=2)
    assert [[p.id for p in group] for group in groups] == [["a80", "a5"], ["b20"]]

    class Last:
        name = "last"

        def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
            return np.arange(len(texts), dtype=np.float64)

    assert best_documents("0", found, Angles(), most=1, scorer=Last()) == [[found[3]]]


def test_cleaning_and_the_budget() -> None:
    page = "Menu\nFees pay staff <b>well</b>.\nAccept all cookies\nFees pay staff well.\n12\nhttps://x.org/a"
    assert cleaned(page) == "Fees pay staff well."
    long, short = "One two three. Four five six. Seven eight nine.", "Ten eleven."
    assert within([long, short], 1000) == [long, short]
    assert within([long, short], 11) == ["One two three. Four five six.", short]
    group = [[Passage(id="1", text="10 20 30", source="s", title="t")]]
    (document,) = measured("0", group, Angles(), tokens=1000, words=1)
    assert document.cosines == pytest.approx(
        [math.cos(math.radians(a)) for a in (10, 20, 30)], abs=1e-4
    )
    assert not document.cut


def filled(decide: Callable[[str, str], str]) -> str:
    rows = list(csv.DictReader(io.StringIO(sheet(ROWS))))
    made = io.StringIO()
    table = csv.DictWriter(made, rows[0].keys())
    table.writeheader()
    table.writerows([row | {task: decide(row["key"], task) for task in TASKS} for row in rows])
    return made.getvalue()


def test_two_of_three_in_one_task_remove_and_one_in_each_does_not() -> None:
    first, second = TASKS
    votes = {("a", "q#1", first): "0", ("b", "q#1", first): "0",
             ("a", "q#2", first): "0", ("b", "q#2", second): "0"}  # fmt: skip

    def decided(who: str) -> str:
        return filled(lambda key, task: votes.get((who, key, task), "1"))

    sheets = {who: decided(who) for who in "abc"}
    left, result = verified(ROWS, sheets, name="out")
    assert result.removed == ["q#1"]
    assert [a["point_of_view"] for a in left[0]["partial_answers"]] == ["View 2."]
    assert result.agreement[0].kappa == fleiss_kappa([[0, 0, 1], [0, 1, 1]])
    assert result.agreement[0].accepted == pytest.approx(0.5)


def test_nothing_decided_removes_nothing_and_is_told() -> None:
    left, result = verified(ROWS, {"a": sheet(ROWS)}, name="out")
    assert (left, result.removed, result.unrated) == (ROWS, [], ["q#1", "q#2"])
    assert [one.kappa for one in result.agreement] == [None, None]
    assert "'=SUM(A1)?" in sheet(ROWS)  # a spreadsheet must not compute it


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "lacks columns"),
        (sheet(ROWS).replace("q#2", "q#3"), "no such partial answer"),
        (sheet(ROWS).replace("s,,,", "s,maybe,,", 1), "is no decision"),
    ],
)
def test_a_sheet_that_cannot_be_read_is_refused_by_line(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        verified(ROWS, {"a": text}, name="out")


def test_topics_are_the_questions_own_or_groups_named_by_their_words() -> None:
    def question(text: str, topic: str = "") -> CuratedQuestion:
        return CuratedQuestion(
            id=text, question=text, topic=topic, queries=[], documents=[], partial_answers=[]
        )

    assert topics([question("a 1", "x"), question("b 2", "y")], Angles()) == ["x", "y"]
    found = topics(
        [question(t) for t in ("free museums 0", "free museums 2", "nuclear 90")], Angles()
    )
    assert found[0] == found[1] != found[2]
    assert "museums" in found[0]
