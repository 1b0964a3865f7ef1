"""Questions with partial answers: our own hold what they promise, others' files are checked."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evals.datasets import digest
from evals.published import Published
from evals.questions import Question, QuestionFile
from signatures.errors import InputError
from tests.servers.site import Site
from tests.support import DATA, ROOT

OWN = ROOT / "data" / "questions" / "questions.jsonl"
BERDS = DATA / "berds" / "questions_dev.jsonl"
ROW = {
    "id": 1,
    "question": "Should A be?",
    "partial_answers": [{"point_of_view": "Yes.", "explanation": "For."}],
}


def questions(path: Path, **options: Any) -> list[Question]:
    found = QuestionFile(name="q", path=path, **options).items()
    assert all(isinstance(q, Question) for q in found)
    return found  # type: ignore[return-value]  # just asserted


def written(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_our_own_hold_what_the_readme_says() -> None:
    found = questions(OWN)
    topics = {p.name for p in (ROOT / "data" / "corpus").iterdir() if p.is_dir()}
    debatable = [q for q in found if q.debatable]
    factual = [q for q in found if q.debatable is False]
    assert (len(debatable), len(factual)) == (27, 12)
    assert Counter(q.topic for q in debatable if q.topic in topics) == dict.fromkeys(topics, 2)
    assert all(2 <= len(q.partial_answers) <= 4 for q in debatable)
    assert all(len(q.partial_answers) == 1 for q in factual)
    for question in found:
        for answer in question.partial_answers:
            assert 40 <= len(answer.explanation.split()) <= 80, question.id
    rows = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    assert {row["licence"] for row in rows} == {"CC0-1.0"}
    assert [q.id for q in questions(OWN, only="factual")] == [q.id for q in factual]


@pytest.mark.data
@pytest.mark.skipif(not BERDS.exists(), reason=f"needs {BERDS}")
def test_berds_has_a_sentence_for_each_perspective() -> None:
    found = questions(
        BERDS, id_field=("dataset", "org_id"), partial_field="perspectives", topic_field="dataset"
    )
    assert len(found) == 508
    assert {q.topic for q in found} == {"kialo", "arguana_generated"}
    assert all(len(q.partial_answers) >= 2 for q in found)
    assert found[0].partial_answers[0].point_of_view == found[0].partial_answers[0].explanation


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([1], "row 2: not a JSON object"),
        ({**ROW, "question": None}, "row 2: no text in 'question'"),
        ({**ROW, "question": " "}, "row 2: 'question' is empty"),
        ({**ROW, "id": 2, "question": "should a be?"}, "row 2: the same text as '1'"),
        ({**ROW, "question": "Else?"}, "row 2: the id '1' is there twice"),
        ({**ROW, "id": None}, "row 2: id is neither text nor a number"),
        ({**ROW, "debatable": "yes"}, "row 2: 'debatable' is neither true nor false"),
        ({**ROW, "partial_answers": {}}, "row 2: 'partial_answers' is no list"),
        ({**ROW, "partial_answers": [1]}, "has at 1 neither a text nor an object"),
        ({**ROW, "partial_answers": [{"point_of_view": "x"}]}, "has at 1 no point_of_view or no"),
        ({**ROW, "partial_answers": ["a", "a"]}, "has at 2 a point of view that is there already"),
    ],
)
def test_a_bad_row_is_named_and_refuses_the_whole(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        questions(written(tmp_path, ROW, row))
    assert said in caught.value.line()
    assert "1 of 2 rows" in caught.value.line()


def test_a_digest_depends_on_the_partial_answers(tmp_path: Path) -> None:
    one = questions(written(tmp_path, ROW))
    assert digest(list(one)) == digest(list(questions(written(tmp_path, {**ROW, "topic": "t"}))))
    other = questions(written(tmp_path, {**ROW, "partial_answers": ["Yes."]}))
    assert digest(list(one)) != digest(list(other))


def test_a_published_file_is_fetched_once_and_checked_each_time(tmp_path: Path) -> None:
    content = json.dumps(ROW).encode()
    with Site({"/o/n/main/dataset/test.jsonl": content}) as site:
        spec = Published(
            repo="o/n", revision="main", file="dataset/test.jsonl", cache=tmp_path,
            url=site.base_url + "/{repo}/{revision}/{file}",
        )  # fmt: skip
        for _ in range(2):
            found = QuestionFile(name="d", published=spec, debatable=True).items()
            assert [q.id for q in found] == ["1"]
        assert len(site.asked) == 1
        wrong = spec.model_copy(update={"sha256": "0" * 64})
        with pytest.raises(InputError, match=hashlib.sha256(content).hexdigest()):
            wrong.path()
        spec.file_path().write_bytes(content + b"\n")
        with pytest.raises(InputError, match="is not the file that is wanted"):
            spec.path()


def test_without_a_network_it_says_what_to_do(tmp_path: Path) -> None:
    spec = Published(
        repo="o/n", revision="main", file="t.jsonl", cache=tmp_path,
        url="http://127.0.0.1:9/{repo}/{revision}/{file}",
    )  # fmt: skip
    with pytest.raises(InputError, match=r"cannot be fetched.*dataset\.path=FILE"):
        QuestionFile(name="d", published=spec).items()
