"""Datasets are checked whole before anything is spent, and bad rows are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.datasets import PropositionFile, digest
from signatures.errors import InputError
from tests.support import DATA, ROOT

OWN = ROOT / "data" / "propositions" / "propositions.jsonl"
PERSPECTRUM = DATA / "perspectrum" / "idebate_64_propositions_sample.json"


def written(folder: Path, *rows: object, name: str = "rows.jsonl") -> PropositionFile:
    path = folder / name
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows))
    return PropositionFile(name="rows", path=path)


def test_our_own_propositions_are_two_on_each_topic_of_the_corpus() -> None:
    rows = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    topics = sorted(p.name for p in (ROOT / "data" / "corpus").iterdir() if p.is_dir())
    assert sorted(row["topic"] for row in rows) == sorted(topics * 2)
    assert {row["licence"] for row in rows} == {"CC0-1.0"}
    items = PropositionFile(name="own", path=OWN).items()
    assert [item.text for item in items] == [row["proposition"] for row in rows]


@pytest.mark.data
@pytest.mark.skipif(not PERSPECTRUM.exists(), reason=f"needs {PERSPECTRUM}")
def test_the_64_propositions_of_perspectrum_load() -> None:
    items = PropositionFile(name="p", path=PERSPECTRUM, id_field="cid").items()
    assert len(items) == 64
    assert items[0].text == "The use of child performers should be banned"


def test_a_limit_takes_the_first(tmp_path: Path) -> None:
    rows = written(tmp_path, {"proposition": "A  b"}, {"proposition": "C", "id": 7})
    assert [i.model_dump() for i in rows.items()] == [
        {"id": "1", "text": "A b", "topic": ""},
        {"id": "7", "text": "C", "topic": ""},
    ]
    assert [i.id for i in rows.model_copy(update={"limit": 1}).items()] == ["1"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"proposition": ', "row 2: not a JSON object"),
        ("[1]", "row 2: not a JSON object"),
        ({"text": "x"}, "row 2: no text in 'proposition'"),
        ({"proposition": ["x"]}, "row 2: no text in 'proposition'"),
        ({"proposition": " \u200b "}, "row 2: 'proposition' is empty"),
        ({"proposition": "x", "id": None}, "row 2: 'id' is neither text nor a number"),
        ({"proposition": "x", "id": "1"}, "row 2: the id '1' is there twice"),
        ({"proposition": "FIRST", "id": "9"}, "row 2: the same text as '1'"),
    ],
)
def test_a_bad_row_is_named_and_refuses_the_whole(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        written(tmp_path, {"proposition": "First", "id": "1"}, row).items()
    assert said in caught.value.line()
    assert "1 of 2 rows" in caught.value.line()


def test_many_bad_rows_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"9 of 9 rows.*and 4 more"):
        written(tmp_path, *[{}] * 9).items()


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_an_empty_file_and_a_missing_one_are_refused(tmp_path: Path, name: str) -> None:
    empty = written(tmp_path, "[]" if name.endswith("json") else "", name=name)
    with pytest.raises(InputError, match="is empty"):
        empty.items()
    with pytest.raises(InputError, match="cannot be read"):
        PropositionFile(name="x", path=tmp_path / "nowhere.jsonl").items()


def test_a_digest_depends_on_the_items_alone(tmp_path: Path) -> None:
    one = written(tmp_path, {"proposition": "A", "id": 1, "more": 1}).items()
    two = written(tmp_path, [{"proposition": " A ", "id": "1"}], name="rows.json").items()
    assert digest(one) == digest(two)
    assert digest(one) != digest(written(tmp_path, {"proposition": "B", "id": 1}).items())
