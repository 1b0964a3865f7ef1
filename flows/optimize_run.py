"""One optimization, step by step: each step leaves what the next one needs."""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from evals.contract import Tools
from evals.optimizing.compiled import Compiled, compiled, restore
from evals.optimizing.ended import SearchEnded, SearchLedger, searching
from evals.optimizing.objective import Norm, Objective, Scored, norm
from evals.optimizing.optimizers import Search
from evals.optimizing.promotion import Verdict, verdict
from evals.optimizing.split import Split, split
from evals.optimizing.targets import Target, by_id
from evals.optimizing.trials import Trial, Trials
from evals.optimizing.tuning import Patience, Tunable, Tuning, example
from flows.limiting import limiters
from flows.optimize_config import OptimizeConfig
from flows.optimize_setup import (
    judge_notes,
    kept_evaluator,
    own_cache,
    quiet,
    same_questions,
    suited,
)
from flows.optimize_targets import target_of
from flows.optimize_units import scored_units
from flows.programs import Programs
from flows.run import LEDGER_FILE, Run
from flows.runtime import embedder_of
from flows.settled import settled
from modules.lm.roles import Roles
from modules.parallel import at_once
from modules.vectors import remembering
from signatures.errors import InputError

log = logging.getLogger("moot.optimize")

UNTUNED = 0.5
"""The objective of the program as it was, by definition."""


class Optimization:
    """Everything one ``moot optimize`` does, and what has come of it so far.

    Args:
        settings: The configuration.
        items: The dataset's questions.
        digest: Of the questions.
        run: The run.

    Raises:
        InputError: The run was begun on other questions.
        EvidenceError: There is no index.
    """

    def __init__(
        self, settings: OptimizeConfig, items: Sequence[Any], digest: str, run: Run
    ) -> None:
        self.settings = settings
        self.items = by_id(items)
        self.digest = digest
        self.run = run
        self.corpus_version: str | None = None
        self.reused = 0
        self.rows: dict[str, dict[str, dict[str, Any]]] = {}
        same_questions(run, settings.dataset.name, digest)
        cache = own_cache(settings, digest)
        self.ledger = SearchLedger(
            run.folder / LEDGER_FILE, settings.budget, settings.optimizer.budget()
        )
        run.ledger = self.ledger
        used = [settings.backend, *settings.roles.values()]
        self.roles = run.holding(
            Roles(
                settings.backend,
                self.ledger,
                own=settings.roles,
                seed=settings.seed,
                slots=limiters(settings.runner, used),
            )
        )
        self.programs = Programs(settings)
        self.notes = judge_notes(settings, self.roles) + self.programs.notes()
        self.embedder = embedder_of(settings) if settings.embeds else None
        self.target: Target = target_of(settings, self.embedder, self.roles, self)
        suited(settings, self.target, items)
        tools = Tools(
            None if self.embedder is None else remembering(self.embedder),
            self.programs.bind(self.roles),
            self.roles.backends["judge"].identity(),
            kept_evaluator(settings, self.ledger, cache),
        )
        patience = Patience(
            settings.runner.retries, settings.runner.retry_delay_s, settings.failures_in_a_row
        )
        self.tuning = Tuning(
            self.target, items, settings.measures, tools, self.roles, self.ledger, patience,
            settings.replicates,
        )  # fmt: skip
        self.original: Compiled = compiled(
            self.target.program(), self.target.name, self.target.method
        )
        self.parts: Split
        self.untuned: dict[str, Scored] = {}
        self.trials: Trials
        self.ended = ""
        self.best: Trial
        self.compiled: Compiled
        self.before: dict[str, Scored] = {}
        self.after: dict[str, Scored] = {}
        self.verdict: Verdict

    # --- the steps --------------------------------------------------------------------------------

    def split(self) -> None:
        """Divide the questions into those to train on, to choose by, and to hold out.

        Questions that the corpus has no evidence on are left out, and counted.

        Raises:
            InputError: Too few are left.
        """
        import dspy

        usable = [item for item in self.items.values() if self.target.covers(item)]
        without = len(self.items) - len(usable)
        if without:
            self.notes.append(f"{without} questions were left out: the corpus has no evidence")
        self.parts = split(usable, self.settings.split, self.settings.seed)
        with dspy.context(disable_history=True):
            self.target.prepare(usable, self.settings.runner.concurrency)

    def baseline(self) -> None:
        """Score the program as it is on the training and validation questions.

        Raises:
            InputError: None of them has a value of the primary metric.
        """
        ids = [*self.parts.train, *self.parts.val]
        self.untuned = scored_units(self, self.original, ids, "baseline")
        primary = self.settings.objective.primary
        if all(one.values.get(primary) is None for one in self.untuned.values()):
            raise InputError(
                f"{primary} has no value on any of {len(ids)} questions: there is nothing to tune",
                got=_reason(self.untuned, primary),
                remedy="choose another objective.primary, or a backend that can judge",
            )
        norms = {}
        for name in self.settings.objective.weighed():
            known = [v for s in self.untuned.values() if (v := s.values.get(name)) is not None]
            if known:
                norms[name] = norm(self.settings.measures[name], known)
            else:
                self.notes.append(f"{name} has no value on any question and does not count")
        weights = {k: v for k, v in self.settings.objective.weighed().items() if k in norms}
        chosen = self.settings.objective.model_copy(update={"weights": weights})
        self.tuning.objective = Objective(chosen, norms)

    def search(self) -> None:
        """Let the optimizer look for better prompts within its budget."""
        objective = self.tuning.objective
        if objective is None:
            raise RuntimeError("the baseline comes first")
        self.trials = Trials(
            self.parts.val,
            self.original.program,
            objective.parts,
            lambda: (self.ledger.requests, self.ledger.usage().usd),
            self.run.folder / "search",
            most_failed=self.settings.max_failed,
            told=_progress,
        )
        for item in self.parts.val:
            one = self.untuned[item]
            digest = self.original.digest()
            self.trials.note(digest, self.original.program, item, one, objective.of(one))
        self.tuning.trials = self.trials
        given = Search(
            self.tuning,
            [example(self.items[i]) for i in self.parts.train],
            [example(self.items[i]) for i in self.parts.val],
            self.settings.seed,
            self.settings.runner.concurrency,
            self.settings.objective.search == "pareto",
        )
        try:
            with settled(), quiet(self.run, self.roles), searching():
                found = self.settings.optimizer.search(given)
                for program in found:
                    self._validate(program)
            self.ended = "the optimizer was done"
        except SearchEnded as over:
            self.ended = over.reason
            if over.error is not None:
                raise over.error from None
            log.info("the search ended: %s", over.reason)

    def choose(self) -> None:
        """Take the best candidate on the validation questions; the untuned one among equals."""
        best = self.trials.best()
        self.best = self.trials.done[0] if best is None else best
        program = restore(self.trials.state(self.best.digest), self.target.program())
        self.compiled = compiled(program, self.target.name, self.target.method)

    def hold_out(self) -> None:
        """Compare the program as it was with the best on the questions nothing has seen."""
        ids = self.parts.holdout
        self.before = scored_units(self, self.original, ids, "before")
        if self.compiled.program == self.original.program:
            self.after = self.before
        else:
            self.after = scored_units(self, self.compiled, ids, "after")
        found = verdict(
            self.before,
            self.after,
            self.parts.groups,
            self.settings.measures,
            self.settings.objective,
            seed=self.settings.seed,
            max_failed=self.settings.max_failed,
        )
        if self.after is self.before:
            self.rows["after"] = self.rows["before"]
            tried = len(self.trials.done) - 1
            said = "not promoted: no improvement found; " + (
                f"of {tried} other prompts that were tried on all validation questions none is "
                "better than the program's own"
                if tried
                else "no other prompt was good enough to be tried on all validation questions"
            )
            found = found._replace(promoted=False, reason=said)
        self.verdict = found

    def norms(self) -> dict[str, Norm]:
        """What z-scores are taken against, by metric."""
        return {} if self.tuning.objective is None else self.tuning.objective.norms

    # --- inside -----------------------------------------------------------------------------------

    def _validate(self, program: Tunable) -> None:
        """Score a program on the validation questions; what was asked before is in the cache."""
        judge = functools.partial(_judge, self.tuning, program)
        at_once(judge, self.parts.val, threads=self.settings.runner.concurrency)


def _progress(trial: Trial, best: Trial | None) -> None:
    said = "nothing scored" if trial.objective is None else f"{trial.objective:.3f}"
    top = "none" if best is None or best.objective is None else f"{best.objective:.3f}"
    log.info(
        "trial %d: objective %s, best %s, %d requests", trial.number, said, top, trial.requests
    )


def _judge(tuning: Tuning, program: Tunable, item: str) -> None:
    tuning.judged(program(id=item, subject=tuning.items[item].text))


def _reason(found: Mapping[str, Scored], primary: str) -> str:
    """Why the first text has no value."""
    first = next(iter(found.values()))
    return first.problem or first.said.get(primary) or "no explanation"


__all__ = ["UNTUNED", "Optimization"]
