"""The answer flow on the starter corpus, and over the wire with every method and retrieval."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.answer_config import AnswerConfig
from flows.config import EssayConfig, typed
from flows.readable import readable
from modules.citations import markers
from signatures.errors import BudgetReached, ConfigError, EvidenceError
from signatures.results import AnswerResult
from tests.servers.debaters import debaters
from tests.servers.lm import LMRequest, LMServer, Reply
from tests.support import ROOT, composed

pytestmark = pytest.mark.usefixtures("prefect_server")

MUSEUMS = "Should all museums be free of charge?"


def run(
    corpus: Path, *overrides: str, subject: str = MUSEUMS, folder: str | None = None
) -> dict[str, Any]:
    from flows.answer import answer

    plain = composed(
        "answer", "subject=x", f"paths.artifacts={corpus}", "tracking=none", *overrides
    )
    return answer({**plain, "subject": subject}, folder)


@pytest.fixture(scope="module")
def first(corpus: Path) -> dict[str, Any]:
    return run(corpus, "tracking=mlflow")


def test_the_answer_has_both_sides_and_every_marker_resolves(first: dict[str, Any]) -> None:
    Draft202012Validator(AnswerResult.model_json_schema()).validate(first)
    assert first["disputed"] is True
    assert first["dispute_acknowledged"] is True
    assert {p["stance"] for p in first["personas"]} >= {"for", "against"}
    assert len(first["perspectives"]) >= 3
    numbers = markers(first["answer"])
    assert numbers == list(range(1, len(numbers) + 1))
    assert set(numbers) == {c["marker"] for c in first["citations"]}
    known = {c["marker"]: c["chunk_id"] for c in first["citations"]}
    for view in first["perspectives"]:
        assert set(markers(view["explanation"])) == {c["marker"] for c in view["citations"]}
        for citation in view["citations"]:  # one number for one passage in the whole document
            assert (
                known.setdefault(citation["marker"], citation["chunk_id"]) == citation["chunk_id"]
            )
    assert {c["chunk_id"] for c in first["citations"]} <= {p["id"] for p in first["passages"]}


def test_its_files_say_the_same_and_text_is_readable(first: dict[str, Any]) -> None:
    folder = Path(first["run"]["dir"])
    assert json.loads((folder / "result.json").read_text()) == first
    written = (folder / "answer.md").read_text()
    assert "## Points of view" in written
    assert "## References" in written
    shown = readable("answer", first)
    assert "disputed: yes" in shown
    assert "extractive baseline" in shown


def test_the_same_again_asks_nothing(corpus: Path, first: dict[str, Any]) -> None:
    again = run(corpus)
    assert again["usage"]["calls"] == 0
    assert again["usage"]["units_reused"] > 5
    volatile = {"run", "usage", "seconds"}
    assert {k: v for k, v in again.items() if k not in volatile} == {
        k: v for k, v in first.items() if k not in volatile
    }


def test_a_question_that_can_be_looked_up_gets_no_dispute(corpus: Path) -> None:
    found = run(corpus, subject="When did national museums in the United Kingdom become free?")
    assert found["disputed"] is False
    assert found["dispute_acknowledged"] is False
    assert found["perspectives"] == []
    assert found["personas"] == []
    assert "disagree" not in found["answer"]


@pytest.mark.parametrize(
    ("overrides", "subject"),
    [
        ([], "Should bagpipes be taught at every school?"),
        (["trusted=true"], MUSEUMS),  # the starter corpus has no domains at all
        (["method.retrieval=none"], MUSEUMS),  # the baseline has nothing to say of its own
    ],
)
def test_without_evidence_it_refuses(corpus: Path, overrides: list[str], subject: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        run(corpus, *overrides, subject=subject)
    assert caught.value.exit_code == 2


def test_trusted_answers_cite_trusted_domains_alone(corpus: Path, tmp_path: Path) -> None:
    from modules.retrieval import EvidenceStore, MiniLM, ingest
    from modules.retrieval.partition import load, partition
    from modules.retrieval.sources import discover
    from modules.retrieval.types import Candidate

    found = discover([ROOT / "data" / "corpus" / "free-museums"])
    texts = [partition(it, load(it)) for it in found if isinstance(it, Candidate)]
    with (tmp_path / "pages.jsonl").open("w", encoding="utf-8") as out:
        for number, page in enumerate(texts):
            host = "culture.gov" if number % 2 else "tickets.com"
            body = "\n\n".join(block.text for block in page.blocks)
            url = f"https://www.{host}/{number}"
            out.write(json.dumps({"id": str(number), "text": body, "url": url}) + "\n")
    index = tmp_path / "index"
    ingest([tmp_path / "pages.jsonl"], EvidenceStore(index, MiniLM()))
    cited = {}
    for trusted in ("true", "null"):
        result = run(corpus, f"paths.index={index}", f"trusted={trusted}", "seed=51")
        cited[trusted] = {int(c["source"].rsplit("#", 1)[-1]) % 2 for c in result["citations"]}
    assert cited == {"true": {1}, "null": {0, 1}}


def test_methods_of_the_other_flow_are_refused_in_one_line() -> None:
    with pytest.raises(ConfigError, match="'e2e' does not answer questions; choose basic"):
        typed(AnswerConfig, composed("answer", "subject=x", "method=e2e"))
    with pytest.raises(ConfigError, match="'basic' writes no essays"):
        typed(EssayConfig, composed("essay", "subject=x", "method=basic"))


@pytest.mark.parametrize(
    ("name", "retrieval"),
    [
        *itertools.product(["basic", "perspectives"], ["none", "vanilla", "react"]),
        ("comprehensive", "vanilla"),
        ("detailed", "vanilla"),
    ],
)
def test_every_method_answers_over_the_wire(
    corpus: Path, name: str, retrieval: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        found = run(
            corpus, "backend=openai", f"backend.base_url={server.base_url}", f"method={name}",
            f"method.retrieval={retrieval}", "method.tokens=20", "backend.temperature=0",
            "backend.top_p=0.5",
        )  # fmt: skip
        asked = server.requests
    assert "People disagree" in found["answer"]
    assert "[999]" not in found["answer"]
    assert bool(found["passages"]) is (retrieval != "none")
    assert bool(found["perspectives"]) is (name == "perspectives")
    assert [c["marker"] for c in found["citations"]] == ([1] if retrieval != "none" else [])
    if retrieval == "react":
        assert len(found["passages"]) == 2  # what the agent chose, in its order
    if (name, retrieval) == ("basic", "vanilla"):  # S4's basic prompt gives no hint of a dispute
        assert not any("disput" in r.system or "disagree" in r.system for r in asked)
    assert all((r.body["temperature"], r.body["top_p"]) == (0, 0.5) for r in asked)


def test_a_budget_ends_it_and_the_run_is_taken_up_again(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    folder = str(tmp_path / "run")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        given = ["backend=openai", f"backend.base_url={server.base_url}", "seed=7"]
        with pytest.raises(BudgetReached):
            run(corpus, *given, "budget.calls=2", folder=folder)
        before = len(server.requests)
        found = run(corpus, *given, folder=folder)
        assert before == 2
        assert found["usage"]["calls"] == len(server.requests) - before
        assert found["run"]["usage_total"]["calls"] == len(server.requests)


def test_a_model_that_never_cites_ends_as_an_unusable_reply(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from signatures.errors import ReplyError

    def silent(request: LMRequest) -> str | Reply:
        return debaters(request).replace("[1]", "")

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(silent, models=("gpt-4o-mini",)) as server:
        given = ["backend=openai", f"backend.base_url={server.base_url}"]
        with pytest.raises(ReplyError, match="cites none of its passages"):
            run(corpus, *given)
        plain = run(corpus, *given, "method=basic")
    assert "the answer cites none of its passages" in plain["notes"]
