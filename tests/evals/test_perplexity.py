"""P.D. over rows: formulas, aggregation, what counts as failed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from evals.contract import Tools
from evals.perplexity import PdLengthControlled, PdLog, PdPaper, PdReleased, joined
from modules.perplexity import LocalEvaluatorSpec
from signatures.errors import ConfigError, InputError
from signatures.restatement import RESTATEMENTS
from tests.modules.perplexity.tiny import Plain, gpt2

PARTIAL = [
    {"point_of_view": "Free entry helps", "explanation": "Schools come."},
    {"point_of_view": "It costs!", "explanation": "Somebody pays."},
]
ROW: dict[str, Any] = {"id": 1, "generation": "It depends on who pays.", "partial_answers": PARTIAL}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gpt2(tmp_path_factory.mktemp("gpt2"))


@pytest.fixture(scope="module")
def tools(folder: Path) -> Tools:
    return Tools(evaluator=LocalEvaluatorSpec(model=str(folder)).open())


def means(folder: Path, answer: str, restatement: int = 0) -> list[float]:
    """Mean NLL per token of each partial answer, by Equation 1, one at a time."""
    plain = Plain(folder)
    prefix = plain.ids(f"{answer} {RESTATEMENTS[restatement]}\n\n")
    parts = [plain.ids(joined(p["point_of_view"], p["explanation"])) for p in PARTIAL]
    return [plain.nll(prefix, part) / len(part) for part in parts]


def test_paper_and_log_sum_over_partial_answers(folder: Path, tools: Tools) -> None:
    wanted = means(folder, ROW["generation"])
    paper, log = PdPaper().score(ROW, tools), PdLog().score(ROW, tools)
    assert paper.value == pytest.approx(sum(map(math.exp, wanted)), rel=1e-5)
    assert log.value == pytest.approx(sum(wanted), abs=1e-5)
    assert "answer 23 tokens, prompt 41, partial answers 31, 24;" in log.explanation
    assert "plain template" in log.explanation


def test_another_restatement_is_another_prompt(folder: Path, tools: Tools) -> None:
    assert len(set(RESTATEMENTS)) == 6
    wanted = sum(means(folder, ROW["generation"], 3))
    assert PdLog(restatement=3).score(ROW, tools).value == pytest.approx(wanted, abs=1e-5)


def test_length_controlled_reads_the_beginning_alone(folder: Path, tools: Tools) -> None:
    metric = PdLengthControlled(answer_tokens=10)
    long = {**ROW, "generation": ROW["generation"] + " And so on." * 90}
    cut = metric.score(long, tools)
    assert cut.value == pytest.approx(sum(means(folder, ROW["generation"][:10])), abs=1e-5)
    assert "answer 10 of 1013 tokens" in cut.explanation
    with pytest.raises(InputError, match="window"):
        PdLog().score(long, tools)


def test_released_is_a_mean_and_divides_by_more(folder: Path, tools: Tools) -> None:
    plain = Plain(folder)
    prefix = plain.ids(ROW["generation"] + "<end>")
    parts = [plain.ids(f"{p['point_of_view']}. {p['explanation']}") for p in PARTIAL]
    each = [math.exp(plain.nll(prefix, p) / (len(prefix) + len(p) - 1)) for p in parts]
    score = PdReleased().score(ROW, tools)
    assert score.value == pytest.approx(sum(each) / 2, rel=1e-4)
    assert "answer 23 tokens, partial answers 31, 25" in score.explanation


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"partial_answers": None}, "dataset="),
        ({"partial_answers": []}, "no partial_answers"),
        ({"partial_answers": [{"point_of_view": "x"}]}, "explanation of partial answer 1"),
        ({"generation": " "}, "blank"),
    ],
)
def test_rows_that_cannot_be_scored(change: dict[str, Any], said: str, tools: Tools) -> None:
    with pytest.raises(InputError, match=said):
        PdPaper().score({**ROW, **change}, tools)


def test_without_an_evaluator_nothing_is_scored() -> None:
    with pytest.raises(ConfigError, match="evaluator"):
        PdPaper().score(ROW, Tools())
