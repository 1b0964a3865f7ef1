"""A judge's tuned prompts in the flows whose metrics ask that judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.optimizing.compiled import compiled
from modules.judging import QualityJudge
from signatures.errors import ConfigError, InputError
from tests.flows.test_optimize import MODEL, optimized
from tests.servers.lm import LMServer
from tests.servers.teachable import STRICT, teachable
from tests.support import composed

pytestmark = pytest.mark.usefixtures("prefect_server")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judge of quality, taught to be strict."""
    judge = QualityJudge()
    predictor = judge.rate.predict
    told = f"{predictor.signature.instructions}\n{STRICT}"
    predictor.signature = predictor.signature.with_instructions(told)
    kappas = {"kappa_before": 0.25, "kappa_after": 0.75}
    made = compiled(judge, "judge", "quality").model_copy(update={"agreement": kappas})
    path = tmp_path_factory.mktemp("judge") / "program.json"
    path.write_text(made.text())
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": str(n), "proposition": f"P{n}", "generation": f"E{n}" + "!" * n})
            + "\n"
            for n in (1, 2, 3)
        )
    )
    return path


def scored(home: Path, texts: Path, *more: str, metric: str = "quality") -> dict[str, Any]:
    from flows.score import score

    given = [
        f"metric={metric}",
        f"paths.artifacts={home}",
        "tracking=none",
        "backend=openai",
        *more,
    ]
    return score({**composed("score", "subject=x", *given), "subject": str(texts)}, None)


def test_scores_are_those_of_the_tuned_judge_and_kept_apart(
    home: Path, texts: Path, program: Path
) -> None:
    with LMServer(teachable, models=(MODEL,)) as server:
        url = f"backend.base_url={server.base_url}"
        plain = scored(home, texts, url)
        tuned = scored(home, texts, url, f"judges.quality={program}")
        again = scored(home, texts, url, f"judges.quality={program}")
        assert server.errors == []
    assert [item["value"] for item in plain["items"]] == [3, 4, 5]
    assert [item["value"] for item in tuned["items"]] == [1, 2, 3]
    assert plain["run"]["programs"] == {}
    assert tuned["run"]["programs"]["judge/quality"].startswith(str(program))
    assert any("kappa 0.75 with held-out labels, 0.25 before" in note for note in tuned["notes"])
    assert (tuned["usage"]["units_reused"], again["usage"]["units_reused"]) == (0, 3)
    assert again["items"] == tuned["items"]


def test_an_evaluation_is_judged_by_it(corpus: Path, tmp_path: Path, program: Path) -> None:
    from flows.evaluation import evaluation

    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"proposition": "Museums should be free"}\n')
    given = ["~method@methods.persona_debate", "+method@methods.e2e=e2e", "reference=e2e"]
    given += ["dataset=jsonl", f"dataset.path={rows}", f"paths.artifacts={corpus}"]
    given += ["metric=[quality]", "tracking=none", "retriever=dense", "recall.min_similarity=0"]
    given += ["backend@roles.judge=openai"]
    with LMServer(teachable, models=(MODEL,)) as server:
        given += [f"roles.judge.base_url={server.base_url}", "primary=quality"]
        found = evaluation(composed("evaluation", *given, f"judges.quality={program}"))
        assert all(STRICT in request.system for request in server.requests)
    assert found["run"]["programs"]["judge/quality"].startswith(str(program))
    assert found["table"][0]["value"] == 1  # no essay exclaims
    assert any("judge/quality judges with the tuned prompts" in note for note in found["notes"])


def test_what_is_no_judges_program_is_refused(home: Path, texts: Path, program: Path) -> None:
    with pytest.raises(ConfigError, match=r"judges\.beauty is no judge"):
        scored(home, texts, f"+judges.beauty={program}")
    with pytest.raises(ConfigError, match="tuned for judge/quality"):
        scored(home, texts, f"judges.relevance={program}")
    with pytest.raises(ConfigError, match=r"judges\.quality has nothing to do"):
        scored(home, texts, f"judges.quality={program}", metric="relevance")
    with pytest.raises(InputError, match="no compiled program"):
        scored(home, texts, f"judges.quality={texts}")
    changed = json.loads(program.read_text())
    changed["signatures"]["rate.predict"]["essay"]["desc"] = "another text"
    other = texts.with_name("program.json")
    other.write_text(json.dumps(changed))
    with pytest.raises(ConfigError, match="the field 'essay' has another description"):
        scored(home, texts, f"judges.quality={other}")


def test_an_annotator_is_tuned_for_agreement_and_annotates(corpus: Path, tmp_path: Path) -> None:
    from flows.annotate import annotate

    rows = tmp_path / "comments.jsonl"
    rows.write_text(
        "".join(
            json.dumps({"id": str(n), "comment": f"C{n}" + "!" * stars, "rating": stars}) + "\n"
            for n, stars in enumerate([1, 2, 3, 2, 1, 3, 2, 1, 3, 2, 1, 3])
        )
    )
    logs = tmp_path / "log.jsonl"
    logs.write_text(
        json.dumps({"id": "u1", "conversation_id": "c", "speaker": "a", "text": "Really!!"}) + "\n"
    )
    with LMServer(teachable, models=(MODEL,)) as server:
        real = [f"paths.artifacts={corpus}", "tracking=none", "backend=openai"]
        real += [f"backend.base_url={server.base_url}"]
        given = ["target=judge", "judge=annotation", "dataset=rated_comments", "optimizer=gepa"]
        found = optimized([*real, *given, f"dataset.path={rows}"])
        assert found["promoted"], found["reason"]
        assert found["judge"]["kappa_after"] == 1.0 > found["judge"]["kappa_before"]
        told = {}
        for program in ("null", found["program"]):
            words = [f"subject='{logs}'", *real, "annotators=backgrounds", f"program={program}"]
            done = annotate(composed("annotate", *words))
            told[program] = {one["value"] for one in done["annotations"]}
        assert server.errors == []
    assert told == {"null": {4}, found["program"]: {2}}
    assert set(done["run"]["programs"]) == {"judge/annotation"}
    with pytest.raises(ConfigError, match="tuned by one criterion"):
        optimized([*real, *given, f"dataset.path={rows}", "criteria=[toxicity,argument_quality]"])
