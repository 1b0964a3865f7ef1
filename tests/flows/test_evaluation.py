"""Evaluations through the real flow: offline, over HTTP, stopped, killed, resumed."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.run import every
from flows.tracking import settle
from modules.lm.ledger import Ledger
from signatures.errors import (
    BackendError,
    BudgetReached,
    ConfigError,
    InputError,
    TooManyFailures,
)
from signatures.results import EvaluationPlan, EvaluationResult
from tests.flows.test_processes import start, wait_for
from tests.servers.debaters import debaters
from tests.servers.lm import LMServer, Reply
from tests.support import composed, document, moot

pytestmark = pytest.mark.usefixtures("prefect_server")

MUSEUMS = ("We should make all museums free of charge", "Museums should charge no entrance fee")
SMALL = ("~method@methods.persona_debate", "+method@methods.e2e=e2e", "+method@methods.plan=plan",
         "reference=e2e", "primary=self_bleu", "metric=[self_bleu,quality,citations]",
         "replicates=2", "dataset=jsonl", "essay.words=120")  # fmt: skip


@pytest.fixture(scope="module")
def propositions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dataset(tmp_path_factory.mktemp("data") / "own.jsonl", *MUSEUMS)


def dataset(path: Path, *texts: str) -> Path:
    path.write_text("".join(json.dumps({"proposition": text}) + "\n" for text in texts))
    return path


def run(
    corpus: Path, rows: Path, *overrides: str, folder: Path | None = None, small: bool = True
) -> dict[str, Any]:
    from flows.evaluation import evaluation

    words = [*(SMALL if small else ()), f"dataset.path={rows}", f"paths.artifacts={corpus}"]
    plain = composed("evaluation", *words, "tracking=none", *overrides)
    return evaluation(plain, str(folder) if folder else None)


# Before any other test of the module: its calls are counted, and some of theirs are the same.
@pytest.fixture(scope="module", autouse=True)
def first(corpus: Path, propositions: Path) -> dict[str, Any]:
    return run(corpus, propositions, "tracking=mlflow")


def row(result: dict[str, Any], method: str, metric: str) -> dict[str, Any]:
    rows = result["table"]
    return dict(next(r for r in rows if (r["method"], r["metric"]) == (method, metric)))


def test_the_table_is_what_was_promised(first: dict[str, Any]) -> None:
    Draft202012Validator(EvaluationResult.model_json_schema()).validate(first)
    assert {(r["method"], r["backend"]) for r in first["table"]} == {
        ("e2e", "extractive"),
        ("plan", "extractive"),
    }
    assert row(first, "e2e", "self_bleu")["n_scored"] == 2
    assert row(first, "e2e", "citation_precision")["n_scored"] == 4
    assert 0 < row(first, "plan", "self_bleu")["value"] < 100
    judged = row(first, "e2e", "quality")
    assert (judged["value"], judged["n_abstained"]) == (None, 4)
    assert row(first, "plan", "quality")["calls"] == 2
    assert {(c["a"], c["b"]) for c in first["comparisons"]} == {("plan", "e2e")}
    assert any("extractive baseline" in note for note in first["notes"])


def test_the_files_are_there_and_can_be_scored_again(first: dict[str, Any]) -> None:
    from evals.contract import Tools
    from evals.diversity import SelfBleu

    folder = Path(first["run"]["dir"])
    assert "| e2e | – (4 abstained)" in (folder / "table.md").read_text()
    rows = [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]
    assert [(r["id"], r["method"], r["input"]) for r in rows] == [
        (str(n), method, text)
        for n, text in enumerate(MUSEUMS, start=1)
        for method in ("e2e", "plan")
    ]
    assert all(len(set(r["outputs"])) == 2 for r in rows)
    again = [SelfBleu().score(r, Tools()).value for r in rows if r["method"] == "e2e"]
    assert sum(map(float, filter(None, again))) / 2 == row(first, "e2e", "self_bleu")["value"]


def test_what_begins_last_is_soon_done(corpus: Path, propositions: Path) -> None:
    from flows.cells import Cells
    from flows.config import typed
    from flows.evaluation_config import EvaluationConfig

    words = [f"dataset.path={propositions}", f"paths.artifacts={corpus}", "runner.concurrency=1"]
    cells = Cells(typed(EvaluationConfig, composed("evaluation", *SMALL, *words)), Ledger())
    assert [unit.name.removeprefix("extractive/") for unit in cells.texts()] == [
        "e2e/1/1", "e2e/1/2", "plan/1/1", "plan/1/2", "e2e/2/1",
        "plan/2/1", "plan/2/2", "e2e/2/2",  # three for each call at once: the longer ones first
    ]  # fmt: skip


def test_mlflow_has_a_child_for_each_cell(corpus: Path, first: dict[str, Any]) -> None:
    from mlflow import MlflowClient

    settle()
    state = json.loads((Path(first["run"]["dir"]) / "state.json").read_text())
    client = MlflowClient(tracking_uri=f"sqlite:///{corpus}/mlflow.db")
    assert sorted(state["mlflow_children"]) == ["extractive/e2e", "extractive/plan"]
    child = client.get_run(state["mlflow_children"]["extractive/e2e"])
    assert child.data.tags["mlflow.parentRunId"] == state["mlflow_run_id"]
    assert child.data.metrics["self_bleu"] == row(first, "e2e", "self_bleu")["value"]
    assert "quality" not in child.data.metrics


def test_the_same_again_costs_nothing_and_says_the_same(
    corpus: Path, propositions: Path, first: dict[str, Any]
) -> None:
    again = run(corpus, propositions)
    free = {"run", "usage", "seconds"}
    assert {k: v for k, v in again.items() if k not in free} == {
        k: v for k, v in first.items() if k not in free
    }
    assert (again["usage"]["calls"], again["usage"]["cached_calls"]) == (0, 0)
    # 2 propositions x 2 methods x (2 texts, the judge's scores, the measures)
    assert again["usage"]["units_reused"] == 16
    assert again["run"]["usage_total"] == first["run"]["usage_total"]


def test_a_dry_run_tells_and_calls_nothing(
    corpus: Path, propositions: Path, first: dict[str, Any]
) -> None:
    before = every(corpus / "runs")
    done = EvaluationPlan.model_validate(run(corpus, propositions, "dry_run=true"))
    assert (done.units, done.units_there, done.calls, done.usd) == (16, 16, 0, 0.0)
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        url = f"backend.base_url={server.base_url}"
        real = EvaluationPlan.model_validate(
            run(corpus, propositions, "dry_run=true", "backend=openai", url, "self_judging=warn")
        )
        assert server.requests == []
    assert real.units_there == 0
    # e2e takes one call and plan two for each of 4 texts; each text is judged once.
    assert [cell.calls for cell in real.cells] == [4 + 4, 8 + 4]
    assert real.usd is not None and real.usd > 0
    assert every(corpus / "runs") == before


def test_failed_units_alone_run_again_on_request(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.resuming import reopen

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    rows, folder = dataset(tmp_path / "rows.jsonl", *MUSEUMS), tmp_path / "run"
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        words = ["backend=openai", f"backend.base_url={server.base_url}", "self_judging=warn",
                 "metric=[citations]", "primary=citation_recall", "replicates=1", "seed=77",
                 "backend.retries=0", "runner.retries=0", "runner.concurrency=1"]  # fmt: skip
        server.script(Reply(status=500))
        first = run(corpus, rows, *words, "max_failed=1", folder=folder)
        assert len(first["failures"]) == 1
        asked = len(server.requests)
        assert reopen(folder) == 1
        again = run(corpus, rows, *words, "max_failed=1", folder=folder)
        failed = first["failures"][0]["unit"].split("/")[1]
        # The one text, in one call or two, and nothing else.
        assert len(server.requests) - asked == {"e2e": 1, "plan": 2}[failed]
    assert again["failures"] == []
    assert (folder / "result-1.json").exists() and (folder / "result.json").exists()
    calls = first["usage"]["calls"] + again["usage"]["calls"]
    assert again["run"]["usage_total"]["calls"] == calls
    with pytest.raises(InputError, match="no unit of run failed"):
        reopen(folder)


def test_a_resumed_run_says_what_changed(
    corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows, folder = dataset(tmp_path / "rows.jsonl", MUSEUMS[0]), tmp_path / "run"
    words = ("metric=[citations]", "primary=citation_recall")
    with pytest.raises(BudgetReached):
        run(corpus, rows, *words, "budget.calls=1", "seed=6", folder=folder)
    dataset(rows, MUSEUMS[1])
    result = run(corpus, rows, *words, "seed=6", "essay.words=121", folder=folder)
    told = " ".join(result["notes"])
    assert "resumed: dataset jsonl changed" in told
    assert "resumed: method extractive/plan changed" in told
    assert "resumed: settings changed" in told
    assert "metric extractive" not in told and "seed" not in told
    assert "since this run began, dataset jsonl changed" in caplog.text


def test_prompts_are_a_dimension(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", MUSEUMS[0])
    short = tmp_path / "short.yaml"
    short.write_text("WriteOutright: Refute the proposition in plain words.\n")
    words = ("metric=[citations]", "primary=citation_recall", "~method@methods.plan",
             "+prompts.own=null", "seed=24")  # fmt: skip
    result = run(corpus, rows, *words, f"+prompts.short={short}")
    assert [r["prompt"] for r in result["table"]] == ["own"] * 3 + ["short"] * 3
    assert {(c["prompt"], c["b_prompt"]) for c in result["comparisons"]} == {("short", "own")}
    assert result["run"]["usage_total"]["calls"] == 4  # two texts of each prompt: other keys
    short.write_text("Nobody: Asks this.\n")
    with pytest.raises(ConfigError, match="fits nothing that e2e asks"):
        run(corpus, rows, *words, f"+prompts.short={short}")


def test_what_cannot_be_scored_is_refused_before_anything_is_spent(
    corpus: Path, propositions: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(ConfigError, match=r"pd_log cannot be had on jsonl.*partial_answers"):
        run(corpus, propositions, "metric=[pd_log]", "primary=pd_log", folder=folder)
    assert not (folder / "ledger.jsonl").exists()
    with pytest.raises(ConfigError, match="essay methods write on propositions"):
        run(corpus, propositions, "+dataset@datasets.q=debatable", "metric=[citations]",
            "primary=citation_recall")  # fmt: skip


def test_a_backend_that_is_down_is_refused_before_anything_is_spent(
    corpus: Path, propositions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    folder = tmp_path / "run"
    with LMServer(debaters) as server:
        gone = server.base_url
    words = ("backend=openai", f"backend.base_url={gone}", "metric=[citations]",
             "primary=citation_recall")  # fmt: skip
    with pytest.raises(BackendError, match=r"does not answer at.*nothing was spent"):
        run(corpus, propositions, *words, folder=folder)
    assert not (folder / "ledger.jsonl").exists()


def test_when_every_text_fails_the_run_fails(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", "Boxing gloves should be heavier")
    with pytest.raises(TooManyFailures, match="every text failed") as caught:
        run(corpus, rows, "max_failed=1", "metric=[citations]", "primary=citation_recall")
    assert caught.value.exit_code == 1


def test_units_that_fail_are_counted_with_their_reason(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", MUSEUMS[0], "Boxing gloves should be heavier")
    result = run(corpus, rows, "max_failed=1")
    assert len(result["failures"]) == 4
    assert all("no evidence" in failure["reason"] for failure in result["failures"])
    judged = row(result, "e2e", "self_bleu")
    assert (judged["n_scored"], judged["n_failed"]) == (1, 1)
    assert row(result, "e2e", "citation_precision")["n_failed"] == 1


def test_too_many_failures_stop_it_and_keep_everything(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", MUSEUMS[0], "Boxing gloves should be heavier")
    folder = tmp_path / "run"
    with pytest.raises(TooManyFailures, match=r"units failed.*no evidence"):
        run(corpus, rows, "max_failed=0.05", folder=folder)
    assert "no evidence" in (folder / "failures.jsonl").read_text()
    assert MUSEUMS[0] in (folder / "outputs.jsonl").read_text()
    assert not (folder / "result.json").exists()
    assert run(corpus, rows, "max_failed=1", folder=folder)["usage"]["calls"] == 0


def test_a_budget_keeps_everything_and_resumes(
    corpus: Path, propositions: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(BudgetReached):
        run(corpus, propositions, "seed=5", "budget.calls=6", folder=folder)
    assert (folder / "table.md").exists()
    whole = run(corpus, propositions, "seed=5", folder=folder)
    assert whole["run"]["usage_total"]["calls"] == 20
    assert whole["usage"]["calls"] == 14


def test_a_judge_of_its_own_texts_is_refused(
    corpus: Path, propositions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(ConfigError, match="the writer's own model"):
        run(corpus, propositions, "backend=openai")


def test_budgets_can_be_matched(
    corpus: Path, propositions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        result = run(
            corpus, propositions, "backend=openai", f"backend.base_url={server.base_url}",
            "self_judging=warn", "match_budget=true", "+method@methods.e2e=e2e",
            "dataset=jsonl", "primary=citation_recall", "dataset.limit=1", small=False,
        )  # fmt: skip
    ours, theirs = (row(result, m, "citation_recall") for m in ("persona_debate", "e2e"))
    assert ours["calls"] == 12
    assert theirs["calls"] > 1
    assert theirs["tokens"] <= 1.1 * ours["tokens"]


def test_outages_are_tried_again(
    corpus: Path, propositions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(debaters, models=("gpt-4o-mini",)) as server:
        server.script(Reply(drop=True), Reply(status=500))
        result = run(
            corpus, propositions, "backend=openai", f"backend.base_url={server.base_url}",
            "metric=[citations]", "primary=citation_recall", "backend.retries=0",
            "runner.retry_delay_s=0", "seed=9",
        )  # fmt: skip
    assert result["failures"] == []
    assert result["usage"]["failed_attempts"] == 2


@pytest.mark.slow
def test_kill_9_and_resume_repeats_no_call(corpus: Path, propositions: Path) -> None:
    with LMServer(debaters, models=("gpt-4o-mini",), latency_s=0.1) as server:
        words = [*SMALL, f"dataset.path={propositions}", "tracking=none", "backend=openai",
                 f"backend.base_url={server.base_url}", "self_judging=warn", "seed=31",
                 "runner.concurrency=2"]  # fmt: skip
        words.remove("~method@methods.persona_debate")
        process = start("evaluation", *words, artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, 30, process)
        answered = len(server.intervals)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        folder = every(corpus / "runs")[-1]
        done = moot("resume", folder.name, "output=json", artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        asked = Counter((r.prompt, r.body.get("seed")) for r in server.requests)
    assert answered >= 25
    # Only calls under way when it died, two at most, were never answered to anyone.
    assert sum(asked.values()) - len(asked) <= 2
    result = document(done)
    # A reply that was counted but not yet cached when it died is asked, and counted, again.
    assert len(asked) <= result["run"]["usage_total"]["calls"] <= asked.total()
    assert result["failures"] == []


def test_an_evaluation_has_no_subject(corpus: Path) -> None:
    done = moot("evaluation", "We should", artifacts=corpus)
    assert done.returncode == 2
    assert "takes no subject" in done.stderr
