"""Rows from files: JSON Lines, results, and what is no row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals import rows
from evals.rows import load
from signatures.errors import InputError


def test_lines_are_rows_and_bad_ones_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    good = {"id": 7, "text": "one\u2028line"}
    lines = [json.dumps(good, ensure_ascii=False), "", "{torn", "[1]", '{"outputs": []}']
    path.write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    found = load(path)
    assert [(one.id, one.row) for one in found] == [
        ("7", good), ("line 3", None), ("line 4", None), ("line 5", {"outputs": []}),
    ]  # fmt: skip
    assert found[1].problem.startswith("not valid JSON")
    assert found[2].problem == "no JSON object, but a list"


def test_a_result_knows_its_run_and_its_writer(tmp_path: Path) -> None:
    document = {"proposition": "P", "run": {"id": "r1", "models": {"writer": "openai/m@host"}}}
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    for path in (tmp_path, tmp_path / "result.json"):
        (one,) = load(path)
        assert one.id == "r1"
        assert one.row is not None and one.row["writer"] == "openai/m@host"
    (tmp_path / "outputs.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    assert [one.id for one in load(tmp_path)] == ["a"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b"", b"\n \n"])
def test_files_that_hold_no_rows_are_refused(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"rows\.jsonl"):
        load(path)


@pytest.mark.parametrize(
    ("read", "row", "value"),
    [
        (rows.subject, {"question": "Q", "input": "I"}, "Q"),
        (rows.text, {"answer": "A"}, "A"),
        (rows.texts, {"essay": "E"}, ["E"]),
        (rows.texts, {"outputs": ["one"]}, ["one"]),
        (rows.goal, {}, "refute"),
        (rows.goal, {"goal": "support"}, "support"),
        (rows.reference, {}, None),
        (rows.reference, {"reference": "R"}, "R"),
    ],
)
def test_a_field_is_found_by_any_of_its_names(read: Any, row: Any, value: Any) -> None:
    assert read(row) == value


@pytest.mark.parametrize(
    ("read", "row", "said"),
    [
        (rows.subject, {"input": ["P"]}, "input is not a text"),
        (rows.text, {"generation": ""}, "generation is blank"),
        (rows.text, {}, "no generation"),
        (rows.texts, {"outputs": []}, "too few outputs"),
        (rows.goal, {"stance": ["x"]}, "stance is unknown"),
        (rows.reference, {"partial_answers": [3]}, "partial_answers cannot be read"),
    ],
)
def test_what_cannot_be_used_is_said(read: Any, row: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(row)
