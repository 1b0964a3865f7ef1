"""Objectives read by a causal LM: z-norms, a search over several, and what a resumed one asks."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from signatures.errors import BudgetReached, ConfigError
from tests.flows.test_optimize import MODEL, QUESTIONS, dataset, optimized, words
from tests.modules.perplexity.tiny import gpt2
from tests.servers.completions import PromptRead
from tests.servers.lm import LMServer
from tests.servers.teachable import APART, knowing, teachable

pytestmark = pytest.mark.usefixtures("prefect_server")

YES = "Museums should be free, because everyone has paid for them through taxes already."
NO = "Visitors should pay, because conservation and guards cost money every day."
VIEWS = (YES, NO)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "views.jsonl"
    partial = [{"point_of_view": view, "explanation": "So it is."} for view in VIEWS]
    path.write_text(
        "".join(
            json.dumps({"question": text, "partial_answers": partial}) + "\n" for text in QUESTIONS
        )
    )
    return path


def reader(prompt: str | list[int]) -> PromptRead:
    """A model that expects what was said before: a word heard earlier is twenty times as likely."""
    tokens = re.findall(r"\s*\S+|\s+$", str(prompt))
    told: list[float | None] = [None]
    for place, token in enumerate(tokens[1:], start=1):
        known = token.strip() in {earlier.strip() for earlier in tokens[:place]}
        told.append(math.log(0.5 if known else 0.025))
    return PromptRead([hash(token) for token in tokens], tokens, told)


def given(corpus: Path, rows: Path, *more: str, server: LMServer | None = None) -> list[str]:
    found = words(rows, f"paths.artifacts={corpus}", "dataset=debatable", server=server)
    return [*found, *more]


def test_perplexity_and_citations_are_weighed_by_their_norms(
    corpus: Path, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    weights = {"pd_log": 1.0, "citation_recall": 0.5}
    with LMServer(knowing(dict.fromkeys(QUESTIONS, VIEWS)), models=(MODEL, "reader")) as server:
        server.reader = reader
        more = ["optimizer=gepa", "metric=[pd_log,citations]", "objective.primary=pd_log"]
        more += [f"objective.weights={{{', '.join(f'{k}: {v}' for k, v in weights.items())}}}"]
        more += ["objective.search=pareto", "evaluator=server", "evaluator.model=reader"]
        more += [f"evaluator.base_url={server.base_url}", "evaluator.retries=0"]
        plain = given(corpus, rows, *more, server=server)
        with pytest.raises(BudgetReached):
            optimized([*plain, "budget.calls=30"], tmp_path / "run")
        found = optimized(plain, tmp_path / "run")
        # Nothing that was answered or read before the budget was reached is asked again.
        asked = len(server.requests) + len(server.completions)
        assert found["run"]["usage_total"]["calls"] == asked
        prompts = [json.dumps(body["prompt"]) for body in server.completions]
        assert len(set(prompts)) == len(prompts)
        assert server.errors == []
    assert found["promoted"], found["reason"]
    after, before = found["holdout"]["after"]["pd_log"], found["holdout"]["before"]["pd_log"]
    assert after < before
    norms, untuned = found["norms"], found["trials"][0]
    assert {name: norm["sign"] for name, norm in norms.items()} == {
        "pd_log": -1, "citation_recall": 1,
    }  # fmt: skip
    z = {
        name: norm["sign"] * (untuned["metrics"][name] - norm["mean"]) / norm["sd"]
        for name, norm in norms.items()
    }
    whole = sum(weights[name] * z[name] for name in weights) / sum(weights.values())
    assert untuned["objective"] == pytest.approx(0.5 + whole / 8, abs=1e-4)
    assert found["best"]["objective"] > untuned["objective"]
    assert any(trial["front"] for trial in found["trials"])


def test_a_local_model_reads_what_the_baseline_writes(
    corpus: Path, rows: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    model = gpt2(tmp_path_factory.mktemp("gpt2"))
    more = ["optimizer=bootstrap", "metric=[pd_length_controlled,citations]"]
    more += ["metrics.pd_length_controlled.answer_tokens=40", f"evaluator.model={model}"]
    more += ["objective.primary=pd_length_controlled"]
    found = optimized(given(corpus, rows, *more))
    assert not found["promoted"]
    assert found["baseline"]["pd_length_controlled"] > 0
    assert found["baseline"]["objective"] == pytest.approx(0.5, abs=0.3)


# --- several texts of a question ------------------------------------------------------------------

APARTNESS = (
    "metric=[opinion_diversity,length]", "objective.primary=opinion_diversity",
    "metrics.opinion_diversity.points=builtin",
)  # fmt: skip


def test_texts_of_one_question_are_tuned_to_differ(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    rows = dataset(tmp_path / "rows.jsonl", *QUESTIONS[:9])
    more = [f"paths.artifacts={corpus}", *APARTNESS, "replicates=3", "optimizer=gepa"]
    with LMServer(teachable, models=(MODEL,)) as server:
        cold = words(rows, *more, server=server)
        with pytest.raises(ConfigError, match=r"one text 3 times.*temperature 0"):
            optimized(cold)
        plain = [*cold, "backend.temperature=null"]
        # Each text is a call, and counted: nine of them are three questions.
        with pytest.raises(BudgetReached):
            optimized([*plain, "budget.calls=9"], tmp_path / "run")
        assert len(server.requests) == 9
        found = optimized(plain, tmp_path / "run")
        asked = len(server.requests)
        assert found["run"]["usage_total"]["calls"] == asked
        assert server.errors == []
    assert found["promoted"], found["reason"]
    assert APART in Path(found["program"]).read_text()
    before, after = (found["holdout"][when]["opinion_diversity"] for when in ("before", "after"))
    assert after < before == pytest.approx(100, abs=0.01)
    told = [r.user for r in server.requests if "most alike (1.00)" in r.user]
    assert told, "what is said twice is named to the reflector"
    seeds = {r.body["seed"] for r in server.requests if "question" in r.user}
    assert len(seeds) == 3


def test_the_baseline_writes_several_texts_and_one_is_refused(corpus: Path, tmp_path: Path) -> None:
    rows = dataset(tmp_path / "rows.jsonl", *QUESTIONS[:8])
    plain = words(rows, f"paths.artifacts={corpus}", *APARTNESS, "optimizer=bootstrap")
    with pytest.raises(ConfigError, match=r"opinion_diversity compares several texts .*replicates"):
        optimized(plain)
    found = optimized([*plain, "replicates=2"])
    assert not found["promoted"]
    assert 0 < found["baseline"]["opinion_diversity"] <= 100
    with pytest.raises(ConfigError, match=r"preference .*cannot be the primary"):
        primary = ("metric=[preference]", "objective.primary=preference")
        optimized([*plain[:-2], *primary, "replicates=2"])
