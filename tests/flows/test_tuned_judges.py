"""A judge's tuned prompts in the flows whose metrics ask that judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
import numpy as np
import pytest

from evals.optimizing.compiled import compiled
from modules.evidence import NoEvidence
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
    with pytest.raises(ConfigError, match="the judge 'beauty' cannot be tuned"):
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


def test_the_citation_check_of_a_text_asks_the_tuned_judge(home: Path, tmp_path: Path) -> None:
    from flows.config import EssayConfig, typed
    from flows.programs import Programs
    from modules.citations.judge import SupportJudge
    from modules.lm.ledger import Ledger
    from modules.lm.roles import Roles

    judge = SupportJudge()
    told = judge.ask.predict.signature.instructions + STRICT
    judge.ask.predict.signature = judge.ask.predict.signature.with_instructions(told)
    path = tmp_path / "program.json"
    path.write_text(compiled(judge, "judge", "citation_support").text())
    words = ["subject=x", f"paths.artifacts={home}", f"judges.citation_support={path}"]
    with pytest.raises(ConfigError, match="citation_support has nothing to do"):
        Programs(typed(EssayConfig, composed("essay", *words)))
    settings = typed(EssayConfig, composed("essay", *words, "citations.by=judge"))
    program = settings.method.program(settings.settings, NoEvidence(), Alike())
    Programs(settings).bind(Roles(settings.backend, Ledger(None)))(program)
    asked = dict(program.named_predictors())["check.judge.ask.predict"]
    assert asked.signature.instructions == told


# --- any judge, by rows with labels ---------------------------------------------------------------

EXCLAIMS = [n % 3 == 0 for n in range(12)]
"""The server's judges, once they are strict, find right what exclaims."""


def labelled(judge: str, n: int, right: bool) -> dict[str, Any]:
    """A row of the twelve, as the judge's metric reads it."""
    mark = "!" if right else ""
    question = f"Is number {n} right?"
    if judge == "da":
        said = "Some say yes and others say no" if right else "It is"
        return {"question": question, "answer": f"{said}{mark}", "label": right}
    if judge == "preference":
        texts = [f"One {n}{mark}", f"Other {n}{'' if right else '!'}"]
        return {"proposition": question, "outputs": texts, "label": ("second", "first")[right]}
    passage = f"The museum of town {n} is free of charge{mark}"
    sentence = passage if right else f"Wages of bakers fell by {n} percent"
    label = ("unsupported", "supported")[right]
    return {"sentence": sentence, "passage": passage, "label": label, "topic": question}


@pytest.mark.parametrize("judge", ["da", "preference", "citation_support"])
def test_any_judge_is_tuned_and_told_beside_its_metric(
    corpus: Path, tmp_path: Path, judge: str
) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"id": f"r{n}", **labelled(judge, n, right)} for n, right in enumerate(EXCLAIMS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with LMServer(teachable, models=(MODEL,)) as server:
        real = [f"paths.artifacts={corpus}", "tracking=none", "backend=openai"]
        real += [f"backend.base_url={server.base_url}", f"dataset.path={path}", "seed=1"]
        found = optimized([*real, "target=judge", f"judge={judge}", "optimizer=gepa"])
        assert server.errors == []
    told = found["judge"]
    assert told["kappa_after"] == 1.0, (found["reason"], told)
    assert (told["kappa_before"] or 0) < 0.5
    assert told["mean_after"] == told["mean_labels"] != told["mean_before"]
    assert ("kappa_without_judge" in told) == (judge != "preference")
    assert found["method"] == judge


SAID: dict[str, Any] = {
    **dict.fromkeys(("explanation", "discussion", "system_response_claims"), "So."),
    **dict.fromkeys(("ground_truth_key_ideas", "system_response_key_ideas"), "So."),
    **dict.fromkeys(("quality", "relevance", "score", "rating"), 3.0),
    **dict.fromkeys(("groundedness", "answer_relevance", "completeness"), 0.5),
    **dict.fromkeys(("acknowledges", "comprehensive"), True),
    **{name: ["One."] for name in ("steps", "views", "points")},
    "better": "first",
    "useful": [1],
    "verdict": 1,
    "judgements": [{"number": 1, "verdict": "weak", "quote": ""}],
}
"""What each judge answers with, by output field."""


class Alike:
    """Embeds all texts alike."""

    name = "alike"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.ones((len(texts), 1), dtype=np.float32)


def test_every_judge_rates_rows_of_its_own(tmp_path: Path) -> None:
    """All judges of the project's metrics take labelled rows, and rate on their metric's scale."""
    from evals.optimizing.judges import KNOWN, WORDS
    from evals.optimizing.labels import JudgeTarget, RatedFile
    from signatures import ROLES
    from tests.modules.fake import fake_lm

    row = {"id": "r", "question": "Q?", "answer": "A text.", "reference": "R.", "label": 1,
           "outputs": ["One text.", "Another."], "sentence": "S.", "passage": "P.",
           "passages": [{"id": "p", "text": "P."}]}  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    items = RatedFile(name="own", path=path).items()
    asked = set()
    with dspy.context(lm=fake_lm(lambda signature, inputs: SAID)):
        for name, metric in KNOWN.items():
            target = JudgeTarget(metric, WORDS.get(name, {}), Alike())
            target.check(items)
            program = target.program()
            asked |= {p.signature.__name__ for _, p in program.named_predictors()}
            rating = target.row(program, items[0])["rating"]
            assert metric.range[0] <= rating <= metric.range[1], name
    judges = {name for name, role in ROLES.items() if role == "judge"}
    assert judges - asked == {"AnnotateComment"}, "judge=annotation tunes that one"


def test_labels_that_a_judge_cannot_take_are_refused(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"id": f"r{n}", **labelled("da", n, n > 5)} for n in range(12)]
    path.write_text("".join(json.dumps({**row, "label": 3}) + "\n" for row in rows))
    given = [f"paths.artifacts={corpus}", "target=judge", f"dataset.path={path}", "tracking=none"]
    with pytest.raises(InputError, match=r"12 of 12 labelled rows do not suit judge=da.*0 to 1"):
        optimized([*given, "judge=da"])
    with pytest.raises(InputError, match="no passages"):
        optimized([*given, "judge=groundedness"])
    with pytest.raises(ConfigError, match=r"'g_eval_weighted' cannot be tuned.*evaluator"):
        optimized([*given, "judge=g_eval_weighted"])
    with pytest.raises(ConfigError, match=r"'length' cannot be tuned.*citation_support"):
        optimized([*given, "judge=length"])
