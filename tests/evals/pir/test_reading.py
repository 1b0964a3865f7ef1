"""Tasks from files: the demo's format, Perspectrum's own, the hub's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.pir import demo, hub, perspectrum
from evals.pir.datasets import PirFile
from signatures.errors import InputError
from tests.support import DATA

HELD: dict[str, Any] = {
    "corpus": ["Fees keep families out.", "Fees pay for exhibitions.", "Fees pay for exhibitions."],
    "queries": ["Find a claim that supports the argument: Free museums"] * 2,
    "source_queries": ["Free museums"] * 2,
    "perspectives": ["a claim that supports the argument", "a claim that opposes the argument"],
    "query_labels": ["support", "undermine"],
    "key_ref": {"0": [0, 0], "1": 1},
}


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "tasks.json"
    path.write_text(json.dumps({"perspectrum": {**HELD, **changes}}), encoding="utf-8")
    return path


def test_a_file_in_the_demos_format_is_read(tmp_path: Path) -> None:
    (task,) = demo(written(tmp_path))
    assert task.gold == ((0,), (1,))  # an index alone is a list of one; repeats count once
    assert len(task.documents) == 3  # duplicates stay
    dataset = PirFile(name="pir", path=tmp_path / "tasks.json", tasks=None)
    assert [item.text for item in dataset.items()] == ["Free museums"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"corpus": []}, "the corpus is empty"),
        ({"key_ref": {"0": [0], "1": [3]}}, "gold 3 of a corpus of 3"),
        ({"key_ref": {"0": [0]}}, "the keys 0 to 1"),
        ({"key_ref": {"0": [0], "1": [True]}}, "whole numbers"),
        ({"corpus": ["a", 3, "b"]}, "a list of texts"),
        ({"source_queries": ["one", "other"]}, "one perspective alone"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        demo(written(tmp_path, **change))
    assert said in caught.value.line()


def test_a_task_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no task 'agnews'"):
        demo(written(tmp_path), ["agnews"])
    with pytest.raises(InputError, match="cannot be read"):
        demo(tmp_path / "absent.json")


def hub_folder(folder: Path, **lines: list[dict[str, Any]]) -> Path:
    meta = {"src_query": "Free museums", "perspective": "a claim that opposes the argument"}
    other = json.dumps({**meta, "perspective": "a claim that supports the argument"})
    rows: dict[str, list[dict[str, Any]]] = {
        "corpus": [{"_id": "c1", "text": "Fees pay."}, {"_id": "c2", "text": "Fees harm."}],
        "queries": [
            {"_id": "q1", "text": "supports", "meta": other},
            {"_id": "q2", "text": "opposes", "meta": meta},
            {"_id": "q3", "text": "not judged", "meta": meta},
        ],
        "qrels": [
            {"query-id": "q1", "corpus-id": "c2", "score": 1},
            {"query-id": "q1", "corpus-id": "c1", "score": 0},
            {"query-id": "q2", "corpus-id": "c1", "score": 1},
        ],
    }  # fmt: skip
    (folder / "qrels").mkdir()
    for name, own in {**rows, **lines}.items():
        path = folder / ("qrels/test.jsonl" if name == "qrels" else f"{name}.jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in own), encoding="utf-8")
    return folder


def test_the_published_layout_is_read(tmp_path: Path) -> None:
    task = hub(hub_folder(tmp_path), "perspectrum")
    assert task.labels == ("support", "undermine")
    assert task.gold == ((1,), (0,))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ({"corpus": [{"_id": "c1", "text": "a"}, {"_id": "c1", "text": "b"}]}, "repeats the id"),
        ({"qrels": [{"query-id": "q1", "corpus-id": "c9", "score": 1}]}, "unknown id"),
        ({"queries": [{"_id": "q1", "text": "a"}, {"_id": "q2", "text": "b"}]}, "src_query"),
    ],
)
def test_a_broken_layout_is_refused(tmp_path: Path, lines: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        hub(hub_folder(tmp_path, **lines), "perspectrum")
    assert said in caught.value.line()


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="../shared/data is absent")
def test_the_full_task_is_the_papers_and_begins_as_the_demo() -> None:
    task = perspectrum(DATA / "perspectrum", "test")
    assert (len(task.queries), len(task.documents), len(set(task.documents))) == (1431, 2773, 2574)
    (shown,) = demo(DATA / "pir" / "pir_demo_dev.json", ["perspectrum"])
    for name in ("queries", "roots", "perspectives", "labels", "gold"):
        assert getattr(task, name)[:100] == getattr(shown, name)
    assert task.documents[:500] == shown.documents
