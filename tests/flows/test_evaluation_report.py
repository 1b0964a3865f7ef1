"""What is made of an evaluation: its cells over two backends and two datasets, its record in
MLflow, its report, its gate.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

import pytest
from jsonschema import Draft202012Validator

from evals import rows
from evals.contract import Direction, Level, Metric, Row, Score, Tools
from flows import cli
from flows.run import RESULT_FILE, Run
from flows.sections import Tracking
from flows.tracing import Tracing, read_traces
from flows.tracking import settle
from flows.units import Unit
from signatures.results import GateResult
from tests.flows.test_evaluation import dataset
from tests.support import composed

pytestmark = pytest.mark.usefixtures("prefect_server")

SECRET = "sk-never-to-be-written-down-3141592653"  # noqa: S105 - what must not be found
HOSTILE = "Museums should charge no entrance fees </title><script>museums()</script> & \u202efree"


@pytest.fixture(scope="module")
def grid(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """2 methods x 2 backends x 2 datasets, one of them with hostile text."""
    from flows.evaluation import evaluation

    data = tmp_path_factory.mktemp("grid")
    one = dataset(data / "one.jsonl", "We should make all museums free of charge", HOSTILE)
    two = dataset(data / "two.jsonl", "Museums should charge no entrance fee")
    words = [
        "~method@methods.persona_debate", "+method@methods.e2e=e2e", "+method@methods.plan=plan",
        "+backend@backends.a=extractive", "+backend@backends.b=extractive", "+backends.b.variant=1",
        "+dataset@datasets.one=jsonl", "+dataset@datasets.two=jsonl",
        f"datasets.one.path={one}", f"datasets.two.path={two}", "reference=e2e", "name=grid",
        "metric=[citations,quality]", "primary=citation_recall", "essay.words=120",
        "tracking.traces=all", f"paths.artifacts={corpus}",
        "seed=25",  # of its own: units are traced when they run, and other tests share the folder
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", SECRET)
        result = evaluation(composed("evaluation", *words))
        settle()
    return result


def folder_of(result: dict[str, Any]) -> Path:
    return Path(result["run"]["dir"])


def test_every_cell_of_the_product_is_filled(grid: dict[str, Any]) -> None:
    found = {(r["method"], r["backend"], r["dataset"]): r for r in grid["table"]
             if r["metric"] == "citation_recall"}  # fmt: skip
    assert len(found) == 8
    assert all(row["value"] is not None and not row["n_failed"] for row in found.values())
    assert {k[2]: row["n_scored"] for k, row in found.items()} == {"one": 2, "two": 1}
    assert found["plan", "a", "one"]["value"] != found["plan", "b", "one"]["value"]
    assert (grid["dataset"], grid["items"]) == ("one + two", 3)
    assert grid["primary_direction"] == "higher"
    differences = {(c["a"], c["backend"], c["b"], c["b_backend"]) for c in grid["comparisons"]}
    assert {("plan", "a", "e2e", "a"), ("e2e", "b", "e2e", "a")} <= differences


def test_mlflow_has_it_all_under_explicit_runs(corpus: Path, grid: dict[str, Any]) -> None:
    from mlflow import MlflowClient

    folder = folder_of(grid)
    state = json.loads((folder / "state.json").read_text())
    client = MlflowClient(tracking_uri=f"sqlite:///{corpus}/mlflow.db")
    parent = client.get_run(state["mlflow_run_id"])
    children = state["mlflow_children"]
    assert len(children) == 8
    assert parent.data.tags["traces"].startswith("complete: ")
    assert re.fullmatch(r"[0-9a-f]{40}", parent.data.tags["mlflow.source.git.commit"])
    assert parent.data.tags["dirty"] in ("true", "false")
    used = {i.dataset.name: i.dataset.digest for i in parent.inputs.dataset_inputs}
    assert used == {d["name"]: d["digest"] for d in grid["datasets"]}

    child = client.get_run(children["one/b/plan"])
    assert child.data.tags["mlflow.parentRunId"] == state["mlflow_run_id"]
    assert child.data.params["model"] == "extractive/extractive-v1+1"
    assert [i.dataset.name for i in child.inputs.dataset_inputs] == ["one"]
    row = next(r for r in grid["table"] if (r["method"], r["backend"], r["dataset"], r["metric"])
               == ("plan", "b", "one", "citation_recall"))  # fmt: skip
    assert child.data.metrics["citation_recall"] == row["value"]
    assert child.data.metrics["quality.n_abstained"] == 2

    logged = {f.path for f in client.list_artifacts(state["mlflow_run_id"])}
    assert {"report.html", "environment.txt", "tables", "plots", "scores.jsonl"} <= logged
    table = client.load_table(parent.info.experiment_id, "tables/table.json",
                              run_ids=[state["mlflow_run_id"]])  # fmt: skip
    assert len(table) == len(grid["table"])


def test_what_several_threads_remember_of_a_run_is_all_there(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    run = Run(tmp_path / "run", "essay", {"subject": "x"})
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: run.remember(**{f"k{n}": n}), range(64)))
    assert run.state() == {f"k{n}": n for n in range(64)}
    run.close()


def test_every_unit_has_its_trace_under_its_cells_run(corpus: Path, grid: dict[str, Any]) -> None:
    from mlflow import MlflowClient

    state = json.loads((folder_of(grid) / "state.json").read_text())
    client = MlflowClient(tracking_uri=f"sqlite:///{corpus}/mlflow.db")
    experiment = client.get_run(state["mlflow_run_id"]).info.experiment_id
    found = {
        name: client.search_traces(locations=[experiment], run_id=run_id, max_results=50)
        for name, run_id in state["mlflow_children"].items()
    }
    # A text, the judge's score and the measures, for each item.
    assert {n: len(t) for n, t in found.items()} == {
        n: 6 if n.startswith("one/") else 3 for n in state["mlflow_children"]
    }
    spans = [t for t in found["two/a/plan"] if t.info.tags["mlflow.traceName"].endswith("/1/1")]
    names = [span.name for span in spans[0].data.spans]
    assert names[0] == "two/a/plan/1/1"
    assert names.count("LM") == 2 and "OutlineEssay" in names
    asked = next(span for span in spans[0].data.spans if span.name == "LM")
    assert asked.inputs["messages"] and asked.outputs
    assert asked.parent_id is not None


def test_a_torn_trace_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text('{"unit": "a"}\n{"unit": ')
    every = Tracking(kind="mlflow", uri=None, experiment=None, traces="all")
    for name in ("b", "c"):
        tracing = Tracing(path, every)
        assert tracing.watching(Unit(name, name, lambda: 1)).work() == 1
        assert tracing.said() == "complete: 1 of the 1 units that this invocation ran"
    assert [trace["unit"] for trace in read_traces(path)] == ["a", "b", "c"]


def test_nothing_secret_is_written(corpus: Path, grid: dict[str, Any]) -> None:
    files = [p for root in (folder_of(grid), corpus / "mlruns") for p in root.rglob("*")]
    content = b"".join(p.read_bytes() for p in files if p.is_file())
    assert SECRET.encode() not in content + (corpus / "mlflow.db").read_bytes()


class _Page(HTMLParser):
    """What a browser would make of a page: its elements, its headings, its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_report_is_one_file_that_says_everything(grid: dict[str, Any]) -> None:
    folder = folder_of(grid)
    page = _Page((folder / "report.html").read_text())
    for heading in ("Leaderboard: one", "Differences: two", "citation_recall against",
                    "Cost against citation_recall", "Examples by", "Failures", "Counts",
                    "Do it again"):  # fmt: skip
        assert heading in page.text
    assert "not distinguishable" in page.text
    assert "Most different" in page.text
    assert page.tags.count("svg") > 20
    # Nothing is fetched, nothing runs, and what texts hold is text.
    assert "script" not in page.tags
    assert not {"src", "onload", "onclick"} & {name for name, _ in page.attributes}
    assert "default-src 'none'" in (folder / "report.html").read_text()
    assert "<script>museums()</script>" in page.text
    assert "\u202e" not in page.text
    assert (folder / "plots" / "costs-one.svg").read_text().startswith("<svg xmlns")
    words = (folder / "report.md").read_text()
    assert "## Examples" in words and "<script>" not in words


def test_a_report_is_made_again_from_the_stored_run(
    grid: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(grid)
    before = (folder / "report.html").read_text()
    (folder / "report.html").unlink()
    assert cli.main(["report", str(folder)]) == 0
    assert str(folder / "report.html") in capsys.readouterr().out
    assert (folder / "report.html").read_text() == before


@pytest.fixture(scope="module")
def worse(grid: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, its citations all a little worse."""
    folder = tmp_path_factory.mktemp("runs") / "worse"
    shutil.copytree(folder_of(grid), folder)
    rows = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    for row in rows:
        if row["metric"] == "citation_recall":
            row["value"] -= 0.1 + 0.001 * len(row["item"])
    (folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_gate_refuses_what_an_interval_calls_worse(
    grid: dict[str, Any], worse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(grid)
    assert cli.main(["gate", str(worse), "--against", str(folder), "--json"]) == 4
    said = capsys.readouterr()
    found = json.loads(said.out)
    Draft202012Validator(GateResult.model_json_schema()).validate(found)
    cell = next(c for c in found["cells"] if c["cell"] == "one/a/e2e")
    assert (cell["passed"], cell["finding"], cell["n"]) == (False, "worse", 2)
    assert cell["delta"] == pytest.approx(-0.101)
    assert "worse is worse than" in said.err and "citation_recall -0.10 [-0.10, -0.10]" in said.err
    # One item tells no interval, and nothing that is not told is held against a run.
    assert next(c for c in found["cells"] if c["cell"] == "two/a/e2e")["finding"] == "undefined"
    assert cli.main(["gate", str(folder), "--against", str(worse)]) == 0
    assert cli.main(["compare", str(worse), str(folder)]) == 0


def test_a_champion_is_held_and_replaced_by_what_passes(
    grid: dict[str, Any],
    worse: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MOOT_ARTIFACTS", str(tmp_path))
    folder = str(folder_of(grid))
    assert cli.main(["gate", folder]) == 2
    assert "no champion of grid" in capsys.readouterr().err
    assert cli.main(["gate", folder, "--promote"]) == 0
    assert cli.main(["gate", str(worse), "--promote"]) == 4
    held = json.loads((tmp_path / "champions" / "evaluation-grid.json").read_text())
    assert held["dir"] == folder


def test_what_cannot_be_compared_is_refused(
    grid: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(grid)
    assert cli.main(["gate", str(folder), "--against", str(folder), "--metric", "nothing"]) == 2
    other = tmp_path / "unfinished"
    shutil.copytree(folder, other)
    (other / RESULT_FILE).unlink()
    assert cli.main(["report", str(other)]) == 2
    assert "moot resume" in capsys.readouterr().err


class Named(Metric):
    """Share of the question's partial answers whose point of view the answer shares a word with."""

    name: ClassVar[str] = "named"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("generation", "partial_answers")

    def score(self, row: Row, tools: Tools) -> Score:
        words = set(rows.text(row).lower().split())
        held = [bool(words & set(a.point_of_view.split())) for a in rows.partial_answers(row)]
        return Score(value=sum(held) / len(held), explanation=f"{sum(held)} of {len(held)}")


class Vocabulary(Named):
    """Different words over all answers of a cell."""

    name: ClassVar[str] = "vocabulary"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    level: ClassVar[Level] = "corpus"
    resampled: ClassVar[bool] = False

    def over(self, rows_: Sequence[Row], tools: Tools) -> Score:
        words = {word for row in rows_ for word in rows.text(row).split()}
        return Score(value=float(len(words)), explanation="words")


class Spoken(Vocabulary):
    """Words of an answer, over all answers of a cell."""

    name: ClassVar[str] = "spoken"
    resampled: ClassVar[bool] = True

    def over(self, rows_: Sequence[Row], tools: Tools) -> Score:
        words = [len(rows.text(row).split()) for row in rows_]
        return Score(value=sum(words) / len(words), explanation="words per answer")


def test_answers_to_questions_with_partial_answers(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from flows.evaluation import evaluation

    answers = [
        {"point_of_view": "museums", "explanation": "They are for all."},
        {"point_of_view": "xylophone", "explanation": "Nobody says so."},
    ]
    texts = ("Should museums be free of charge?", "Should museums charge entrance fees?")
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(
        json.dumps({"question": text, "topic": "museums", "partial_answers": answers}) + "\n"
        for text in texts
    ))  # fmt: skip
    result = evaluation(
        composed(
            "evaluation",
            "~method@methods.persona_debate",
            "+method@methods.basic=basic",
            "+method@methods.detailed=detailed",
            "dataset=debatable",
            f"dataset.path={path}",
            "reference=basic",
            "metric=[citation_recall]",
            "primary=named",
            "tracking=none",
            f"+metrics.named={{_target_: {__name__}.Named}}",
            f"+metrics.vocabulary={{_target_: {__name__}.Vocabulary}}",
            f"+metrics.spoken={{_target_: {__name__}.Spoken}}",
            f"paths.artifacts={corpus}",
        )
    )
    assert (result["kind"], result["stance"], result["failures"]) == ("answer", None, [])
    found = {(r["method"], r["metric"]): r for r in result["table"]}
    assert [found[m, "named"]["value"] for m in ("basic", "detailed")] == [0.5, 0.5]
    lines = (folder_of(result) / "outputs.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    assert {r["question"] for r in told} == set(texts) and all(r["passages"] for r in told)
    # One figure over the whole cell, and every answer counted. It has an interval where it can be
    # computed anew over resampled questions, else it is said why not.
    spoken = found["basic", "spoken"]
    assert spoken["ci"][0] <= spoken["value"] <= spoken["ci"][1]
    assert spoken["ci"][0] < spoken["ci"][1]
    apart = next(c for c in result["comparisons"] if c["metric"] == "spoken")
    assert apart["ci"][0] <= apart["delta"] <= apart["ci"][1]
    assert (apart["finding"], apart["n"]) == ("not distinguishable", 2)
    assert any("vocabulary has no interval: rows that are repeated" in n for n in result["notes"])
    assert "[–]" in (folder_of(result) / "table.md").read_text()
    folder = str(folder_of(result))
    assert cli.main(["gate", folder, "--against", folder, "--metric", "spoken"]) == 0
    assert "spoken +0.00 [+0.00, +0.00]" in capsys.readouterr().out
    assert cli.main(["gate", folder, "--against", folder, "--metric", "vocabulary"]) == 0
    assert "vocabulary +0.00, higher is better, n 0: undefined" in capsys.readouterr().out
    whole = found["basic", "vocabulary"]
    words = {w for r in told if r["method"] == "basic" for w in r["generation"].split()}
    assert (whole["value"], whole["ci"], whole["n_scored"]) == (len(words), None, 2)
    compared = next(c for c in result["comparisons"] if c["metric"] == "vocabulary")
    assert compared["delta"] is not None and compared["finding"] == "undefined"
    assert "By topic" in (folder_of(result) / "report.html").read_text()


def test_a_sweep_is_resumed_job_by_job(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows_file = tmp_path / "rows.jsonl"
    row = {"id": "1", "input": "museums", "outputs": ["free for all", "free for some"]}
    rows_file.write_text(json.dumps(row) + "\n")
    runs = tmp_path / "runs"
    words = [str(rows_file), "metric=self_bleu", "tracking=none", f"paths.artifacts={corpus}",
             f"paths.runs={runs}", "output=json"]  # fmt: skip
    assert cli.main(["score", *words, "-m", "seed=0,1,2"]) == 0
    (sweep,) = (runs / "score").iterdir()
    jobs = sorted(path.parent for path in sweep.glob("*/result.json"))
    assert len(jobs) == 3
    kept = (jobs[0] / "result.json").stat().st_mtime_ns
    (jobs[1] / "result.json").unlink()  # killed under way
    shutil.rmtree(jobs[2])  # never begun
    capsys.readouterr()
    assert cli.main(["resume", str(sweep)]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    # Runs that began in one second sort by chance: no job is the first by its folder's name.
    assert len(said) == 2 and str(jobs[1]) in [job["run"]["dir"] for job in said]
    assert len(list(sweep.glob("*/result.json"))) == 3
    assert (jobs[0] / "result.json").stat().st_mtime_ns == kept
    assert cli.main(["resume", str(sweep)]) == 2
    assert "are finished" in capsys.readouterr().err
