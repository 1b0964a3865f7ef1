"""Self-consistency: several samples of one essay, of which a judge chooses the best.

What makes a cheap method comparable with a dear one: both may spend the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from modules.essay.method import EssayMethod, EssayParts
from modules.judging import QualityJudge, Rating
from modules.stage import Pending, Stage, Step, direct
from signatures.errors import ReplyError
from signatures.types import EssayStance, Sample


class EssayJudge(Stage):
    """Rates a sample's quality; bind it to its LM beside the method's program."""

    def __init__(self) -> None:
        super().__init__()
        self.judge = QualityJudge()

    def forward(self, *, subject: str, goal: EssayStance, essay: str) -> Rating:
        """The rating; its value is None where the judge abstains."""
        rating: Rating = self.judge(proposition=subject, goal=goal, essay=essay)
        return rating


class Best(NamedTuple):
    """The chosen sample, all samples in order (empty if only one was wanted), what to note."""

    parts: EssayParts
    samples: list[Sample]
    notes: list[str]


class _Numbered:
    """A step that tells the stages of the n-th sample from those of the others by their names."""

    def __init__(self, step: Step, number: int) -> None:
        self._step = step
        self._number = number

    def __call__(self, name: str, stage: Stage, **inputs: Any) -> Any:
        return self._step(f"{name}.{self._number}", stage, **inputs)

    def start(self, name: str, stage: Stage, **inputs: Any) -> Pending:
        return self._step.start(f"{name}.{self._number}", stage, **inputs)


def best_of(
    method: EssayMethod,
    program: Callable[[int], Any],
    judge: Callable[[], EssayJudge],
    subject: str,
    goal: EssayStance,
    *,
    samples: int,
    tokens: int | None = None,
    spent: Callable[[], int] = lambda: 0,
    step: Step = direct,
) -> Best:
    """Write up to ``samples`` essays and take the one that the judge rates highest.

    Ties go to the earliest. Nothing is rated while there is one sample only. A judge that abstains
    on the first sample ends it: further ones could not be compared. A later sample whose replies
    stay unusable is left out and noted.

    Args:
        method: The method.
        program: ``program(n)``: the method's program for the n-th sample, n from 0, its LMs bound
            under a rollout of that sample's own (:meth:`modules.lm.roles.Roles.sample`).
        judge: The judge with its LM bound; asked for when there is something to rate.
        subject: The proposition.
        goal: What the essay does with it.
        samples: The most samples.
        tokens: What all samples and ratings together may cost; before each further sample, the
            mean cost so far must still fit. None is no limit. The first sample is always written.
        spent: Tokens spent so far, counted however the caller counts, replies out of a cache
            included as what they cost when they were made.
        step: Runs the stages; those of the n-th sample are named ``NAME.n`` from the second on.

    Raises:
        MootError: The first sample failed, or the run's budget is reached.
    """
    sampling = _Sampling(method, program, judge, subject, goal, spent, step)
    sampling.write(1)
    for number in range(2, samples + 1):
        if not sampling.affords(tokens) or not sampling.comparable():
            break
        sampling.write(number)
    return sampling.best() if samples > 1 else Best(sampling.taken[0].parts, [], [])


@dataclass
class _Taken:
    """A finished sample."""

    number: int
    parts: EssayParts
    tokens: int
    rating: Rating | None = None


class _Sampling:
    """What :func:`best_of` knows between samples."""

    def __init__(
        self,
        method: EssayMethod,
        program: Callable[[int], Any],
        judge: Callable[[], EssayJudge],
        subject: str,
        goal: EssayStance,
        spent: Callable[[], int],
        step: Step,
    ) -> None:
        self._method = method
        self._program = program
        self._judge = judge
        self._subject = subject
        self._goal = goal
        self._spent = spent
        self._step = step
        self._began = spent()
        self._tried = 0
        self.taken: list[_Taken] = []
        self.notes: list[str] = []

    def affords(self, tokens: int | None) -> bool:
        """Whether one more sample at the mean cost so far stays within ``tokens``."""
        cost = self._spent() - self._began
        if tokens is None or cost + cost / self._tried <= tokens:
            return True
        self.notes.append(f"{self._tried} samples: one more would exceed {tokens} tokens")
        return False

    def comparable(self) -> bool:
        """Whether the judge rates: asked of the first sample, before a second is written."""
        first = self.taken[0]
        if first.rating is None:
            self._rate(first)
            if first.rating is not None and first.rating.value is None:
                self.notes.append("the judge abstained: the first sample was taken")
        return first.rating is not None and first.rating.value is not None

    def write(self, number: int) -> None:
        """Write one sample, and rate it unless it is the first."""
        self._tried = number
        start = self._spent()
        step = self._step if number == 1 else _Numbered(self._step, number)
        try:
            parts = self._method.write(self._program(number - 1), self._subject, self._goal, step)
        except ReplyError as error:  # a further sample's failure must not cost the first
            if number == 1:
                raise
            self.notes.append(f"sample {number} could not be used: {error.line()}")
            return
        self.taken.append(_Taken(number, parts, self._spent() - start))
        if number > 1:
            self._rate(self.taken[-1])

    def _rate(self, sample: _Taken) -> None:
        start = self._spent()
        sample.rating = self._step(
            f"rating.{sample.number}",
            self._judge(),
            subject=self._subject,
            goal=self._goal,
            essay=sample.parts.essay.text,
        )
        sample.tokens += self._spent() - start

    def best(self) -> Best:
        """The rated sample with the highest value, the earliest of equals; else the first."""
        rated = [s for s in self.taken if s.rating is not None and s.rating.value is not None]
        chosen = max(rated, key=_value, default=self.taken[0])
        kept = [
            Sample(
                number=s.number,
                value=None if s.rating is None else s.rating.value,
                explanation="" if s.rating is None else s.rating.explanation,
                tokens=s.tokens,
                chosen=s is chosen,
            )
            for s in self.taken
        ]
        return Best(chosen.parts, kept, self.notes)


def _value(sample: _Taken) -> float:
    return -1.0 if sample.rating is None or sample.rating.value is None else sample.rating.value


__all__ = ["Best", "EssayJudge", "best_of"]
