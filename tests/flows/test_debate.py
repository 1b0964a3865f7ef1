"""The debate flow: a run on disk that can be followed, taken up again, voted on and mailed."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from flows.debate_events import EventLog, scene
from flows.debate_files import latest, reopen, vote, votes
from flows.debate_html import domain, link, page
from flows.debate_text import debate_text
from signatures.errors import BudgetReached, ConfigError, EvidenceError, InputError
from signatures.results import DebateResult
from tests.servers.debaters import debaters
from tests.servers.lm import LMRequest, LMServer, requested_fields
from tests.support import composed

pytestmark = pytest.mark.usefixtures("prefect_server")

MUSEUMS = "We should make all museums free of charge"
TWO = [{"title": "Guard", "stance": "against"}, {"title": "Teacher", "stance": "for"}]


def run(corpus: Path, *overrides: str, folder: Path | None = None, **plain: Any) -> dict[str, Any]:
    from flows.debate import debate

    made = composed("debate", "subject=x", f"paths.artifacts={corpus}", "tracking=none", *overrides)
    return debate({**made, "subject": MUSEUMS, **plain}, str(folder) if folder else None)


@pytest.fixture(scope="module")
def first(corpus: Path) -> dict[str, Any]:
    return run(corpus)


def test_the_debate_is_what_was_promised(first: dict[str, Any]) -> None:
    assert len(first["personas"]) == 5
    assert {p["stance"] for p in first["personas"]} >= {"for", "against"}
    (turns,) = first["rounds"]
    assert [t["speaker"] for t in turns] == [p["id"] for p in first["personas"]]
    assert all(t["words"] <= first["word_limit"] for t in turns)
    assert all("\n\n- " in t["text"] for t in turns)
    assert [t["replies_to"] is not None for t in turns] == [False] + [True] * 4
    assert sum(len(t["citations"]) for t in turns) >= 5
    assert first["closing"]["disagreements"]
    assert first["recommendation"] is None
    assert set(first["metrics"]) == {"citation_precision", "citation_recall", "evidence_balance"}


def test_no_citation_dangles(first: dict[str, Any]) -> None:
    from modules.citations import markers

    for turn in first["rounds"][0]:
        assert set(markers(turn["text"])) == {c["marker"] for c in turn["citations"]}


def test_its_events_tell_the_same_story(first: dict[str, Any]) -> None:
    found = scene(Path(first["run"]["dir"]))
    assert found.status == "finished"
    assert [p.title for p in found.personas] == [p["title"] for p in first["personas"]]
    told = [t.content.text for t in found.rounds()[1] if t.content]
    assert told == [t["text"] for t in first["rounds"][0]]
    assert found.closing is not None


def test_the_files_are_there(first: dict[str, Any]) -> None:
    folder = Path(first["run"]["dir"])
    assert json.loads((folder / "result.json").read_text()) == first
    assert "## Round 1" in (folder / "debate.md").read_text()
    mailed = (folder / "debate.html").read_text()
    assert "<script" not in mailed
    assert "http" not in mailed.replace("http-equiv", "")


def test_another_round_goes_on_in_the_same_run(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    seated = run(corpus, "debate.rounds=0", folder=folder)
    assert seated["rounds"] == []
    reopen(folder)
    one = run(corpus, "debate.rounds=1", folder=folder, personas=TWO)
    vote(folder, "t1", "up")
    reopen(folder)
    two = run(corpus, "debate.rounds=2", folder=folder)
    assert two["rounds"][0] == one["rounds"][0]
    assert [t["id"] for t in two["rounds"][1]] == ["t3", "t4"]
    assert two["votes"] == {"t1": "up"}
    assert two["run"]["usage_total"]["calls"] > one["run"]["usage_total"]["calls"]
    assert len(list(folder.glob("result-*.json"))) == 2
    assert [len(turns) for turns in scene(folder).rounds().values()] == [2, 2]
    vote(folder, "t1", None)
    result = latest(folder)
    assert result is not None
    assert result.votes == {}


def test_a_budget_keeps_everything_and_resumes(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "capped"
    with pytest.raises(BudgetReached):
        run(corpus, "seed=5", "budget.calls=6", folder=folder, personas=TWO)
    assert scene(folder).status == "failed"
    result = run(corpus, "seed=5", folder=folder, personas=TWO)
    whole = run(corpus, "seed=5", personas=TWO)
    assert result["rounds"] == whole["rounds"]
    assert result["run"]["usage_total"]["calls"] == whole["run"]["usage_total"]["calls"]
    assert whole["usage"]["calls"] == 0


@pytest.mark.parametrize("mode", ["continuous", "round_synchronous"])
def test_a_real_backend_streams_it(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    pair = threading.Barrier(2)

    def together(request: LMRequest) -> str:
        """Answer, but the turns of a synchronous round only once both have been asked for."""
        if mode == "round_synchronous" and "relation" in requested_fields(request):
            pair.wait(timeout=60)
        return debaters(request)

    with LMServer(together, models=("gpt-4o-mini",), api_key="sk-secret-of-the-test") as server:
        result = run(
            corpus, "backend=openai", f"backend.base_url={server.base_url}", "debate.rounds=2",
            f"debate.mode={mode}", "debate.moderator=true", "debate.recommendation=true",
            personas=TWO,
        )  # fmt: skip
        assert any(r.body.get("stream") for r in server.requests)
        assert not server.errors
    assert [len(r) for r in result["rounds"]] == [2, 2]
    assert [n["round"] for n in result["moderation"]] == [1, 2]
    assert result["recommendation"]["advice"] == "Try it for a year."
    assert result["usage"]["usd"] > 0
    folder = Path(result["run"]["dir"])
    events = [json.loads(x) for x in (folder / "events.jsonl").read_text().splitlines()]
    assert any(e["event"] == "text" for e in events)
    texts = [p.read_text() for p in folder.rglob("*") if p.is_file()]
    assert not any("sk-secret-of-the-test" in text for text in texts)


@pytest.mark.parametrize("mode", ["continuous", "round_synchronous"])
def test_nobody_waits_for_anothers_evidence(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    turns: list[str] = []
    searching, second = threading.Event(), threading.Event()
    kept: list[bool] = []

    def waiting(request: LMRequest) -> str:
        """In order, the second turn is asked for before the first one's sources are found; at the
        same time, the first one's sources are looked for before the second turn is there.
        """
        fields = requested_fields(request)
        if "relation" in fields:
            turns.append(request.prompt)
            if len(turns) == 2:
                second.set()
                if mode == "round_synchronous":
                    kept.append(searching.wait(timeout=60))
        elif "query" in fields:
            searching.set()
            kept.append(second.wait(timeout=60))
        return debaters(request)

    with LMServer(waiting, models=("gpt-4o-mini",), api_key="sk-test") as server:
        run(
            corpus, "backend=openai", f"backend.base_url={server.base_url}", "seed=77",
            f"debate.mode={mode}", personas=TWO,
        )  # fmt: skip
    assert len(kept) == (3 if mode == "round_synchronous" else 2)
    assert all(kept)


def test_personas_come_from_a_file(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(TWO))
    result = run(corpus, f"personas={path}", "debate.rounds=0")
    assert [p["title"] for p in result["personas"]] == ["Guard", "Teacher"]
    path.write_text('[{"name": "Guard"}]')
    with pytest.raises(InputError, match="no list of personas"):
        run(corpus, f"personas={path}")
    with pytest.raises(InputError, match="cannot read"):
        run(corpus, f"personas={tmp_path}/none.json")
    with pytest.raises(ConfigError, match="2 to 12"):
        run(corpus, personas=TWO[:1])


def test_a_topic_outside_the_corpus_is_refused(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="no evidence"):
        run(corpus, folder=tmp_path / "r", subject="Boxing gloves should be heavier in fights")
    assert scene(tmp_path / "r").status == "failed"


def test_what_is_shown_is_text(first: dict[str, Any]) -> None:
    bad = '<script>alert(1)</script> <img src=x onerror=y> & "q"'
    turn = first["rounds"][0][0]
    cited = {
        **(turn["citations"] or first["rounds"][0][1]["citations"])[0],
        "marker": 1, "title": bad, "quote": bad, "source": "javascript:alert(1)",
    }  # fmt: skip
    web = {**cited, "marker": 2, "source": "https://exämple.org/a?b=1&c=<d>"}
    changed = {**turn, "text": f"{bad} [1][2].\n\n- {bad}", "citations": [cited, web]}
    personas = [{**p, "title": bad, "emoji": bad} for p in first["personas"]]
    made = DebateResult.model_validate(
        {**first, "topic": bad, "rounds": [[changed]], "personas": personas}
    )
    html = page(made)
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'href="#t1-1"' in html
    assert "xn--exmple-cua.org" in html
    assert 'rel="noopener noreferrer"' in html
    assert "<script" not in debate_text(made)


def test_links_are_web_links_only() -> None:
    assert link("https://example.org/x") == "https://example.org/x"
    assert domain("https://user@example.org:8/x") == "example.org"
    for other in (
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "a/b.md",
        "http://",
        "http://[x",
    ):
        assert link(other) is None


def test_a_torn_line_and_an_unknown_event_cost_nothing(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log("started", topic="T", rounds=1)
    log("speaking", turn="t1", round=1, speaker="p1")
    log("text", turn="t1", text="Hello")
    log("text", turn="t1", text="Hello there")
    log("text", turn="t1", text="Help")
    log("whatever", more=1)
    with (tmp_path / "events.jsonl").open("a") as file:
        file.write('{"event": "text", "tu')
    found = scene(tmp_path)
    assert found.turns["t1"].text == "Help"
    EventLog(tmp_path)("started", topic="T", rounds=1)
    assert scene(tmp_path).turns == {}


def test_broken_votes_are_no_votes(tmp_path: Path) -> None:
    (tmp_path / "votes.json").write_text("{")
    assert votes(tmp_path) == {}
    assert vote(tmp_path, "t1", "down") == {"t1": "down"}
    assert votes(tmp_path) == {"t1": "down"}
