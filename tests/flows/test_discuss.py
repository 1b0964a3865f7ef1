"""Discussions and their annotation as flows, against the local server and over logs."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.run import every
from signatures.errors import ConfigError, EvidenceError, InputError, MootError
from signatures.moderation_results import AnnotateResult, DiscussResult
from signatures.schemas import folder as schemas
from tests.flows.test_processes import start, wait_for
from tests.servers.forum import forum
from tests.servers.lm import LMRequest, LMServer, Reply
from tests.support import DATA, composed, document, moot

pytestmark = pytest.mark.usefixtures("prefect_server")

RATERS = 3
TOPIC = "We should make all museums free of charge"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")


@pytest.fixture
def server() -> Iterator[LMServer]:
    with LMServer(forum, models=("gpt-4o-mini",)) as running:
        yield running
    assert running.errors == []


@pytest.fixture
def raters(tmp_path: Path) -> str:
    """The option that names three annotators in JSON files, as the thesis writes them."""
    folder = tmp_path / "annotators"
    folder.mkdir()
    for name in ("gamer", "nurse", "poet"):
        content = {"attributes": [name], "instructions": "Rate.", "history_ctx_len": 3}
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return f"annotators.path={folder}"


def run(flow: str, subject: object, home: Path, *overrides: str, **more: Any) -> dict[str, Any]:
    from flows.annotate import annotate
    from flows.discuss import discuss

    plain = composed(flow, "subject=x", f"paths.artifacts={home}", "tracking=none", *overrides)
    flows: dict[str, Any] = {"annotate": annotate, "discuss": discuss}
    return dict(flows[flow]({**plain, "subject": str(subject), **more}))


def backend(server: LMServer) -> list[str]:
    return ["backend=openai", f"backend.base_url={server.base_url}"]


def configs(folder: Path, count: int = 2, rounds: int = 2) -> Path:
    """Configurations in the thesis' form, each with a moderator and without."""
    for number in range(count):
        for name, moderator in (("game", "mod"), ("game_no_mod", None)):
            content = {
                "context": f"You see this post:'Case {number} is closed.'",
                "user_names": ["ann", "bob"],
                "user_attributes": [["calm"], ["rude"]],
                "user_instructions": "Be brief.",
                "conv_len": rounds,
                "history_ctx_len": 3,
                "moderator_name": moderator,
                "moderator_attributes": ["just"] if moderator else None,
                "moderator_instructions": "Watch." if moderator else None,
            }
            path = folder / name / f"{number}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_a_folder_of_configs_becomes_plots_and_tables(
    home: Path, tmp_path: Path, server: LMServer, raters: str
) -> None:
    folder = configs(tmp_path / "configs")
    found = run("discuss", folder, home, *backend(server), raters)
    result = DiscussResult.model_validate(found)
    Draft202012Validator(
        json.loads((schemas() / "discuss.json").read_text(encoding="utf-8"))
    ).validate(found)
    assert [d.id for d in result.discussions] == [
        "game/0",
        "game/1",
        "game_no_mod/0",
        "game_no_mod/1",
    ]
    assert [len(d.turns) for d in result.discussions] == [8, 8, 4, 4]
    comments = sum(bool(t.text) for d in result.discussions for t in d.turns)
    assert len(result.annotations) == RATERS * comments
    assert all(a.value is not None for a in result.annotations)
    assert result.agreement["toxicity"].n_ratings == RATERS * comments
    assert result.analysis is not None
    assert result.analysis.effects[0].n_pairs == 2
    assert "too few" in (result.analysis.regressions[0].reason or "")
    files = {Path(f).name for f in result.files}
    assert {
        f"toxicity_{p}.png" for p in ("ratings", "trajectories", "annotators", "polarization")
    } <= files
    assert {"report.md", "transcripts.md", "discussions.parquet", "annotations.parquet"} <= files
    assert all(
        Path(f).stat().st_size for f in result.files if not f.endswith("controversial.jsonl")
    )
    again = run("discuss", folder, home, *backend(server), raters)
    assert again["usage"]["calls"] == 0
    assert again["usage"]["units_reused"] == 4 + 4 * RATERS
    for changing in ("run", "usage", "seconds", "files"):
        found.pop(changing), again.pop(changing)
    assert again == found


def test_datasets_are_linked_by_keys_that_are_unique(
    home: Path, tmp_path: Path, raters: str
) -> None:
    def same(request: LMRequest) -> str:
        return re.sub(r"I say \w+", "I say it", forum(request))

    with LMServer(same, models=("gpt-4o-mini",)) as server:
        words = [*backend(server), raters, "analysis.controversial=0.01"]
        found = run("discuss", configs(tmp_path / "configs"), home, *words)
    from pyarrow import parquet

    datasets = Path(found["run"]["dir"]) / "datasets"
    tables = {}
    for name in ("discussions", "annotations", "controversial"):
        rows = parquet.read_table(datasets / f"{name}.parquet").to_pylist()
        lines = (datasets / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line) for line in lines] == rows
        tables[name] = rows
    texts = Counter(row["text"] for row in tables["discussions"] if row["role"] == "user")
    assert max(texts.values()) > 1, "texts were to repeat"
    keys = {"discussions": "comment_id", "annotations": "annotation_id", "controversial": "id"}
    for name, key in keys.items():
        values = [row[key] for row in tables[name]]
        assert len(set(values)) == len(values) > 0
    comments = {row["comment_id"] for row in tables["discussions"]}
    for name in ("annotations", "controversial"):
        assert {row["comment_id"] for row in tables[name]} <= comments


def test_a_grid_over_a_topic(home: Path, server: LMServer) -> None:
    words = [
        "policy=[standard,game]",
        "moderated=[true,false]",
        "seeds=[0,1]",
        "discussion.rounds=1",
    ]
    result = DiscussResult.model_validate(run("discuss", TOPIC, home, *backend(server), *words))
    assert len({d.id for d in result.discussions}) == 8
    firsts = {d.turns[0].text for d in result.discussions}
    # Discussions that differ in moderation alone begin alike; seeds and policies differ.
    assert len(firsts) == 4
    assert result.annotations == [] and result.analysis is None


def test_a_bad_reply_costs_a_turn_and_an_outage_its_discussion(home: Path, tmp_path: Path) -> None:
    def faulty(request: LMRequest) -> str | Reply:
        if "Case 0" in request.prompt and "bob" in request.user and _name(request) == "bob":
            return "no fields at all"
        if "Case 1" in request.prompt and "Watch." in request.prompt:
            return Reply(status=500)
        return forum(request)

    with LMServer(faulty, models=("gpt-4o-mini",)) as server:
        words = [*backend(server), "backend.retries=0", "runner.retries=0", "max_failed=0.3"]
        result = DiscussResult.model_validate(run("discuss", configs(tmp_path), home, *words))
    assert [d.id for d in result.discussions] == ["game/0", "game_no_mod/0", "game_no_mod/1"]
    assert [f.unit for f in result.failures] == ["discuss game/1"]
    assert "failed on its side" in result.failures[0].reason
    bob = [t for t in result.discussions[0].turns if t.actor == "bob"]
    assert [t.action for t in bob] == ["failed", "failed"]
    assert result.counts.failed == 4
    assert result.incomplete is None


def test_too_many_failed_turns_fail_the_run(home: Path, tmp_path: Path) -> None:
    with LMServer(lambda request: "no fields at all", models=("gpt-4o-mini",)) as server:
        found = run("discuss", configs(tmp_path, 1, 1), home, *backend(server))
    assert found["incomplete"] == "6 of 6 turns failed, more than max_failed=0.05"


def _name(request: LMRequest) -> str:
    return request.user.partition("[[ ## name ## ]]")[2].strip().splitlines()[0]


def test_the_baseline_speaks_from_the_corpus_and_never_rates(corpus: Path, raters: str) -> None:
    words = [raters, "discussion.rounds=2"]
    result = DiscussResult.model_validate(run("discuss", TOPIC, corpus, *words))
    said = [t.text for t in result.discussions[0].turns if t.action == "comment"]
    assert len(said) == len(set(said)) == 4
    assert result.counts.abstained == 4
    assert {a.outcome for a in result.annotations} == {"abstained"}
    assert result.agreement["toxicity"].krippendorff_alpha.ordinal is None
    assert any("does not rate" in note for note in result.notes)
    with pytest.raises(EvidenceError):
        run("discuss", "Whales should carry passports", corpus)


@pytest.mark.parametrize(
    ("flow", "subject", "overrides", "said"),
    [
        ("discuss", "no/such/folder", [], "does not exist"),
        ("discuss", TOPIC, ["evidence=none"], "the extractive engine speaks from the corpus"),
        ("discuss", TOPIC, ["discussion.rounds=0"], "discussion.rounds"),
        ("discuss", TOPIC, ["discussion.window=500"], "longer than the model's context"),
        ("discuss", TOPIC, ["discussion.context=Hello"], "must hold {topic}"),
        ("discuss", TOPIC, ["discussion.weights=[1]"], "user_weights"),
        ("discuss", TOPIC, ["discussion.weights=[0,1]"], "discussion.weights"),
        ("discuss", TOPIC, ["seeds=[-1]"], "seeds.0"),
        ("discuss", TOPIC, ["topics=['']"], "topics.0"),
        ("discuss", TOPIC, ["backgrounds.opposed=[]"], "background opposed"),
        ("discuss", TOPIC, ["annotators.path=absent"], "absent does not exist"),
        ("discuss", TOPIC, ["annotators=backgrounds", "annotators.window=99"], "annotator "),
        ("discuss", TOPIC, ["+criteria.Bad={low: 1, high: 5}"], "lower case"),
        ("discuss", TOPIC, ["+criteria.bad={low: 5, high: 1}"], "low must be below high"),
        ("annotate", "no/such/logs", [], "is no run"),
    ],
)
def test_bad_input_is_one_line(
    flow: str, subject: str, overrides: list[str], said: str, home: Path
) -> None:
    with pytest.raises(MootError) as caught:
        run(flow, subject, home, *overrides)
    assert isinstance(caught.value, ConfigError | InputError)
    assert said in caught.value.line()
    assert caught.value.exit_code == 2


def test_a_run_is_annotated_with_other_criteria(
    home: Path, tmp_path: Path, server: LMServer, raters: str
) -> None:
    held = run("discuss", configs(tmp_path / "configs", 1, 1), home, *backend(server))
    words = [*backend(server), raters, "criteria=[toxicity,argument_quality]"]
    found = run("annotate", held["run"]["id"], home, *words)
    Draft202012Validator(
        json.loads((schemas() / "annotate.json").read_text(encoding="utf-8"))
    ).validate(found)
    result = AnnotateResult.model_validate(found)
    assert set(result.agreement) == {"toxicity", "argument_quality"}
    assert {a.annotator for a in result.annotations} == {"gamer", "nurse", "poet"}
    comments = sum(bool(t["text"]) for d in held["discussions"] for t in d["turns"])
    assert len(result.annotations) == comments * RATERS * 2
    assert found["usage"]["calls"] <= comments * RATERS


LOG = "discussion_id,speaker,role,text,annotator,rating,comment_id\n" + "".join(
    f"d{d},{who},{role},Hello {n},{rater},{(d + n * rater) % 5 + 1},{d}-{n}\n"
    for d in range(6)
    for n, (who, role) in enumerate(
        [
            ("ann", "user"),
            ("mod" if d % 2 else "bob", "moderator" if d % 2 else "user"),
            ("bob", "user"),
        ]
    )
    for rater in (1, 2, 3)
)


def test_logs_are_analysed_without_any_backend(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(LOG, encoding="utf-8")
    result = AnnotateResult.model_validate(run("annotate", path, home, "annotators=none"))
    assert result.usage.calls == 0
    assert result.agreement["toxicity"].n_ratings == 54
    assert result.run.models == {}
    assert len([f for f in result.files if f.endswith(".png")]) == 4
    assert result.analysis.regressions[0].terms[1].term == "moderated"


@pytest.mark.data
def test_the_thesis_logs_are_analysed_without_any_backend(home: Path) -> None:
    logs = DATA / "moderation"
    if not logs.exists():
        pytest.skip("the data beside the checkout is absent")
    result = AnnotateResult.model_validate(run("annotate", logs, home, "annotators=none"))
    agreement = result.agreement["toxicity"]
    assert (agreement.n_ratings, agreement.n_failed, agreement.n_comments) == (754, 91, 366)
    assert result.usage.calls == 0
    assert result.analysis.effects[0].n_pairs == 10
    assert result.analysis.regressions[0].n_discussions == 25
    assert len([f for f in result.files if f.endswith(".png")]) == 4


@pytest.mark.slow
def test_kill_9_and_resume_repeats_no_call_and_loses_none(
    home: Path, tmp_path: Path, raters: str
) -> None:
    folder = configs(tmp_path / "configs", count=3, rounds=3)
    with LMServer(forum, models=("gpt-4o-mini",), latency_s=0.1) as server:
        words = ["discuss", str(folder), *backend(server), raters]
        words += ["output=json", "tracking=none"]
        process = start(*words, artifacts=home, OPENAI_API_KEY="k")
        wait_for(server, 60, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before = len(server.requests)
        under_way = server.max_concurrent
        run_folder = every(home / "runs")[-1]
        done = moot("resume", run_folder.name, artifacts=home, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        asked = [r.prompt for r in server.requests]
        result = document(done)
        # Calls that were out when the process died were answered to nobody; no other is repeated.
        assert len(asked) - len(set(asked)) <= under_way
        again = run("discuss", folder, home, *backend(server), raters, "seed=0")  # the command's
        assert len(server.requests) == len(asked)
    assert result["usage"]["calls"] == len(asked) - before
    assert again["usage"]["calls"] == 0
    assert again["discussions"] == result["discussions"]
    assert len(result["discussions"]) == 6
    assert result["failures"] == []
    comments = sum(bool(t["text"]) for d in result["discussions"] for t in d["turns"])
    assert len(result["annotations"]) == comments * RATERS
