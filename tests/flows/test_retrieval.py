"""The retrieval flow, whole: files in, tables and plots out, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from flows.readable import readable
from flows.retrieval import retrieval
from signatures.errors import ConfigError, InputError
from signatures.schemas import rendered
from tests.support import DATA, composed

CORPUS = [
    "Museums should be free so that poor families can come.",
    "Entry fees keep families away from art.",
    "Ticket income pays for new exhibitions.",
    "Free entry would empty the purse of the state.",
    "Paper ballots let officials recount an election.",
    "Voting machines are quicker than paper.",
]


def task(about: str, gold: dict[str, list[int]]) -> dict[str, Any]:
    sides = [("supports", "support"), ("opposes", "undermine")]
    return {
        "corpus": CORPUS,
        "queries": [f"Find a claim that {verb} the argument: {about}" for verb, _ in sides],
        "source_queries": [about] * 2,
        "perspectives": [f"a claim that {verb} the argument" for verb, _ in sides],
        "query_labels": [label for _, label in sides],
        "key_ref": gold,
    }


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    museums = task("Museums should be free", {"0": [0, 1], "1": [2, 3]})
    other = task("We should vote on paper", {"0": [4], "1": [5]})
    both = {key: museums[key] + other[key] for key in museums if key not in ("corpus", "key_ref")}
    both |= {"corpus": CORPUS, "key_ref": {"0": [0, 1], "1": [2, 3], "2": [4], "3": [5]}}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps({"perspectrum": both, "votes": other}), encoding="utf-8")
    return path


def run(tasks: Path, *words: str) -> dict[str, Any]:
    small = ["bootstrap.resamples=200", "tracking=none"]
    plain = composed("retrieval", f"dataset.path={tasks}", *small, *words)
    return dict(retrieval(plain))


def test_a_benchmark_is_measured_and_drawn(tasks: Path, prefect_server: None) -> None:
    found = run(tasks, "operation=[none,pap_plus]", "gold=both")
    jsonschema.validate(found, json.loads(rendered("retrieval")))
    rows = {(r["operation"], r["gold"], r["task"], r["k"]): r for r in found["rows"]}
    assert len(rows) == 2 * 2 * 3  # the macro average is a task, too
    average = rows["none", "clean", "all", 5]["p_recall"]
    own = [rows["none", "clean", name, 5]["p_recall"] for name in ("perspectrum", "votes")]
    assert average == pytest.approx(sum(own) / 2)
    both = [rows["none", gold, "votes", 5]["p_recall"] for gold in ("clean", "aliased")]
    assert both[0] <= both[1]
    folder = Path(found["run"]["dir"])
    assert {path.name for path in folder.iterdir()} >= {*found["files"], "result.json"}
    assert {"tables.md", "p_recall_clean_at5.png", "roots_at5.png"} <= set(found["files"])
    text = readable("retrieval", found)
    assert "p-Recall@5, clean gold" in text and "| pap_plus" in text and "Avg." in text

    again = run(tasks, "operation=[none,pap_plus]", "gold=both")
    for document in (found, again):
        for name in ("run", "seconds"):
            del document[name]
    assert again == found


def test_words_alone_rank_without_vectors(tasks: Path, prefect_server: None) -> None:
    found = run(tasks, "retriever=bm25", "dataset.tasks=[perspectrum]", "operation=[none,root]")
    assert found["embedder"] is None
    assert len(found["rows"]) == 2 * 2
    assert found["retriever"] == "bm25"
    assert {row["task"] for row in found["rows"]} == {"perspectrum"}


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (["retriever=bm25", "operation=[none,pap]"], ConfigError, "no operation 'pap'"),
        (["retriever=hybrid", "retriever.mmr=0.5"], ConfigError, "retriever.mmr"),
        (["retriever=web"], ConfigError, "ranks no benchmark"),
        (["dataset.tasks=[agnews]"], InputError, "no task 'agnews'"),
        (["gold=golden"], ConfigError, "gold"),
        (["k=[0]"], ConfigError, "k"),
        (["operation=papp"], ConfigError, "operation"),
        (["retriever.operation=pap"], ConfigError, "here it is operation="),
    ],
)
def test_what_cannot_be_measured_is_refused(
    tasks: Path, prefect_server: None, words: list[str], error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        run(tasks, *words)
    assert said in str(caught.value)


def test_texts_to_write_about_are_no_benchmark(prefect_server: None) -> None:
    with pytest.raises(ConfigError, match="no retrieval benchmark"):
        retrieval(composed("retrieval", "dataset=propositions"))


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="../shared/data is absent")
def test_bm25_on_the_full_task_is_the_papers(prefect_server: None) -> None:
    where = f"dataset.path={DATA / 'perspectrum'}"
    plain = composed("retrieval", "dataset=perspectrum", where, "retriever=bm25", "tracking=none")
    found = {row["gold"]: row["p_recall"] for row in retrieval(plain)["rows"]}
    assert found["aliased"] == pytest.approx(39.2, abs=0.5)  # S3, Table 2: 39.1
    assert found["clean"] == pytest.approx(34.2, abs=0.5)
