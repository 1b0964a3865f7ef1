"""``moot meta``: a small study with known outcome, through the real flow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from flows.main import same_as
from flows.readable import readable
from signatures.errors import InputError
from signatures.schemas import rendered
from tests.modules.perplexity.tiny import gpt2, qwen2
from tests.support import ROOT, composed

pytestmark = pytest.mark.usefixtures("prefect_server")

STUDY = ROOT / "tests" / "evals" / "meta" / "answers.jsonl"


def run(home: Path, file: Path, *overrides: str) -> dict[str, Any]:
    from flows.meta import meta

    words = (f"paths.artifacts={home}", "tracking=none", "max_failed=0.5", *overrides)
    return meta({**composed("meta", "subject=x", *words), "subject": str(file)}, None)


def test_a_study_comes_out_as_by_hand(home: Path) -> None:
    result = run(home, STUDY)
    Draft202012Validator(json.loads(rendered("meta"))).validate(result)
    assert (result["questions"], result["answers"]) == (2, 10)
    assert [line["model"] for line in result["table"]] == ["ash", "cedar", "birch"]
    ash = result["table"][0]
    assert ash["values"] == {"pd_log/other": 2.25, "da": 1.0}
    assert ash["ranks"] == {"pd_log/other": 1.0, "da": 1.5}
    assert ash["normalized_rank"] == pytest.approx((0 / 2 + 0.5 / 2) / 2)
    # The first reader ranks as the measure does, the second has ash and birch swapped.
    ratings = result["human"]["ratings"]
    assert sorted(ratings["first reader"], key=ratings["first reader"].get) == [
        "cedar", "birch", "ash",
    ]  # fmt: skip
    assert result["human"]["agreement"] == pytest.approx(0.5)
    aligned = {line["measure"]: line for line in result["alignment"]}["pd_log/other"]
    assert aligned["spearman"] == pytest.approx((1 + 0.5) / 2)
    assert aligned["kendall"] == pytest.approx((1 + 1 / 3) / 2)
    # Labels are the majority: ash 1, the others 0; "da" says 1, 0, 1 of each question.
    (verdicts,) = result["labels"]
    assert (verdicts["n"], verdicts["accuracy"]) == (6, pytest.approx(2 / 3))
    assert (verdicts["f1"], verdicts["auroc"]) == (pytest.approx(2 / 3), 0.75)
    assert verdicts["mcc"] == pytest.approx(0.5)
    assert result["weighted"][0]["ranks"] == {"ash": 1.5, "birch": 3.0, "cedar": 1.5}
    assert result["weighted"][-1]["ranks"] == {"ash": 1.0, "birch": 2.0, "cedar": 3.0}
    points = {(p["model"], p["at"]): p["values"]["pd_log/other"] for p in result["sweeps"]}
    assert points == {
        ("ash", 0.2): 2.0, ("ash", 1.0): 1.5, ("birch", 0.2): 3.0, ("birch", 1.0): 2.5,
    }  # fmt: skip
    assert [line.split(":")[0] for line in result["failures"]] == ["2", "2", "2"]
    folder = Path(result["run"]["dir"])
    for name in result["files"]:
        assert (folder / name).stat().st_size > 0
    assert {"rank_over_k.png", "diversity_awareness.png", "report.md"} <= set(result["files"])
    assert "| ash | 2 |" in readable("meta", result)


def test_evaluators_and_restatements_are_compared(
    home: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    one, two = gpt2(tmp_path_factory.mktemp("one")), qwen2(tmp_path_factory.mktemp("two"))
    asked = (
        "metric=[pd_log]", "restatements=[0,2]", "+evaluator@evaluators.one=gpt2",
        "+evaluator@evaluators.two=gpt2", f"evaluators.one.model={one}",
        f"evaluators.two.model={two}",
    )  # fmt: skip
    result = run(home, STUDY, *asked)
    names = [measure["name"] for measure in result["measures"]]
    assert names[:4] == [
        f"pd_log/{reader}/restatement {n}" for reader in ("one", "two") for n in (0, 2)
    ]
    assert all(measure["n_scored"] == 10 for measure in result["measures"])
    pairs = {(s["over"], s["first"], s["second"]) for s in result["stability"]}
    assert pairs == {
        ("restatement", names[0], names[1]), ("restatement", names[2], names[3]),
        ("evaluator", names[0], names[2]), ("evaluator", names[1], names[3]),
        ("evaluator", names[0], "pd_log/other"), ("evaluator", names[2], "pd_log/other"),
    }  # fmt: skip
    assert [m["main"] for m in result["measures"]] == [True, False, True, False, True, True]
    again = run(home, STUDY, *asked)
    assert again["usage"]["units_reused"] == 40
    assert again["table"] == result["table"]


def test_a_file_without_answers_is_refused(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text('{"id": 1, "first": "a", "second": "b", "preferred": "first"}\n')
    with pytest.raises(InputError, match="no answer"):
        run(home, path)


def test_an_evaluation_of_measures_is_this_flow() -> None:
    words = ["study.jsonl", "experiment=meta"]
    assert same_as("evaluation", words) == ("meta", words)
    assert same_as("evaluation", ["experiment=table1"])[0] == "evaluation"
