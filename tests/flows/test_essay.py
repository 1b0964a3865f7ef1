"""The essay flow on the starter corpus, with real Prefect, LanceDB and MLflow."""

from __future__ import annotations

import gc
import itertools
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest
from jsonschema import Draft202012Validator

from flows.run import Run, every
from flows.tracking import settle
from signatures.errors import BudgetReached, EvidenceError, InputError
from signatures.results import EssayResult
from tests.servers.debaters import debaters
from tests.servers.lm import LMRequest, LMServer, Reply
from tests.support import composed

pytestmark = pytest.mark.usefixtures("prefect_server")

MUSEUMS = "We should make all museums free of charge"


def run(
    corpus: Path, *overrides: str, subject: str = MUSEUMS, folder: str | None = None
) -> dict[str, Any]:
    from flows.essay import essay

    plain = composed("essay", "subject=x", f"paths.artifacts={corpus}", *overrides)
    return essay({**plain, "subject": subject}, folder)


@pytest.fixture(scope="module")
def first(corpus: Path) -> dict[str, Any]:
    return run(corpus)


def test_the_essay_is_what_was_promised(first: dict[str, Any]) -> None:
    personas = first["personas"]
    assert len(personas) >= 5
    assert {p["stance"] for p in personas} >= {"for", "against"}
    team = [p for p in personas if p["selected"]]
    assert len(team) == 3
    assert all(p["stance"] == "against" and p["reason"] for p in team)
    assert any(t["role"] == "critic" for t in first["debate"])
    assert len(first["plan"]["points"]) >= 3
    assert len(first["essay"].split()) >= 300
    assert len(first["citations"]) >= 4
    assert len({c["source"] for c in first["citations"]}) >= 3


def test_no_citation_dangles(first: dict[str, Any]) -> None:
    from modules.citations import markers

    numbers = markers(first["essay"])
    assert numbers == list(range(1, len(numbers) + 1))
    assert set(numbers) == {c["marker"] for c in first["citations"]}


def test_the_result_fits_its_schema_and_its_type(first: dict[str, Any]) -> None:
    Draft202012Validator(EssayResult.model_json_schema()).validate(first)
    assert EssayResult.model_validate(first).method == "persona_debate"


def test_the_files_are_there(first: dict[str, Any]) -> None:
    folder = Path(first["run"]["dir"])
    assert json.loads((folder / "result.json").read_text()) == first
    assert first["essay"] in (folder / "essay.md").read_text()
    assert "## References" in (folder / "essay.md").read_text()
    transcript = (folder / "transcript.md").read_text()
    assert "Critic" in transcript
    assert "Values: " in transcript
    ElementTree.parse(folder / "graph.svg")  # noqa: S314 - our own file
    assert "subject: We should" in (folder / "config.yaml").read_text()


def test_mlflow_has_it_under_the_runs_own_id(corpus: Path, first: dict[str, Any]) -> None:
    from mlflow import MlflowClient

    settle()
    state = json.loads((Path(first["run"]["dir"]) / "state.json").read_text())
    client = MlflowClient(tracking_uri=f"sqlite:///{corpus}/mlflow.db")
    kept = client.get_run(state["mlflow_run_id"])
    assert kept.info.status == "FINISHED"
    assert kept.data.params["stance"] == "refute"
    assert kept.data.metrics["usage.calls"] == first["usage"]["calls"]
    assert kept.data.metrics["citation_precision"] == first["citation_figures"]["precision"]
    names = {a.path for a in client.list_artifacts(state["mlflow_run_id"])}
    assert names == {"essay.md", "transcript.md", "graph.svg", "result.json"}


def test_the_same_again_costs_nothing_and_says_the_same(
    corpus: Path, first: dict[str, Any]
) -> None:
    again = run(corpus)
    free = {"run", "usage", "seconds"}
    assert {k: v for k, v in again.items() if k not in free} == {
        k: v for k, v in first.items() if k not in free
    }
    assert again["run"]["id"] != first["run"]["id"]
    assert (again["usage"]["calls"], again["usage"]["cached_calls"]) == (0, 0)
    assert again["usage"]["units_reused"] == 9
    assert again["run"]["usage_total"] == first["run"]["usage_total"]


def test_a_seed_changes_it_and_a_replicate_too(corpus: Path, first: dict[str, Any]) -> None:
    seeded, repeated = run(corpus, "seed=1"), run(corpus, "replicate=1")
    assert len({first["essay"], seeded["essay"], repeated["essay"]}) == 3


def test_support_takes_the_other_side(corpus: Path) -> None:
    result = run(corpus, "stance=support")
    assert {p["stance"] for p in result["personas"] if p["selected"]} == {"for"}


def test_only_what_depends_on_a_change_runs_again(corpus: Path, first: dict[str, Any]) -> None:
    changed = run(corpus, "essay.words=350")
    assert changed["usage"]["units_reused"] == 7
    assert changed["usage"]["calls"] == 1


def test_a_subject_outside_the_corpus_is_refused(corpus: Path) -> None:
    with pytest.raises(EvidenceError, match="no evidence"):
        run(corpus, subject="Boxing gloves should be heavier in professional fights")


def test_no_index_is_said(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="moot ingest"):
        run(corpus, f"paths.index={tmp_path}/none")


def test_a_finished_run_is_never_overwritten(corpus: Path, first: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="finished"):
        run(corpus, folder=first["run"]["dir"])


def test_a_budget_keeps_everything_and_resumes(corpus: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "capped")
    with pytest.raises(BudgetReached):
        run(corpus, "seed=5", "budget.calls=4", folder=folder)
    result = run(corpus, "seed=5", folder=folder)
    whole = run(corpus, "seed=5")
    assert result["essay"] == whole["essay"]
    assert result["run"]["usage_total"]["calls"] == whole["run"]["usage_total"]["calls"] == 12
    # Two stages were finished; two turns of the third came from DSPy's cache.
    assert result["usage"]["units_reused"] == 4
    assert result["usage"]["cached_calls"] == 2


def test_two_outcomes_of_one_moment_do_not_collide(corpus: Path) -> None:
    folders = {Path(run(corpus)["run"]["dir"]) for _ in range(2)}
    assert len(folders) == 2
    assert folders <= set(every(corpus / "runs"))


def test_a_real_backend_writes_it_over_http(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    with LMServer(debaters, models=("gpt-4o-mini",), api_key="sk-secret-of-the-test") as server:
        result = run(corpus, "backend=openai", f"backend.base_url={server.base_url}")
        assert len(server.requests) == 12
    assert result["usage"]["calls"] == 12
    assert result["usage"]["usd"] > 0
    assert "[999]" not in result["essay"]
    texts = [p.read_text() for p in Path(result["run"]["dir"]).rglob("*") if p.is_file()]
    assert not any("sk-secret-of-the-test" in text for text in texts)


def connections(port: int) -> int:
    """How many connections this process has open to a port of this machine."""
    found = psutil.Process().net_connections("tcp")
    return sum(bool(one.raddr) and one.raddr.port == port for one in found)


def test_without_evidence_a_real_backend_writes_uncited_and_is_let_go(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        gc.disable()  # it would close what nothing refers to any more, sooner or later
        try:
            result = run(
                corpus, "backend=openai", f"backend.base_url={server.base_url}", "evidence=none",
                "essay.words=50", subject="Boxing should be taught at school",
            )  # fmt: skip
            assert server.requests and not connections(server.port)
        finally:
            gc.enable()
    assert result["citations"] == []
    assert result["citation_figures"]["precision"] is None
    assert any("without evidence" in note for note in result["notes"])


def test_without_evidence_the_baseline_refuses(corpus: Path) -> None:
    with pytest.raises(EvidenceError):
        run(corpus, "evidence=none")


def test_a_metric_of_ones_own_is_in_the_result(corpus: Path) -> None:
    result = run(corpus, "+metrics.shouting={_target_: tests.conf.own.ShoutingMetric}")
    assert 0 <= result["metrics"]["shouting"] < 0.2


def test_a_broken_metric_costs_nothing_but_itself(corpus: Path) -> None:
    result = run(corpus, "+metrics.broken={_target_: tests.conf.own.BrokenMetric}")
    assert result["metrics"]["broken"] is None
    assert any("metric broken failed" in note for note in result["notes"])


def test_a_method_and_a_backend_of_ones_own(corpus: Path) -> None:
    result = run(
        corpus,
        "method._target_=tests.conf.own.ShortMethod",
        "backend._target_=tests.conf.own.OwnBackend",
    )
    assert result["method"] == "short"
    assert result["usage"]["calls"] == 8
    assert result["usage"]["usd"] is None  # its price is unknown, and said to be


def test_tracking_that_fails_is_said_and_costs_nothing(
    corpus: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = run(corpus, "tracking.uri=http://127.0.0.1:9")
    assert (Path(result["run"]["dir"]) / "result.json").exists()
    settle()
    assert "MLflow has no full record" in caplog.text


def test_an_outage_is_tried_again_by_prefect(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        server.script(Reply(drop=True))
        result = run(
            corpus, "backend=openai", f"backend.base_url={server.base_url}", "seed=77",
            "backend.retries=0", "runner.retry_delay_s=0", "tracking=none",
        )  # fmt: skip
    assert result["usage"]["failed_attempts"] == 1
    assert result["usage"]["calls"] == 12


def test_a_run_under_way_is_not_joined(corpus: Path, tmp_path: Path) -> None:
    plain = {"subject": "P"}
    first = Run(tmp_path / "run", "essay", plain)
    with pytest.raises(InputError, match="under way"):
        Run(tmp_path / "run", "essay", plain)
    first.close()
    with pytest.raises(InputError, match="another subject"):
        Run(tmp_path / "run", "essay", {"subject": "Q"})
    Run(tmp_path / "run", "essay", plain).close()


def test_a_run_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):  # a file where a folder should be: not one of the disk's refusals
        Run(tmp_path / "file" / "run", "essay", {})


def test_a_judge_over_http_chooses_among_samples(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    written = itertools.count(1)

    def varied(request: LMRequest) -> str:
        return debaters(request).replace("a museum open", f"{next(written)} museums open")

    with LMServer(varied, models=("gpt-4o-mini",)) as server:
        plain = (
            "backend=openai", f"backend.base_url={server.base_url}", "method=e2e", "tracking=none",
        )  # fmt: skip
        result = run(corpus, *plain, "samples=4")
        assert len(server.requests) == 8
        again = run(corpus, *plain, "samples=4")
        cheap = run(corpus, *plain, "samples=4", f"samples_tokens={_tokens(result) - 1}")
        assert len(server.requests) == 8
    samples = result["samples"]
    assert [s["number"] for s in samples] == [1, 2, 3, 4]
    assert max(samples, key=lambda s: s["value"])["chosen"]
    assert result["run"]["usage_total"]["calls"] == 8
    assert (again["essay"], again["samples"]) == (result["essay"], samples)
    assert len(cheap["samples"]) < 4
    assert any("one more would exceed" in note for note in cheap["notes"])
    transcript = (Path(result["run"]["dir"]) / "transcript.md").read_text()
    assert "## Samples" in transcript
    assert not (Path(result["run"]["dir"]) / "graph.svg").exists()


def _tokens(result: dict[str, Any]) -> int:
    total = result["run"]["usage_total"]
    return int(total["input_tokens"] + total["output_tokens"])


def test_a_baseline_that_does_not_judge_keeps_its_first_sample(corpus: Path) -> None:
    result = run(corpus, "method=e2e", "samples=4", "tracking=none")
    assert [s["value"] for s in result["samples"]] == [None]
    assert "the judge abstained: the first sample was taken" in result["notes"]


def test_a_judge_over_http_decides_on_citations_and_a_repair_follows(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        plain = (
            "backend=openai", f"backend.base_url={server.base_url}", "method=e2e", "tracking=none",
            "citations.by=judge",
        )  # fmt: skip
        judged = run(corpus, *plain)
        mended = run(corpus, *plain, "citations.repair=true")
        assert not server.errors
    verdicts = [c["verdict"] for c in judged["citations"]]
    assert verdicts == ["unsupported", *["supported"] * 5]
    assert all(c["quote"] for c in judged["citations"][1:])
    assert judged["citation_figures"]["precision"] == pytest.approx(5 / 6)
    assert "1 of 1 unsupported sentences were rewritten" in mended["notes"]
    first = judged["citations"][0]["sentence"].rstrip(".")
    assert first in judged["essay"]
    assert first not in mended["essay"]
    # What stands there now is what the passage says; the judge is asked about it as about any.
    assert len(mended["citations"]) == 6


def test_components_are_refined_over_http(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        result = run(
            corpus, "backend=openai", f"backend.base_url={server.base_url}", "method=americano",
            "method.refinements=2", "recall.shared=true",
        )  # fmt: skip
        # Three components are sent back twice, the concession stands at once.
        assert len(server.requests) == 3 * 5 + 2
    reviews = [r["component"] for r in result["argument"]["revisions"]]
    assert {c: reviews.count(c) for c in reviews} == {
        "claim": 2, "reasons": 2, "concession": 1, "essay": 2,
    }  # fmt: skip
    transcript = (Path(result["run"]["dir"]) / "transcript.md").read_text()
    assert "**Claim:** Museums should charge" in transcript
    assert "Feedback on the reasons" in transcript


def test_the_graph_is_in_the_result(first: dict[str, Any]) -> None:
    graph = first["argument_graph"]
    assert [n["id"] for n in graph["nodes"]] == [t["id"] for t in first["debate"]]
    assert {e["relation"] for e in graph["edges"]} == {"support", "oppose"}
    assert 0 < first["debate_figures"]["novelty"] < 1
