"""The retrieval flow, whole: files in, tables and plots out, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from flows.arguments import several
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


def test_retrievers_are_compared_and_perspectives_found(tasks: Path, prefect_server: None) -> None:
    words = several("retrieval", ["retriever=[bm25, stance,dense]", "perspectives=found"])
    found = run(tasks, *words, "operation=[none,pap]", "gold=clean")
    jsonschema.validate(found, json.loads(rendered("retrieval")))
    systems = list(dict.fromkeys((r["retriever"], r["operation"]) for r in found["rows"]))
    assert systems == [("bm25", "none"), ("stance", "none"), ("dense", "none"), ("dense", "pap")]
    assert found["retriever"] == "bm25, stance, dense"
    assert [n for n in found["notes"] if "left out of its rows" in n] == [
        f"{name} has no pap: left out of its rows" for name in ("bm25", "stance")
    ]
    values = {(r["retriever"], r["operation"], r["task"]): r["p_recall"] for r in found["rows"]}
    for row in found["differences"]:
        system = (row["retriever"], row["operation"], row["task"])
        assert row["delta"] == pytest.approx(
            values[system] - values["bm25", "none", row["task"]], abs=1e-9
        )
    assert len(found["differences"]) == 3 * 3
    assert {row["retriever"] for row in found["recall_root"]} == {"bm25", "stance", "dense"}
    extracted = {row["task"]: row for row in found["extraction"]}
    assert {"perspectrum", "votes"} == extracted.keys()
    assert all(row["qa_f1"] == row["qa_jaccard"] == 100 for row in extracted.values())
    assert found["usage"]["calls"] + found["usage"]["cached_calls"] >= 4
    assert {"differences.png", "extraction.png"} <= set(found["files"])
    text = readable("retrieval", found)
    assert "above that of bm25;" in text and "| Jaccard as printed |" in text


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
