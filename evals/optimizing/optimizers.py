"""DSPy's optimizers as frozen specs, each named in one yaml of ``conf/optimizer``.

A spec says how large a search is (``light``, ``medium``, ``heavy``: what it may cost and how far it
looks) and runs it. What it returns are the programs it would choose; the flow scores them on the
validation set and chooses there, so that all optimizers are compared by one measure.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, NamedTuple, cast

import dspy
from pydantic import BaseModel, ConfigDict, Field, model_validator

from evals.optimizing.ended import SearchBudget
from evals.optimizing.reflection import AskedComponents, Reflection
from evals.optimizing.tuning import FAILED, Tunable, Tuning
from signatures.errors import ConfigError

Size = Literal["light", "medium", "heavy"]

THRESHOLD = 0.5 - 1e-9
"""A text at least as good as the untuned program's usual one may become a demonstration."""


class Search(NamedTuple):
    """What an optimizer is given."""

    tuning: Tuning
    train: list[dspy.Example]
    val: list[dspy.Example]
    seed: int
    threads: int
    pareto: bool


class Extent(BaseModel):
    """How large a search of one size is: its budget, and the optimizer's own numbers."""

    model_config = ConfigDict(frozen=True, extra="allow")

    calls: int = Field(ge=1)
    usd: float | None = Field(default=None, ge=0)


class Optimizer(BaseModel, ABC):
    """An optimizer. One of one's own subclasses this and is named in a yaml.

    Args:
        size: Which of ``sizes`` to take.
        sizes: What each size may cost in calls and dollars, and the numbers in ``numbers``.
        calls: Requests the search may make; None is what the size says.
        usd: Dollars the search may cost; None is what the size says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    numbers: ClassVar[tuple[str, ...]] = ()
    """What each size must say besides its budget."""

    size: Size = "light"
    sizes: dict[Size, Extent]
    calls: int | None = Field(default=None, ge=1)
    usd: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _complete(self) -> Optimizer:
        if self.size not in self.sizes:
            raise ValueError(f"sizes does not say what {self.size} is")
        for size, extent in self.sizes.items():
            given = extent.model_extra or {}
            if set(given) != set(self.numbers):
                raise ValueError(
                    f"sizes.{size} wants {', '.join(('calls', 'usd', *self.numbers))}; "
                    f"got {', '.join(sorted(('calls', *given)))}"
                )
            for name, value in given.items():
                if not isinstance(value, int) or value < 0:
                    raise ValueError(f"sizes.{size}.{name} is a number from 0 on, got {value!r}")
        return self

    def budget(self) -> SearchBudget:
        """What the search may cost."""
        extent = self.sizes[self.size]
        return SearchBudget(
            calls=extent.calls if self.calls is None else self.calls,
            usd=extent.usd if self.usd is None else self.usd,
        )

    def number(self, name: str) -> int:
        """One of the numbers of the chosen size."""
        return int((self.sizes[self.size].model_extra or {})[name])

    def ready(self) -> None:
        """Raises ConfigError where something it needs is not installed."""

    @abstractmethod
    def search(self, given: Search) -> list[Tunable]:
        """Search, and return the programs to choose among, best first."""


class Bootstrap(Optimizer):
    """BootstrapFewShot: demonstrations from the program's own good texts."""

    name: ClassVar[str] = "bootstrap"
    numbers: ClassVar[tuple[str, ...]] = ("demos",)

    def search(self, given: Search) -> list[Tunable]:
        made = dspy.BootstrapFewShot(
            metric=number_metric(given.tuning),
            metric_threshold=THRESHOLD,
            max_bootstrapped_demos=self.number("demos"),
            max_labeled_demos=0,
            max_errors=len(given.train) + 1,
        )
        return [made.compile(Tunable(given.tuning), trainset=shuffled(given))]


class RandomSearch(Optimizer):
    """BootstrapFewShotWithRandomSearch: several such sets, the best on the validation set."""

    name: ClassVar[str] = "random_search"
    numbers: ClassVar[tuple[str, ...]] = ("demos", "candidates")

    def search(self, given: Search) -> list[Tunable]:
        made = dspy.BootstrapFewShotWithRandomSearch(
            metric=number_metric(given.tuning),
            metric_threshold=THRESHOLD,
            max_bootstrapped_demos=self.number("demos"),
            max_labeled_demos=0,
            num_candidate_programs=self.number("candidates"),
            num_threads=given.threads,
            max_errors=len(given.train) + len(given.val) + 1,
        )
        student = Tunable(given.tuning)
        return [made.compile(student, trainset=shuffled(given), valset=given.val)]


class MiproV2(Optimizer):
    """MIPROv2: instructions and demonstrations proposed, their best combination searched."""

    name: ClassVar[str] = "miprov2"
    numbers: ClassVar[tuple[str, ...]] = ("demos", "candidates", "trials")

    def ready(self) -> None:
        if find_spec("optuna") is None:
            raise ConfigError(
                "optimizer=miprov2 needs optuna",
                got="it is not installed",
                remedy='install it with: pip install "moot[optimize]"',
            )

    def search(self, given: Search) -> list[Tunable]:
        demos = self.number("demos")
        made = dspy.MIPROv2(
            metric=number_metric(given.tuning),
            prompt_model=given.tuning.roles.lm("reflector"),
            task_model=given.tuning.roles.lm("writer"),
            auto=None,
            num_candidates=self.number("candidates"),
            max_bootstrapped_demos=demos,
            max_labeled_demos=0,
            metric_threshold=THRESHOLD,
            num_threads=given.threads,
            max_errors=len(given.train) + len(given.val) + 1,
            seed=given.seed + 1,  # it takes a seed of 0 for none
            track_stats=False,
        )
        found = made.compile(
            Tunable(given.tuning),
            trainset=shuffled(given),
            valset=given.val,
            num_trials=self.number("trials"),
            minibatch=False,
            # What it would be shown is the machinery around the program, not the program.
            program_aware_proposer=False,
        )
        return [found]


class Gepa(Optimizer):
    """GEPA: instructions rewritten by reflection on feedback, kept on a Pareto front."""

    name: ClassVar[str] = "gepa"
    numbers: ClassVar[tuple[str, ...]] = ("texts", "minibatch")

    def search(self, given: Search) -> list[Tunable]:
        tuning = given.tuning
        made = dspy.GEPA(
            metric=feedback_metric(tuning),
            max_metric_calls=self.number("texts"),
            reflection_minibatch_size=min(self.number("minibatch"), len(given.train)),
            reflection_lm=tuning.roles.lm("reflector"),
            instruction_proposer=Reflection(tuning),
            component_selector=AskedComponents(tuning),
            num_threads=given.threads,
            failure_score=0.0,
            perfect_score=1.0,
            warn_on_score_mismatch=False,
            seed=given.seed,
            gepa_kwargs={"frontier_type": "hybrid" if given.pareto else "instance"},
        )
        return [made.compile(Tunable(tuning), trainset=given.train, valset=given.val)]


class Simba(Optimizer):
    """SIMBA: demonstrations and advice from comparing good with bad texts of one question."""

    name: ClassVar[str] = "simba"
    numbers: ClassVar[tuple[str, ...]] = ("demos", "candidates", "steps", "minibatch")

    def search(self, given: Search) -> list[Tunable]:
        made = dspy.SIMBA(
            metric=detailed_metric(given.tuning),
            bsize=min(self.number("minibatch"), len(given.train)),
            num_candidates=self.number("candidates"),
            max_steps=self.number("steps"),
            max_demos=self.number("demos"),
            prompt_model=given.tuning.roles.lm("reflector"),
            num_threads=given.threads,
        )
        best = made.compile(Tunable(given.tuning), trainset=given.train, seed=given.seed)
        others = [row["program"] for row in best.candidate_programs]
        return [best, *others]


class Copro(Optimizer):
    """COPRO: instructions proposed from those tried before and their scores."""

    name: ClassVar[str] = "copro"
    numbers: ClassVar[tuple[str, ...]] = ("breadth", "depth")

    def search(self, given: Search) -> list[Tunable]:
        made = dspy.COPRO(
            prompt_model=several(given.tuning.roles.lm("reflector")),
            metric=number_metric(given.tuning),
            breadth=max(2, self.number("breadth")),
            depth=max(1, self.number("depth")),
            init_temperature=1.0,
        )
        options = {"num_threads": given.threads, "display_progress": False, "display_table": 0}
        student = Tunable(given.tuning)
        # It sees scores alone and no texts, and chooses by them: on the validation set.
        return [made.compile(student, trainset=given.val, eval_kwargs=options)]


class SeveralLM(dspy.LM):
    """An LM that is asked ``n`` times where ``n`` completions are wanted, each a rollout of its
    own: engines of one completion per call would give one.
    """

    def __call__(self, *given: Any, n: int = 1, **options: Any) -> list[Any]:
        found: list[Any] = []
        for number in range(n):
            own = {**options, "rollout_id": ROLLOUTS + number} if number else options
            found += super().__call__(*given, **own)
        return found


ROLLOUTS = 70_000_003
"""Where the rollouts of several completions begin: nothing else reaches them."""


def several(lm: dspy.LM) -> SeveralLM:
    """The LM, asked again for each further completion."""
    made = lm.copy()
    made.__class__ = SeveralLM
    return cast(SeveralLM, made)


def number_metric(tuning: Tuning) -> Any:
    """The objective of an attempt as a number."""

    def metric(gold: Any, prediction: Any, trace: Any = None) -> float:
        return tuning.judged(prediction)[0]

    return metric


def detailed_metric(tuning: Tuning) -> Any:
    """The objective of an attempt, with feedback beside it."""

    def metric(gold: Any, prediction: Any, trace: Any = None) -> dspy.Prediction:
        value, scored = tuning.judged(prediction)
        return dspy.Prediction(score=value, feedback=tuning.told(prediction, scored))

    return metric


def feedback_metric(tuning: Tuning) -> Any:
    """The objective of an attempt with feedback and its parts, as GEPA wants them."""

    def metric(
        gold: Any,
        prediction: Any,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> dspy.Prediction:
        value, scored = tuning.judged(prediction)
        parts = {} if tuning.objective is None else tuning.objective.parts(scored)
        if prediction.rows is None:
            parts = dict.fromkeys(parts, FAILED)
        return dspy.Prediction(
            score=value, feedback=tuning.told(prediction, scored), objective_scores=parts
        )

    return metric


def shuffled(given: Search) -> list[dspy.Example]:
    """The training set in an order of the seed's."""
    order = list(given.train)
    random.Random(given.seed).shuffle(order)
    return order


__all__ = [
    "Bootstrap",
    "Copro",
    "Extent",
    "Gepa",
    "MiproV2",
    "Optimizer",
    "RandomSearch",
    "Search",
    "Simba",
]
