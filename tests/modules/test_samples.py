"""Self-consistency: samples that differ, a judge that chooses, a budget that is kept."""

from __future__ import annotations

from typing import Any

import pytest

from modules.essay import Best, EssayJudge, EssayMethod, EssayParts, best_of
from modules.essay.program import NO_DEBATE, NO_PLAN
from modules.judging import Rating
from modules.lm.backends import ExtractiveBackend
from modules.lm.ledger import Ledger
from modules.lm.roles import Roles
from modules.stage import Stage, direct
from signatures.errors import ReplyError
from signatures.types import CitationFigures, Essay, EssayStance


class Noting(EssayMethod):
    """A method whose n-th sample says n, and costs what the test says."""

    name: str = "noting"

    def program(self, settings: Any, retriever: Any, embedder: Any) -> Any:
        raise NotImplementedError

    def write(
        self, program: Any, subject: str, goal: EssayStance, step: Any = direct
    ) -> EssayParts:
        text = step("essay", program, subject=subject)
        essay = Essay(text=text, citations=[], uncited=[], figures=CitationFigures())
        return EssayParts([], NO_DEBATE, NO_PLAN, essay, [])


class Desk:
    """Programs, a judge and a till."""

    def __init__(
        self, ratings: list[float | None], cost: int = 100, fee: int = 0, broken: int = 0
    ) -> None:
        self.ratings = ratings
        self.cost, self.fee, self.broken = cost, fee, broken
        self.spent = 0
        self.names: list[str] = []

    def program(self, number: int) -> Stage:
        desk = self

        class Writing(Stage):
            def forward(self, *, subject: str) -> str:
                desk.spent += desk.cost
                if number + 1 == desk.broken:
                    raise ReplyError("no usable reply")
                return str(number)

        return Writing()

    def judge(self) -> EssayJudge:
        desk = self

        class Judging(EssayJudge):
            def forward(self, *, subject: str, goal: EssayStance, essay: str) -> Rating:
                desk.spent += desk.fee
                return Rating(value=desk.ratings[int(essay)], explanation="because")

        return Judging()

    def __call__(self, name: str, stage: Stage, **inputs: Any) -> Any:
        self.names.append(name)
        return stage(**inputs)

    def start(self, name: str, stage: Stage, **inputs: Any) -> Any:
        raise NotImplementedError

    def best(self, samples: int, tokens: int | None = None) -> Best:
        return best_of(
            Noting(), self.program, self.judge, "P", "refute",
            samples=samples, tokens=tokens, spent=lambda: self.spent, step=self,
        )  # fmt: skip


def test_the_best_is_taken_and_the_earliest_of_equals() -> None:
    desk = Desk([2.0, 5.0, 5.0, 1.0], fee=10)
    best = desk.best(4)
    assert best.parts.essay.text == "1"
    assert [s.chosen for s in best.samples] == [False, True, False, False]
    assert [s.tokens for s in best.samples] == [110] * 4
    assert best.notes == []


def test_stages_of_samples_have_names_of_their_own() -> None:
    desk = Desk([1.0, 2.0])
    desk.best(2)
    assert desk.names == ["essay", "rating.1", "essay.2", "rating.2"]


def test_one_sample_is_not_rated() -> None:
    desk = Desk([1.0])
    best = desk.best(1)
    assert (best.samples, best.notes, desk.names) == ([], [], ["essay"])


@pytest.mark.parametrize(
    ("tokens", "written"), [(None, 5), (500, 5), (499, 4), (250, 2), (199, 1), (1, 1)]
)
def test_no_sample_is_begun_that_would_exceed_the_budget(tokens: int | None, written: int) -> None:
    desk = Desk([1.0] * 5)
    best = desk.best(5, tokens)
    assert len(best.samples) == written
    assert tokens is None or desk.spent <= max(tokens, 100)
    assert any("exceed" in note for note in best.notes) == (written < 5)


def test_ratings_are_paid_from_the_same_budget() -> None:
    desk = Desk([1.0] * 9, fee=100)
    assert len(desk.best(9, 800).samples) == 4
    assert desk.spent == 800


def test_a_judge_that_abstains_leaves_the_first() -> None:
    desk = Desk([None, 5.0])
    best = desk.best(4)
    assert best.parts.essay.text == "0"
    assert [(s.value, s.chosen) for s in best.samples] == [(None, True)]
    assert best.notes == ["the judge abstained: the first sample was taken"]


def test_an_abstention_later_is_no_low_rating() -> None:
    best = Desk([2.0, None, 1.0]).best(3)
    assert best.parts.essay.text == "0"
    assert [s.value for s in best.samples] == [2.0, None, 1.0]


def test_a_broken_sample_costs_no_other() -> None:
    best = Desk([1.0, 9.0, 3.0], broken=2).best(3)
    assert best.parts.essay.text == "2"
    assert [s.number for s in best.samples] == [1, 3]
    assert best.notes == ["sample 2 could not be used: no usable reply"]


def test_a_first_sample_that_breaks_is_a_failure() -> None:
    with pytest.raises(ReplyError):
        Desk([1.0], broken=1).best(3)


def test_each_sample_is_a_rollout_of_its_own() -> None:
    def sampling(roles: Roles, number: int) -> tuple[Any, Any]:
        kwargs = roles.sample(number).lm("writer").kwargs
        return kwargs["seed"], kwargs.get("rollout_id")

    def roles(replicate: int) -> Roles:
        return Roles(ExtractiveBackend(), Ledger(), seed=3, replicate=replicate)

    plain = roles(0)
    assert sampling(plain, 0) == (3, None)
    found = {sampling(roles(r), n) for r in range(3) for n in range(4)}
    assert len(found) == len({seed for seed, _ in found}) == 12
    assert sampling(roles(1), 2) == sampling(roles(1), 2)
    assert "rollout_id" not in plain.lm("writer").kwargs
