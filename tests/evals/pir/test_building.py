"""Tasks from the public sources' rows: each root has perspectives with gold of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evals.pir import demo
from evals.pir.building import BUILDERS, added, save
from signatures.errors import InputError
from tests.support import ROOT


def news(text: str, location: str, subtopic: str) -> dict[str, str]:
    return {"text": text, "location": location, "subtopic": subtopic, "style": "report"}


ROWS: dict[str, list[dict[str, Any]]] = {
    "agnews": [
        news("Floods in Peru.", "Peru", "disasters"),
        news("A vote in Peru.", "Peru", "elections"),
        news("Floods in Chad.", "Chad", "disasters"),
        news("A lone report.", "Oman", "trade"),
    ],
    "story": [
        {"source": "Rain fills the lake.", "target": "Pay fills the purse.", "analogy": 3,
         "entity": 0, "entity_story": "Rain falls on the lake."},
        {"source": "No such story.", "target": "None.", "analogy": 3, "entity": 0},
    ],
    "ambigqa": [
        {"question": "Who sang it?", "readings": [
            {"question": "Which group sang it?", "evidence": "The group did."},
            {"question": "Who sang it first?", "evidence": "Ann did."}]},
        {"question": "Who won?", "readings": [{"question": "Who won in 1990?", "evidence": "Bo."}]},
    ],
    "allsides": [
        {"topic": "taxes", "bias": bias, "text": f"{bias} {n}"}
        for bias in ("left", 1, "right") for n in range(3)
    ] + [{"topic": "seas", "bias": "left", "text": "alone"}],
    "exfever": [
        {"explanation": "E.", "claim": "It is so.", "label": "SUPPORTS"},
        {"explanation": "E.", "claim": "It is not so.", "label": "REFUTES"},
        {"explanation": "F.", "claim": "Alone.", "label": "SUPPORTS"},
    ],
}  # fmt: skip

EXPECTED = {"agnews": 2, "story": 2, "ambigqa": 2, "allsides": 6, "exfever": 2}


@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_a_built_task_can_be_read_again(name: str, tmp_path: Path) -> None:
    task = BUILDERS[name](ROWS[name])
    assert len(task.queries) == EXPECTED[name]
    assert not task.single_roots
    assert len(set(task.gold)) == len(task.queries)  # mutually exclusive gold
    save([task], tmp_path / "task.json")
    assert demo(tmp_path / "task.json") == [task]


def test_what_tasks_say() -> None:
    task = BUILDERS["agnews"](ROWS["agnews"])
    told = dict(zip(task.labels, (task.documents[own[0]] for own in task.gold), strict=True))
    assert told == {"subtopic": "A vote in Peru.", "location": "Floods in Chad."}
    assert task.document_labels == ("Peru", "Peru", "Chad", "Oman")
    assert BUILDERS["ambigqa"](ROWS["ambigqa"]).by_difference
    assert added("Who sang it?", "Who sang it first?") == "first"


def test_rows_that_give_no_task_are_refused() -> None:
    with pytest.raises(InputError, match="no exfever task"):
        BUILDERS["exfever"](ROWS["exfever"][2:])


def test_the_command_builds_a_file(tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.json"
    rows.write_text("\n".join(json.dumps(row) for row in ROWS["story"]), encoding="utf-8")
    words = [sys.executable, "-m", "evals.pir", "story", str(rows), str(out)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "2 queries, 2 documents\n")
    assert [task.name for task in demo(out)] == ["story"]
