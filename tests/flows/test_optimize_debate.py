"""The roundtable's two parts as targets: what personas say, and the evidence put to it."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from flows.run import every
from signatures.errors import ConfigError, InputError
from tests.flows.test_optimize import MODEL, QUESTIONS, optimized
from tests.flows.test_processes import start, wait_for
from tests.servers.lm import LMRequest, LMServer
from tests.servers.repeats import Kill, repeats
from tests.servers.teachable import CITE, FRESH, NAMED, teachable
from tests.support import ROOT, composed, document, moot

pytestmark = pytest.mark.usefixtures("prefect_server")

SETTINGS = ("tracking=none", "retriever=dense")
RECALL = ("recall.min_similarity=0", "recall.sure_similarity=0", "recall.background=6")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Arguments whose sentences stand in the corpus, a file's each, on questions of their own."""
    folder = ROOT / "data" / "corpus" / "free-museums"
    texts = [path.read_text() for path in sorted([*folder.glob("*.md"), *folder.glob("*.txt")])]
    said = [
        paragraph.replace("\n", " ")
        for text in texts
        for paragraph in text.split("\n\n")
        if paragraph.count(". ") >= 2 and not paragraph.startswith("#")
    ]
    path = tmp_path_factory.mktemp("data") / "arguments.jsonl"
    path.write_text(
        "".join(
            json.dumps({"question": question, "partial_answers": [argument]}) + "\n"
            for question, argument in zip(QUESTIONS, said[:: len(said) // 12], strict=False)
        )
    )
    return path


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "topics.jsonl"
    path.write_text("".join(json.dumps({"question": text}) + "\n" for text in QUESTIONS))
    return path


def given(corpus: Path, target: str, rows: Path, *more: str, server: LMServer | None) -> list[str]:
    words = [f"target={target}", f"paths.artifacts={corpus}", f"dataset.path={rows}", *SETTINGS]
    words += [*RECALL, "dataset.limit=12"]
    if target == "debate":
        words += ["dataset.only=all"]
    if server is not None:
        words += ["backend=openai", f"backend.base_url={server.base_url}", "backend.retries=0"]
    return [*words, *more]


def tuned(corpus: Path, target: str, rows: Path, *more: str, server: LMServer | None) -> Any:
    with pytest.MonkeyPatch.context() as patch:  # fixtures of a module are set up before a test's
        patch.setenv("OPENAI_API_KEY", "k")
        return optimized(given(corpus, target, rows, *more, server=server))


REAL = {
    "debate": (
        "optimizer=gepa", "metric=[turn_novelty,turn_relevance]", "objective.weights=null",
        "objective.guards.evidence_balance=null", "objective.guards.turn_relevance=0.2",
        "optimizer.calls=1000", "seed=0",
    ),
    # Untaught it finds nothing that it could cite, rightly or wrongly.
    "evidence": (
        "optimizer=gepa", "recall.turn=3", "objective.guards.citation_precision=null", "seed=0",
    ),
}  # fmt: skip


def searched(corpus: Path, target: str, rows: Path) -> tuple[dict[str, Any], list[LMRequest]]:
    """One search that ends with a better program, and what the server was asked."""
    with LMServer(teachable, models=(MODEL,)) as server:
        found: dict[str, Any] = tuned(corpus, target, rows, *REAL[target], server=server)
        assert server.errors == []
        return found, server.requests


@pytest.fixture(scope="module")
def on_debate(corpus: Path, topics: Path) -> tuple[dict[str, Any], list[LMRequest]]:
    return searched(corpus, "debate", topics)


@pytest.fixture(scope="module")
def on_evidence(corpus: Path, arguments: Path) -> tuple[dict[str, Any], list[LMRequest]]:
    return searched(corpus, "evidence", arguments)


@pytest.fixture(scope="module")
def spoken(on_debate: tuple[dict[str, Any], list[LMRequest]]) -> dict[str, Any]:
    return on_debate[0]


@pytest.fixture(scope="module")
def cited(on_evidence: tuple[dict[str, Any], list[LMRequest]]) -> dict[str, Any]:
    return on_evidence[0]


def test_personas_learn_to_say_what_is_new(spoken: dict[str, Any]) -> None:
    assert spoken["promoted"], spoken["reason"]
    assert spoken["holdout"]["ci"][0] > 0
    program = json.loads(Path(spoken["program"]).read_text())
    assert (program["target"], program["method"]) == ("debate", "roundtable")
    assert FRESH in program["program"]["turn.predict"]["instructions"]
    assert set(program["program"]) == {"turn.predict", "shorten.predict"}


def test_arguments_are_searched_for_and_cited_better(cited: dict[str, Any]) -> None:
    assert cited["promoted"], cited["reason"]
    state = json.loads(Path(cited["program"]).read_text())["program"]
    assert CITE in state["rewrite.ask.predict"]["instructions"]
    assert NAMED in state["query.ask.predict"]["instructions"]
    assert cited["holdout"]["after"]["kept_wording"] == 1.0


def test_a_debate_takes_a_program_for_each_of_its_parts(
    corpus: Path, spoken: dict[str, Any], cited: dict[str, Any], tmp_path: Path
) -> None:
    from flows.debate import debate

    plain = ["subject='Should museums be free?'", f"paths.artifacts={corpus}", *SETTINGS, *RECALL]
    plain += ["debate.personas=2", "debate.closing=false"]
    mine = [f"program={spoken['program']}", f"evidence_program={cited['program']}"]
    with LMServer(teachable, models=(MODEL,)) as server:
        real = ["backend=openai", f"backend.base_url={server.base_url}"]
        held = debate(composed("debate", *plain, *mine, *real))
        taught = [r.system for r in server.requests]
        assert server.errors == []
    for lesson in (FRESH, CITE, NAMED):
        assert any(lesson in system for system in taught), lesson
    assert set(held["run"]["programs"]) == {"debate/roundtable", "evidence/argument"}
    # What was tuned on one backend runs on another.
    assert debate(composed("debate", *plain, *mine))["rounds"]
    with pytest.raises(ConfigError, match="tuned for evidence/argument"):
        debate(composed("debate", *plain, f"program={cited['program']}"))
    with pytest.raises(ConfigError, match="evidence_program has nothing to do"):
        debate(composed("debate", *plain, mine[1], "evidence=none", "backend=vllm"))
    changed = json.loads(Path(spoken["program"]).read_text())
    del changed["signatures"]["turn.predict"]["history"]
    other = tmp_path / "program.json"
    other.write_text(json.dumps(changed))
    with pytest.raises(ConfigError, match=r"turn\.predict: the field 'history' is new"):
        debate(composed("debate", *plain, f"program={other}"))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["debate", "evidence"])
def test_killed_and_resumed_it_asks_nothing_twice_and_ends_the_same(
    corpus: Path, topics: Path, arguments: Path, request: pytest.FixtureRequest, target: str
) -> None:
    straight, asked = request.getfixturevalue(f"on_{target}")
    rows = topics if target == "debate" else arguments
    with LMServer(teachable, models=(MODEL,), latency_s=0.05) as server:
        words = given(corpus, target, rows, *REAL[target], server=server)
        process = start("optimize", *words, "runner.concurrency=2", artifacts=corpus,
                        OPENAI_API_KEY="k")  # fmt: skip
        wait_for(server, len(asked) // 2, process)
        killed = time.monotonic()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        gone = time.monotonic()
        folder = every(corpus / "runs")[-1]
        done = moot("resume", folder.name, "output=json", artifacts=corpus, OPENAI_API_KEY="k")
        assert done.returncode == 0, done.stderr
        # Each of two threads keeps an answer before it asks on: one call of each can be lost.
        again = repeats(server, asked, [Kill(killed, gone)])
        assert again.answered + again.under_way <= 2
        assert again.foreign == 0
        assert server.errors == []
    resumed = document(done)
    assert resumed["program_digest"] == straight["program_digest"]
    assert resumed["holdout"] == straight["holdout"]


@pytest.mark.parametrize("target", ["debate", "evidence"])
def test_without_a_model_nothing_is_found(
    corpus: Path, topics: Path, arguments: Path, target: str
) -> None:
    rows = topics if target == "debate" else arguments
    found = tuned(corpus, target, rows, "optimizer=bootstrap", server=None)
    assert not found["promoted"]
    assert "no improvement found" in found["reason"], found["trials"]
    assert len(found["trials"]) > 1
    assert found["baseline"][found["primary"]] is not None


def test_a_table_at_which_nobody_speaks_is_refused(corpus: Path, topics: Path) -> None:
    with pytest.raises(ConfigError, match="nobody speak"):
        tuned(corpus, "debate", topics, "debate.rounds=0", server=None)


def test_a_dataset_of_another_kind_is_refused(corpus: Path) -> None:
    with pytest.raises(ConfigError, match="does not suit evidence/argument"):
        optimized([f"paths.artifacts={corpus}", "target=evidence", "dataset=disputed", *SETTINGS])


def test_few_arguments_are_refused_with_the_least(corpus: Path, arguments: Path) -> None:
    with pytest.raises(InputError, match="expected at least 6"):
        tuned(corpus, "evidence", arguments, "dataset.limit=5", server=None)
