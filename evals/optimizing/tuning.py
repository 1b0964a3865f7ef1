"""The one place where a program under tuning is run and scored, whichever optimizer asks.

DSPy's optimizers copy programs, reset them, change their instructions and demonstrations, and call
them beside one another. :class:`Tunable` is the program as they see it; everything that must not
be copied (models, retriever, metrics, the record) is in :class:`Tuning`, which all copies share.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import dspy

from evals.contract import Metric, Tools
from evals.optimizing.compiled import PredictorState, restore, state_digest, state_of
from evals.optimizing.ended import SearchEnded, SearchLedger, searching
from evals.optimizing.feedback import feedback
from evals.optimizing.objective import Objective, Scored
from evals.optimizing.replicates import copied, figures, written
from evals.optimizing.targets import Target, by_id
from evals.optimizing.trials import Trials
from evals.scoring import STOPS
from modules.lm.adapter import signature_name
from modules.lm.once import once
from modules.lm.roles import Roles
from modules.recent import Recent
from signatures import ROLES
from signatures.errors import MootError, OutageError, TooManyFailures

FAILED = 0.0
"""What an optimizer is told of a text that failed or has no primary value: the least there is.
The record counts it as failed or abstained; it enters no mean."""


class Patience(NamedTuple):
    """Further tries after an outage, the pause between them, failures in a row that end all."""

    retries: int
    delay_s: float
    in_a_row: int


class Tuning:
    """What all copies of a program under tuning share.

    Args:
        target: Makes programs, and rows with them.
        items: The questions of the search.
        metrics: By name.
        tools: What metrics use.
        roles: The models.
        ledger: Where all is counted.
        patience: With failures.
        replicates: How often each question is written.
    """

    def __init__(
        self,
        target: Target,
        items: Sequence[Any],
        metrics: Mapping[str, Metric],
        tools: Tools,
        roles: Roles,
        ledger: SearchLedger,
        patience: Patience,
        replicates: int = 1,
    ) -> None:
        self.target = target
        self.replicates = replicates
        self.items = by_id(items)
        self.metrics = dict(sorted(metrics.items()))
        self.roles = roles
        self.ledger = ledger
        self.patience = patience
        self.objective: Objective | None = None
        self.trials: Trials | None = None
        self.tools = tools
        self._scores: Recent[str, Scored] = Recent(10_000)
        self._digests: Recent[tuple[Any, ...], tuple[str, Any]] = Recent(2_000)
        self._lock = threading.Lock()
        self._failures = 0

    # --- without the search: before and after it ------------------------------------------------

    def rows(self, program: Any, item: Any) -> list[dict[str, Any]]:
        """The rows of one item by a program whose models are bound: one for each replicate."""
        with dspy.context(trace=[]):
            return self._made(program, item)

    def scored(self, rows: Sequence[dict[str, Any]]) -> Scored:
        """An item's rows under all metrics, the same rows once."""
        key = hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()
        kept = self._scores.get([key])
        if key in kept:
            return kept[key]
        result = figures(rows, self.target.field, self.metrics, self.tools)
        if not result.failed:  # what failed may do better the next time
            self._scores.put({key: result})
        return result

    # --- in the search ----------------------------------------------------------------------------

    def attempt(self, tunable: Tunable, item_id: str) -> dspy.Prediction:
        """Run a candidate on one item; a failure is told in the prediction, not raised.

        Raises:
            SearchEnded: A budget is used up, or too many runs failed in a row.
        """
        if self.ledger.over is not None:
            raise self.ledger.over
        digest, state = self._candidate(tunable)
        with searching(), self.ledger.unit(f"{digest}/{item_id}"):
            # Optimizers may send slow work a second time: it waits for the first, and is then
            # answered from the cache.
            with once("attempt", id(self), digest, item_id, _rollout(tunable)):
                rows, problem = self._tried(tunable, item_id)
            self._counted(problem)
        return dspy.Prediction(
            rows=rows,
            problem=problem,
            item=item_id,
            candidate=digest,
            state=state,
            exploring=tunable.rollout is not None,
        )

    def judged(self, prediction: Any) -> tuple[float, Scored]:
        """The objective of an attempt as an optimizer is told it, and what it is made of."""
        if self.objective is None:
            raise RuntimeError("there is no objective before the baseline is known")
        if prediction.rows is None:
            result = Scored(problem=prediction.problem)
        else:
            with searching(), self.ledger.unit(f"{prediction.candidate}/{prediction.item}"):
                result = self.scored(prediction.rows)
        value = self.objective.of(result)
        if self.trials is not None and not prediction.exploring:
            self.trials.note(prediction.candidate, prediction.state, prediction.item, result, value)
        return (FAILED if value is None else value), result

    def told(self, prediction: Any, result: Scored) -> str:
        """The feedback on an attempt."""
        if self.objective is None:
            raise RuntimeError("there is no objective before the baseline is known")
        return feedback(self.objective, result, prediction.rows or (), self.metrics)

    def failed_proposal(self, error: MootError) -> None:
        """A proposal of the reflecting model came to nothing; too many in a row end the search."""
        self._counted(error.line())

    def _tried(
        self, tunable: Tunable, item_id: str
    ) -> tuple[list[dict[str, Any]] | None, str | None]:
        item = self.items[item_id]
        for attempt in range(1 + self.patience.retries):
            try:
                return self._made(tunable.bound(self.roles), item), None
            except STOPS as error:
                self.ledger.end(SearchEnded(error.line(), error))
            except OutageError as error:
                if attempt == self.patience.retries:
                    return None, error.line()
                time.sleep(self.patience.delay_s)
            except MootError as error:
                return None, error.line()
            except Exception as error:  # one text's fault becomes a counted failure
                return None, f"{type(error).__name__}: {error}"
        raise AssertionError("unreachable")

    def _made(self, program: Any, item: Any) -> list[dict[str, Any]]:
        """The item's rows, under a trace that holds nothing else."""
        return written(self.target, program, item, self.replicates)

    def _counted(self, problem: str | None) -> None:
        with self._lock:
            self._failures = 0 if problem is None else self._failures + 1
            many = self._failures >= self.patience.in_a_row
        if many:
            error = TooManyFailures(
                f"{self.patience.in_a_row} runs of the program failed in a row",
                got=problem,
                remedy="what was found is kept: mend it and `moot resume`",
            )
            self.ledger.end(SearchEnded(error.line(), error))

    def _candidate(self, tunable: Tunable) -> tuple[str, dict[str, PredictorState]]:
        """The digest and state of a candidate, worked out once for each set of prompts."""
        parts = [(p.signature, *p.demos) for _, p in sorted(tunable.program.named_predictors())]
        # The parts are kept with the digest, so that no id is used a second time.
        key = tuple(tuple(id(x) for x in part) for part in parts)
        kept = self._digests.get([key])
        if key in kept:
            digest, (state, _) = kept[key]
            return digest, state
        state = state_of(tunable.program)
        digest = state_digest(state)
        self._digests.put({key: (digest, (state, parts))})
        return digest, state


class Tunable(dspy.Module):
    """A program as optimizers see it: they copy it, change its prompts, and run it on examples.

    Args:
        tuning: What all copies share.
        program: The program; a fresh one by default.
    """

    def __init__(self, tuning: Tuning, program: Any = None) -> None:
        super().__init__()
        self.tuning = tuning
        self.program = tuning.target.program() if program is None else program
        self.rollout: tuple[Any, Any] | None = None

    def forward(self, *, id: str, subject: str) -> dspy.Prediction:
        """What the program makes of the item called ``id``."""
        outer = dspy.settings.trace
        with dspy.context(trace=[]):
            found = self.tuning.attempt(self, id)
            trace = dspy.settings.trace
        if outer is not None:
            outer.extend(_tuned_steps(self.program, trace))
        return found

    def bound(self, roles: Roles) -> Any:
        """The program with each predictor's model of its role, under this copy's rollout."""
        for _, predictor in self.program.named_predictors():
            if predictor.lm is None:
                predictor.lm = model_of(predictor, roles)
        return self.program

    def deepcopy(self) -> Tunable:
        """A copy with prompts of its own; everything else is shared or built anew."""
        other = type(self)(self.tuning, copied(self.tuning.target, self.program))
        other.rollout = self.rollout
        if getattr(self, "_compiled", False):
            other._compiled = True
        if hasattr(self, "simba_idx"):
            other.simba_idx = self.simba_idx
        return other

    def __deepcopy__(self, memo: Any) -> Tunable:
        return self.deepcopy()

    def get_lm(self) -> Any:
        """The writer's model, from which SIMBA makes those it explores with."""
        return self.tuning.roles.lm("writer").copy(rollout_id=0)

    def set_lm(self, lm: Any) -> None:
        """Explore: every role's own model, under the rollout and temperature of ``lm``."""
        self.rollout = (lm.kwargs.get("rollout_id"), lm.kwargs.get("temperature"))
        rollout, temperature = self.rollout
        for _, predictor in self.program.named_predictors():
            own = model_of(predictor, self.tuning.roles)
            base = own.kwargs.get("rollout_id") or 0
            predictor.lm = own.copy(
                rollout_id=base + EXPLORING + (rollout or 0), temperature=temperature
            )


EXPLORING = 50_000_003
"""Where exploring rollouts begin: no replicate, sample or repair reaches them."""


def example(item: Any) -> dspy.Example:
    """An item as optimizers pass it around."""
    return dspy.Example(id=item.id, subject=item.text).with_inputs("id", "subject")


def model_of(predictor: Any, roles: Roles) -> Any:
    """The model of the role that answers a predictor's signature."""
    return roles.lm(ROLES.get(signature_name(predictor.signature), "writer"))


def loaded(tuning: Tuning, state: Mapping[str, PredictorState]) -> Tunable:
    """A program with the prompts of a state."""
    made = Tunable(tuning)
    restore(state, made.program)
    return made


def _tuned_steps(program: Any, trace: Sequence[Any]) -> list[Any]:
    """The steps of a trace that the program's own predictors took.

    Optimizers look for predictors by identity and by their fields' names; those that a target
    keeps as they are do not concern them.
    """
    own = {id(predictor) for _, predictor in program.named_predictors()}
    return [(step, dict(inputs), reply) for step, inputs, reply in trace if id(step) in own]


def _rollout(tunable: Tunable) -> list[Any]:
    return list(tunable.rollout or ())


__all__ = ["FAILED", "Patience", "Tunable", "Tuning", "example", "loaded"]
