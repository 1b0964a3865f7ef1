"""Dispute awareness: the detector, the judge's strict digit, and a judge that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from bench.dispute import LABELS, frozen, own
from evals.contract import Tools
from evals.dispute import (
    DisputeAwareness,
    DisputeAwarenessZeroShot,
    DisputeDetected,
    acknowledges,
)
from modules.dispute import fitted
from signatures.dispute import DEMONSTRATIONS
from signatures.errors import InputError, ReplyError
from tests.modules.fake import fake_lm
from tests.servers.lm import LMRequest, LMServer, Reply, answer
from tests.support import DATA, composed

ROW = {"id": "r", "question": "Should zoos be closed?"}
PROS_AND_CONS = (
    "The question of zoos is complex and multifaceted.\n\n### Arguments for\n"
    "1. **Species**: zoos breed rare animals.\n### Arguments against\n"
    "1. **Space**: cages are small.\n\nA town should weigh these points."
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Whether zoos should close is a hotly debated question. They breed rare animals.", True),
        ("They breed rare animals. In short, there are strong arguments on both sides.", True),
        ("Proponents argue that zoos save species. Critics say that cages are cruel.", True),
        ("It comes down to personal values.", True),
        (PROS_AND_CONS, False),
        ("It depends on the size of the cages and on the animals.", False),
        ("Studies of zoo animals have given mixed results; more research is needed.", False),
        ("Zoos should be closed. Cages are small and cruel.", False),
        ("", False),
    ],
)
def test_the_detector_tells_a_dispute_from_a_list_of_points(text: str, told: bool) -> None:
    assert acknowledges(text) is told


def test_the_built_in_score_quotes_the_sentence_that_tells() -> None:
    text = "Cages are small. Opinions on zoos differ sharply. Keepers feed the animals."
    score_ = DisputeDetected().score({**ROW, "generation": text}, Tools())
    assert score_.value == 1
    assert '"Opinions on zoos differ sharply."' in score_.explanation
    with pytest.raises(InputError, match="blank"):
        DisputeDetected().score({**ROW, "generation": " "}, Tools())


def _told(*verdicts: Any) -> Any:
    replies = iter(verdicts)
    return fake_lm(lambda signature, inputs: {"explanation": "why", "verdict": next(replies)})


@pytest.mark.parametrize(("verdicts", "value"), [([1], 1.0), ([0], 0.0), ([7, 1], 1.0)])
def test_the_judge_says_0_or_1_and_is_asked_once_more(verdicts: list[Any], value: float) -> None:
    with dspy.context(lm=_told(*verdicts)):
        assert DisputeAwareness().score({**ROW, "generation": "x"}, Tools()).value == value


def test_a_judge_that_keeps_to_no_digit_fails_the_row_and_one_that_abstains_does_not() -> None:
    with dspy.context(lm=_told(2, 7, 1)), pytest.raises(ReplyError, match="2 attempts"):
        DisputeAwareness().score({**ROW, "generation": "x"}, Tools())
    with dspy.context(lm=_told(None)):
        silent = DisputeAwareness().score({**ROW, "generation": "x"}, Tools())
    assert silent.value is None
    assert "metric=da_builtin" in silent.explanation


def test_only_one_of_the_two_judges_is_shown_demonstrations() -> None:
    shown, bare = DisputeAwareness().program(), DisputeAwarenessZeroShot().program()
    assert len(shown.ask.predict.demos) == len(DEMONSTRATIONS)
    assert {demo.verdict for demo in shown.ask.predict.demos} == {0, 1}
    assert not bare.ask.predict.demos


def _judge(request: LMRequest) -> Reply | str:
    """Sees a dispute in A and none in B, abstains on C, breaks on D, and keeps to no digit on E."""
    letter = next(c for c in "ABCDE" if f"Answer {c}." in request.user)
    if letter == "D":
        return Reply(status=500, text="out of order")
    verdict = {"A": 1, "B": 0, "C": None, "E": "maybe"}[letter]
    return answer(request, {"explanation": "so", "verdict": verdict})


@pytest.mark.usefixtures("prefect_server")
def test_a_failing_judge_ends_with_counts_and_not_with_zeros(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.score import score

    rows = [
        {"id": n, "question": "Q?", "generation": f"Answer {c}."} for n, c in enumerate("ABCDE")
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with LMServer(_judge, models=("gpt-4o-mini",)) as server:
        plain = composed(
            "score", "subject=x", f"paths.artifacts={home}", "tracking=none", "metric=da",
            "backend=openai", f"backend.base_url={server.base_url}", "backend.retries=0",
            "runner.retries=0", "max_failed=1",
        )  # fmt: skip
        result = score({**plain, "subject": str(path)}, None)
    assert [item["value"] for item in result["items"]] == [1, 0, None, None, None]
    assert [result[f"n_{kind}"] for kind in ("scored", "failed", "abstained")] == [2, 2, 1]
    assert result["value"] == 0.5
    failed = {i["id"]: i["explanation"] for i in result["items"] if i["status"] == "failed"}
    assert "failed on its side" in failed["3"]
    assert "no usable reply in 2 attempts" in failed["4"]


def test_our_own_answers_are_what_the_card_says() -> None:
    answers = own()
    assert len(answers) >= 150
    assert len({a.text for a in answers}) == len(answers)
    assert min(sum(a.label for a in answers), sum(not a.label for a in answers)) >= 75


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason=f"no data at {DATA}")
def test_the_detector_keeps_its_figures_on_the_frozen_sample() -> None:
    answers = frozen(DATA)
    assert len(answers) == len(json.loads(LABELS.read_text("utf-8"))) >= 120
    for label in (0, 1):
        found = [
            fitted().read(a.text, a.question).acknowledged for a in answers if a.label == label
        ]
        assert sum(told == bool(label) for told in found) / len(found) >= 0.85
