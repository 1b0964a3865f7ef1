"""Curation: offline over the corpus, and over local search, site and model servers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evals.curation import TASKS
from evals.questions import Question, QuestionFile
from flows.cli import main
from flows.readable import readable
from signatures.curation_results import CurateResult
from signatures.errors import BudgetReached
from tests.servers.debaters import debaters
from tests.servers.lm import LMRequest, LMServer, Reply
from tests.servers.search import Known, SearchServer
from tests.servers.site import Site, article
from tests.support import composed

pytestmark = pytest.mark.usefixtures("prefect_server")

ASKED = [
    {"id": "m", "question": "Should all museums be free of charge?"},
    {"id": "twin", "question": "Should museums be free of charge?"},
    {"id": "zoo", "question": "Should zoos keep elephants?"},
]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, ASKED)), encoding="utf-8")
    return path


def run(home: Path, asked: Path, *overrides: str, folder: str | None = None) -> dict[str, Any]:
    from flows.curate import curate

    plain = composed(
        "curate", f"subject={asked}", f"paths.artifacts={home}", "tracking=none",
        "max_failed=0.5", *overrides,
    )  # fmt: skip
    return curate(plain, folder)


def sheet_of(text: str, decide: Any) -> str:
    """The sheet as an annotator gives it back."""
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    made = io.StringIO()
    table = csv.DictWriter(made, rows[0].keys())
    table.writeheader()
    table.writerows([{**row, **decide(row["key"])} for row in rows])
    return made.getvalue()


def test_offline_it_keeps_what_has_evidence_and_says_why_the_rest_is_left_out(
    corpus: Path, asked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(corpus, asked)
    Draft202012Validator(CurateResult.model_json_schema()).validate(found)
    assert {one["id"]: one["kind"] for one in found["left_out"]} == {
        "twin": "duplicate",
        "zoo": "documents",
    }
    assert found["figures"]["documents"] == {"5": 1}
    assert 0.4 < found["figures"]["cosine"] < 1
    folder = Path(found["run"]["dir"])
    (kept,) = QuestionFile(name="made", path=folder / "dataset.jsonl").items()
    assert isinstance(kept, Question)
    assert len(kept.partial_answers) >= 3
    documents = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
    assert [d["id"] for d in documents] == ["m", "zoo"]
    texts = " ".join(" ".join(d["text"].split()) for d in documents[0]["documents"]).lower()
    for answer in kept.partial_answers:  # grounded: nothing that the documents do not say
        assert answer.point_of_view.lower()[-40:] in texts  # its connective may be gone
    for name in ("cosines", "documents", "views", "topics"):
        assert (folder / "plots" / f"{name}.png").stat().st_size > 5000
    assert "1 of 3 questions kept" in readable("curate", found)

    # Three annotators; two reject the first partial answer, one rejects the second.
    blank = (folder / "sheets" / "annotator-1.csv").read_text(encoding="utf-8")
    for number in (1, 2, 3):
        no = {f"m#{n}" for n in (1, 2) if number <= 3 - n}
        text = sheet_of(blank, lambda key, no=no: dict.fromkeys(TASKS, "0" if key in no else "1"))
        (folder / "sheets" / f"annotator-{number}.csv").write_text(text, encoding="utf-8")
    sheets = sorted(map(str, (folder / "sheets").glob("*.csv")))
    assert main(["verify", str(folder), *sheets, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["removed"] == ["m#1"]
    assert all(-1 < one["kappa"] < 1 for one in said["agreement"])
    (left,) = QuestionFile(name="left", path=folder / "verified.jsonl").items()
    assert isinstance(left, Question)
    assert left.partial_answers == kept.partial_answers[1:]

    # The same again asks nothing. A run that goes on leaves sheets alone that were begun.
    (folder / "result.json").unlink()
    again = run(corpus, asked, folder=str(folder))
    assert again["usage"]["calls"] == 0
    assert again["usage"]["units_reused"] == 2
    assert "1" in (folder / "sheets" / "annotator-1.csv").read_text().splitlines()[-1]


@pytest.fixture
def web() -> Iterator[tuple[Site, SearchServer]]:
    """Four pages on museums, which can be found; one of them on a domain that is not trusted."""
    said = [
        "Museum entrance fees bring income that pays for conservation and staff.",
        "Museum entrance fees keep poor families among the visitors away.",
        "Free museums draw more visitors, and families come again and again.",
        "Museums should be free of charge for pupils, and others should pay.",
    ]
    pages = {f"/{n}": article(f"Museums {n}", text * 3) for n, text in enumerate(said)}
    with Site(pages) as site, SearchServer() as search:
        search.pages = [
            Known(f"{site.base_url}/{n}", f"Museums {n}", text) for n, text in enumerate(said)
        ]
        search.pages.append(Known("http://museums.example.com/", "museums", "free museums fees"))
        yield site, search


def test_over_the_web_with_a_model_a_stopped_run_goes_on_and_repeats_nothing(
    home: Path,
    tmp_path: Path,
    web: tuple[Site, SearchServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site, search = web
    asked = tmp_path / "asked.jsonl"
    rows = [
        {"id": "a", "question": "Should all museums be free of charge?"},
        {"id": "b", "question": "Do entrance fees keep poor families away?"},
    ]
    asked.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    folder = str(tmp_path / "run")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        given = [
            "backend=openai", f"backend.base_url={server.base_url}", "runner.concurrency=1",
            "retriever=web", "search=searxng", f"search.base_url={search.base_url}",
            "retriever.trust.allow=[127.0.0.1]", "retriever.fetch.allow_private=true",
            "retriever.fetch.delay_s=0", "curation.least_documents=3",
            "curation.explanation_words=40", "recall.min_similarity=0.2",
            "recall.sure_similarity=0.2",
        ]  # fmt: skip
        with pytest.raises(BudgetReached):
            run(home, asked, *given, "budget.calls=3", folder=folder)
        pages = len(site.asked)
        found = run(home, asked, *given, folder=folder)
        assert len(server.requests) == found["run"]["usage_total"]["calls"]
    assert found["kept"] == 1
    assert [(one["id"], one["kind"]) for one in found["left_out"]] == [("b", "views")]
    assert found["partial_answers"] == 3
    (row,) = [json.loads(line) for line in Path(found["dataset"]).read_text().splitlines()]
    sources = {source for answer in row["partial_answers"] for source in answer["sources"]}
    assert all(source.startswith(site.base_url) for source in sources)
    assert pages > 0


def test_a_model_that_fails_on_a_question_is_counted(
    corpus: Path, asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mute(request: LMRequest) -> str | Reply:
        return "nothing of use" if "point_of_view" in request.prompt else debaters(request)

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(mute, models=("gpt-4o-mini",)) as server:
        found = run(
            corpus, asked, "backend=openai", f"backend.base_url={server.base_url}", "max_failed=1"
        )
    assert found["kept"] == 0
    assert {one["id"]: one["kind"] for one in found["left_out"]}["m"] == "failed"
    assert found["figures"]["cosine"] is None
    assert found["incomplete"] is None
