"""Optimization through the real flow: over HTTP with a writer that can be taught, and offline."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.run import every
from flows.tracking import settle
from signatures.errors import BudgetReached, ConfigError, InputError, TooManyFailures
from signatures.optimize_results import OptimizeResult
from tests.flows.test_processes import start, wait_for
from tests.servers.lm import LMRequest, LMServer, Reply
from tests.servers.teachable import CITE, CONCERNED, knowing, teachable
from tests.support import composed, document, moot

pytestmark = pytest.mark.usefixtures("prefect_server")

QUESTIONS = (
    "Should all museums be free of charge?",
    "Should museums charge an entrance fee?",
    "Do free museums bring more visitors?",
    "Should taxpayers pay for free museums?",
    "Do museum fees keep families away?",
    "Should tourists pay for museums?",
    "Do free museums help schools?",
    "Should small museums charge for entry?",
    "Do crowds harm objects in museums?",
    "Should museums live on ticket money?",
    "Should national museums be free?",
    "Do museum tickets pay for conservation?",
)
MODEL = "gpt-4o-mini"


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dataset(tmp_path_factory.mktemp("data") / "own.jsonl", *QUESTIONS)


def dataset(path: Path, *texts: str) -> Path:
    path.write_text("".join(json.dumps({"proposition": text}) + "\n" for text in texts))
    return path


def words(rows: Path, *overrides: str, server: LMServer | None = None) -> list[str]:
    found = ["target=answer", "dataset=jsonl", f"dataset.path={rows}", "retriever=dense"]
    found += ["recall.min_similarity=0", "recall.sure_similarity=0", "tracking=none"]
    found += ["metric=[citations]", "objective.primary=citation_recall", "objective.weights=null"]
    found += ["objective.guards.length=null", "objective.guards.citation_precision=null"]
    found += ["seed=0"]  # of the commands too; and what can be learnt depends on the split
    if server is not None:
        url = f"backend.base_url={server.base_url}"
        found += ["backend=openai", url, "backend.temperature=0", "backend.retries=0"]
    return [*found, *overrides]


def run(
    corpus: Path,
    rows: Path,
    *overrides: str,
    server: LMServer | None = None,
    folder: Path | None = None,
) -> dict[str, Any]:
    given = words(rows, f"paths.artifacts={corpus}", *overrides, server=server)
    return optimized(given, folder)


def optimized(given: list[str], folder: Path | None = None) -> dict[str, Any]:
    from flows.optimize import optimize

    return optimize(composed("optimize", *given), str(folder) if folder else None)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")


@pytest.fixture(scope="module")
def taught(corpus: Path, questions: Path) -> tuple[dict[str, Any], list[LMRequest]]:
    """One search by reflection that ends with a champion, and what the server was asked."""
    with pytest.MonkeyPatch.context() as patch, LMServer(teachable, models=(MODEL,)) as server:
        patch.setenv("OPENAI_API_KEY", "k")
        more = ["optimizer=gepa", "tracking=mlflow", "objective.search=pareto"]
        more += ["objective.weights={citation_recall: 1, evidence_balance: 0.5}"]
        found = run(corpus, questions, *more, server=server)
        assert server.errors == []
        return found, server.requests


def answer(corpus: Path, *overrides: str, server: LMServer | None = None) -> dict[str, Any]:
    from flows.answer import answer as flow

    given = ["subject='Should museums be free?'", "method=basic", f"paths.artifacts={corpus}"]
    given += ["retriever=dense", "recall.min_similarity=0", "recall.sure_similarity=0"]
    if server is not None:
        given += ["backend=openai", f"backend.base_url={server.base_url}"]
    return flow(composed("answer", *given, *overrides))


# --- a search that finds something ----------------------------------------------------------------


def test_reflection_on_feedback_ends_with_a_champion(
    corpus: Path, taught: tuple[dict[str, Any], list[LMRequest]]
) -> None:
    found, asked = taught
    Draft202012Validator(OptimizeResult.model_json_schema()).validate(found)
    assert found["promoted"], found["reason"]
    assert found["holdout"]["ci"][0] > 0
    assert found["best"]["citation_recall"] > found["baseline"]["citation_recall"]
    assert found["champion"] == "models:/moot-answer-basic/1"
    assert any("A claim without a citation" in request.user for request in asked)
    split = found["split"]
    assert split["train"] + split["val"] + split["holdout"] == len(QUESTIONS)
    report = (Path(found["run"]["dir"]) / "report.md").read_text()
    assert f"+{CITE}" in report
    assert {point["number"] for point in found["pareto"]} <= set(range(len(found["trials"])))


def test_the_record_has_a_child_for_each_trial_and_no_pickle(
    corpus: Path, taught: tuple[dict[str, Any], list[LMRequest]]
) -> None:
    from mlflow import MlflowClient

    settle()
    found = taught[0]
    state = json.loads((Path(found["run"]["dir"]) / "state.json").read_text())
    client = MlflowClient(tracking_uri=f"sqlite:///{corpus}/mlflow.db")
    assert len(state["mlflow_children"]) == len(found["trials"])
    last = state["mlflow_children"][f"trial {found['trials'][-1]['number']:03d}"]
    child = client.get_run(last)
    assert child.data.tags["mlflow.parentRunId"] == state["mlflow_run_id"]
    assert child.data.metrics["objective"] == found["trials"][-1]["objective"]
    assert {f.path for f in client.list_artifacts(last)} == {"demos.json", "instructions.diff"}
    curve = client.get_metric_history(state["mlflow_run_id"], "objective.best")
    assert [point.step for point in curve] == list(range(len(found["trials"])))
    files = {f.path for f in client.list_artifacts(state["mlflow_run_id"])}
    assert {"curve.png", "trade.png", "program.json", "report.md"} <= files
    version = client.get_model_version_by_alias("moot-answer-basic", "champion")
    assert version.tags["moot.run"] == found["run"]["id"]
    kept = [p for p in (corpus / "mlruns").rglob("*") if p.suffix in {".pkl", ".pickle"}]
    assert kept == []


@pytest.mark.usefixtures("key")
def test_the_champion_is_used_refused_when_it_does_not_fit_and_taken_back(
    corpus: Path, taught: tuple[dict[str, Any], list[LMRequest]], tmp_path: Path
) -> None:
    from flows.registry import roll_back

    with LMServer(teachable, models=(MODEL,)) as server:
        plain = answer(corpus, "tracking=none", server=server)
        tuned = answer(corpus, "program=champion", server=server)
        assert [CITE in request.system for request in server.requests] == [False, True]
    recall = [x["citation_figures"]["recall"] for x in (plain, tuned)]
    assert recall[1] > recall[0]
    # What was tuned on one backend runs on another.
    path = taught[0]["program"]
    assert answer(corpus, f"program={path}", "tracking=none")["answer"]
    assert answer(corpus, "program=models:/moot-answer-basic/1")["answer"]
    changed = json.loads(Path(path).read_text())
    (name,) = changed["signatures"]
    changed["signatures"][name]["question"]["desc"] = "another question"
    other = tmp_path / "program.json"
    other.write_text(json.dumps(changed))
    with pytest.raises(ConfigError, match="the field 'question' has another description"):
        answer(corpus, f"program={other}", "tracking=none")
    with pytest.raises(ConfigError, match="tuned for answer/basic"):
        answer(corpus, f"program={path}", "method=detailed", "tracking=none")
    assert roll_back(f"sqlite:///{corpus}/mlflow.db", "moot-answer-basic") == ("1", None)
    with pytest.raises(InputError, match="no moot-answer-basic 'champion'"):
        answer(corpus, "program=champion")
    settle()


@pytest.mark.usefixtures("key")
def test_feedback_that_names_the_missing_view_helps_and_a_score_does_not(
    corpus: Path, tmp_path: Path
) -> None:
    yes = "Museums should be free, because everyone has paid for them through taxes already."
    no = "Visitors should pay, because conservation and guards cost money every day."
    rows = tmp_path / "views.jsonl"
    rows.write_text(
        "".join(
            json.dumps(
                {
                    "question": text,
                    "partial_answers": [
                        {"point_of_view": view, "explanation": view} for view in (yes, no)
                    ],
                }
            )
            + "\n"
            for text in QUESTIONS
        )
    )
    found = {}
    for kind in ("full", "scores"):
        with LMServer(knowing(dict.fromkeys(QUESTIONS, (yes, no))), models=(MODEL,)) as server:
            given = [*words(rows, server=server), f"paths.artifacts={corpus}", "dataset=debatable"]
            given += ["optimizer=gepa", "metric=[pov_coverage]", "objective.primary=pov_coverage"]
            given += [f"objective.feedback={kind}"]
            found[kind] = optimized(given)
            assert server.errors == []
    assert found["full"]["promoted"], found["full"]["reason"]
    assert CONCERNED in Path(found["full"]["program"]).read_text()
    assert found["full"]["holdout"]["after"]["pov_coverage"] == 1.0
    assert not found["scores"]["promoted"]
    assert found["scores"]["best"]["pov_coverage"] == 0.5


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("name", ["bootstrap", "random_search", "miprov2", "simba", "copro"])
def test_every_optimizer_improves_what_can_be_improved(
    corpus: Path, questions: Path, name: str
) -> None:
    with LMServer(teachable, models=(MODEL,)) as server:
        found = run(corpus, questions, f"optimizer={name}", server=server)
        assert server.errors == []
        asked = len(server.requests)
    assert found["promoted"], found["reason"]
    assert found["usage"]["calls"] == asked
    assert "not registered" in " ".join(found["notes"])


@pytest.mark.usefixtures("key")
def test_a_judge_is_tuned_for_agreement_with_labels(corpus: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rated.jsonl"
    rows.write_text(
        "".join(
            json.dumps({"id": str(n), "proposition": f"P{n}", "essay": f"E{n}" + "!" * stars,
                        "rating": stars}) + "\n"
            for n, stars in enumerate([1, 2, 3, 2, 1, 3, 2, 1, 3, 2, 1, 3])
        )
    )  # fmt: skip
    with LMServer(teachable, models=(MODEL,)) as server:
        given = ["target=judge", f"dataset.path={rows}", "optimizer=gepa", "tracking=none"]
        given += [f"paths.artifacts={corpus}", "backend=openai"]
        found = optimized([*given, f"backend.base_url={server.base_url}"])
    assert found["promoted"], found["reason"]
    assert found["judge"]["kappa_after"] == 1.0
    assert found["judge"]["kappa_before"] < 0.5


# --- without a model ------------------------------------------------------------------------------


def test_offline_no_improvement_is_an_honest_result_and_free_the_second_time(
    corpus: Path, questions: Path
) -> None:
    first = run(corpus, questions, "optimizer=miprov2")
    assert not first["promoted"]
    assert "no improvement found" in first["reason"]
    assert len(first["trials"]) > 1
    again = run(corpus, questions, "optimizer=miprov2")
    assert again["usage"]["calls"] == 0
    free = {"run", "usage", "seconds", "program"}
    assert {k: v for k, v in again.items() if k not in free} == {
        k: v for k, v in first.items() if k not in free
    }


# --- stopped, killed, resumed ---------------------------------------------------------------------


@pytest.mark.slow
def test_kill_9_and_resume_repeats_nothing_and_ends_the_same(
    corpus: Path, questions: Path, taught: tuple[dict[str, Any], list[LMRequest]]
) -> None:
    more = ("output=json", "optimizer=simba", "seed=3", "runner.concurrency=2")
    with LMServer(teachable, models=(MODEL,), latency_s=0.05) as server:
        given = words(questions, *more, server=server)
        process = start("optimize", *given, artifacts=corpus, OPENAI_API_KEY="k")
        wait_for(server, 40, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before = [request.prompt for request in server.requests[: len(server.intervals) - 2]]
        folder = every(corpus / "runs")[-1]
        assert (folder / "search" / "trials.jsonl").exists()
        done = moot("resume", folder.name, artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        after = [request.prompt for request in server.requests]
        resumed = document(done)
        # SIMBA asks one prompt under several rollouts: what was answered is not asked once more.
        whole = resumed["run"]["usage_total"]["calls"]
        assert len(after) <= whole + 2
        assert len(before) <= whole
    with pytest.MonkeyPatch.context() as patch, LMServer(teachable, models=(MODEL,)) as server:
        patch.setenv("OPENAI_API_KEY", "k")
        straight = run(corpus, questions, *more, server=server)
        assert len(server.requests) == whole
    assert resumed["program_digest"] == straight["program_digest"]
    assert resumed["best"] == straight["best"]


@pytest.mark.usefixtures("key")
def test_budgets_end_the_search_or_the_run(corpus: Path, questions: Path, tmp_path: Path) -> None:
    more = ("optimizer=copro", "seed=4", "runner.concurrency=2")
    with LMServer(teachable, models=(MODEL,)) as server:
        found = run(corpus, questions, *more, "optimizer.calls=5", server=server)
        assert found["ended"] == "its budget of 5 calls is used up"
        # What the search has bought, the baseline and the holdout.
        assert len(server.requests) <= 5 + 1 + len(QUESTIONS)
    folder = tmp_path / "run"
    with LMServer(teachable, models=(MODEL,)) as server:
        with pytest.raises(BudgetReached):
            run(corpus, questions, *more, "budget.calls=12", server=server, folder=folder)
        # The other thread's call may be on its way: it was begun, and is made and counted.
        assert len(server.requests) in (11, 12)
        assert (folder / "search" / "best.json").exists()
        done = run(corpus, questions, *more, server=server, folder=folder)
        assert done["promoted"], done["reason"]
        assert done["run"]["usage_total"]["calls"] == len(server.requests)


@pytest.mark.usefixtures("key")
def test_failures_in_a_row_end_the_run_with_their_reason(corpus: Path, questions: Path) -> None:
    def broken(request: LMRequest) -> Reply | str:
        if any(m["role"] == "assistant" for m in request.messages):
            return Reply("out of order", status=400)
        return teachable(request)

    with LMServer(broken, models=(MODEL,)) as server:
        more = ("optimizer=random_search", "failures_in_a_row=3", "seed=5")
        with pytest.raises(TooManyFailures, match="3 runs of the program failed in a row"):
            run(corpus, questions, *more, server=server)


# --- bad input ------------------------------------------------------------------------------------


def test_too_few_questions_are_refused_with_the_least(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "few.jsonl", *QUESTIONS[:3])
    with pytest.raises(InputError, match="expected at least 6"):
        run(corpus, rows)


def test_a_missing_extra_is_said_before_any_call(
    corpus: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evals.optimizing.optimizers.find_spec", lambda name: None)
    before = every(corpus / "runs")
    with pytest.raises(ConfigError, match=r"moot\[optimize\]"):
        run(corpus, questions, "optimizer=miprov2")
    assert every(corpus / "runs") == before


def test_a_metric_without_any_value_ends_it_early(corpus: Path, questions: Path) -> None:
    more = ("metric=[answer_relevance]", "objective.primary=answer_relevance")
    with pytest.raises(InputError, match="answer_relevance has no value on any of"):
        run(corpus, questions, *more)


def test_another_dataset_does_not_go_on_where_the_first_stood(
    corpus: Path, questions: Path, tmp_path: Path
) -> None:
    rows = dataset(tmp_path / "rows.jsonl", *QUESTIONS)
    folder = tmp_path / "run"
    with pytest.raises(BudgetReached):
        run(corpus, rows, "budget.calls=2", "seed=9", folder=folder)
    dataset(rows, *QUESTIONS[1:])
    with pytest.raises(InputError, match="has changed since the run began"):
        run(corpus, rows, "seed=9", folder=folder)


def test_an_objective_that_names_no_metric_is_refused(corpus: Path, questions: Path) -> None:
    with pytest.raises(ConfigError, match="names no metric: 'beauty'"):
        run(corpus, questions, "objective.primary=beauty", "objective.weights=null")
