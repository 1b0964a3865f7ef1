"""The writing half of an evaluation's units: a text by each method on each backend.

What is expensive and equal is shared by all units: the embedder and what it has embedded, the
retriever and what it has found, the LMs. A text's unit runs all stages of its method in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evals.contract import Tools
from evals.datasets import Item
from evals.table import Place
from flows.cell_kinds import carried, essay_document, text_of
from flows.evaluation_config import EvaluationConfig
from flows.limiting import limiters
from flows.programs import Programs
from flows.prompts import applied, prompts_of
from flows.run import Run
from flows.runtime import embedder_of, evaluator_of, retriever_of
from flows.units import Unit, canonical, unit_key
from modules.essay import EssayJudge, best_of
from modules.evidence import NoEvidence
from modules.kept_vectors import KeptVectors
from modules.lm.backends import Backend
from modules.lm.ledger import Ledger
from modules.lm.roles import Roles
from modules.retrieval.remember import RememberingRetriever
from modules.stage import program_identity
from modules.vectors import remembering

MOST_SAMPLES = 50
"""Samples at most where a budget is matched: a guard for texts that cost next to nothing."""


class TextOf(NamedTuple):
    """Which text a unit writes; ``tokens`` is what it may cost, where budgets are matched."""

    item: Item
    place: Place
    replicate: int
    tokens: int | None = None


class Writing:
    """Makes the units that write.

    Args:
        settings: The evaluation's configuration.
        places: Its cells.
        ledger: Where all calls are counted.
        run: The run, for a retriever that keeps its pages in it.

    Raises:
        EvidenceError: There is no index, or another embedder built it.
        BackendError: A backend cannot be used.
        ConfigError: A prompt fits no method.
    """

    def __init__(
        self,
        settings: EvaluationConfig,
        places: list[Place],
        ledger: Ledger,
        run: Run | None = None,
    ) -> None:
        self.settings = settings
        self.programs = Programs(settings)
        self.text_kind = text_of(settings)
        self.columns = settings.columns()
        self._ledger = ledger
        embedder = embedder_of(settings)
        self.retriever = retriever_of(settings, embedder, run)
        disk = KeptVectors(settings.paths.cache / "vectors", embedder.name)
        self.embedder = remembering(embedder, disk)
        self._remembered = (
            self.retriever
            if isinstance(self.retriever, NoEvidence)
            else RememberingRetriever(self.retriever)
        )
        # One bound for each server, whoever calls it: a column, a role of its own, a judge.
        used = (*self.columns.values(), *settings.roles.values())
        self._slots = limiters(settings.runner, used)
        evaluates = any(metric.evaluates for metric in settings.metrics.values())
        self._evaluator = evaluator_of(settings, ledger) if evaluates else None
        self._prompts = prompts_of(settings.prompts)
        self._roles = {
            (name, replicate): self._roles_of(backend, replicate)
            for name, backend in self.columns.items()
            for replicate in range(max(settings.replicates, settings.judgements))
        }
        if run is not None:
            for roles in self._roles.values():
                run.holding(roles)
        written = {Place(p.method, p.backend, "", p.prompt) for p in places}
        self._programs = {
            (place, replicate): self._program(place, replicate)
            for place in sorted(written)
            for replicate in range(settings.replicates)
        }
        self._identities = {k: program_identity(p) for k, p in self._programs.items()}
        self._written = {k: canonical(identity) for k, identity in self._identities.items()}

    def unit(self, about: TextOf, name: str) -> Unit:
        """The unit that writes one text."""
        key = unit_key(
            "text",
            writes=self.text_kind.kind,
            method=self._method(about).model_dump(mode="json"),
            program=self._written[_anywhere(about.place), about.replicate],
            **self.text_kind.asked(about.item),
            replicate=about.replicate,
            matched=None
            if about.tokens is None
            else [about.tokens, program_identity(self._judge(about))],
        )
        return Unit(name, key, lambda: self._write(about, name), about)

    def row(self, about: TextOf, document: Mapping[str, Any]) -> dict[str, Any]:
        """A text as metrics read it: its result, what it is about, who wrote it."""
        stance = {"stance": self.settings.stance} if self.text_kind.kind == "essay" else {}
        return {
            **document,
            **carried(about.item),
            "id": about.item.id,
            self.text_kind.about: about.item.text,
            **stance,
            "method": about.place.method,
            "writer": self.writer(about.place.backend, about.replicate),
        }

    def writer(self, column: str, replicate: int = 0) -> str:
        """The identity of the model that writes in a column."""
        return self._roles[column, replicate].backends["writer"].identity()

    def tools(self, column: str, judgement: int) -> Tools:
        """What the metrics of a column use; each judgement asks the judge anew."""
        roles = self._roles[column, judgement]
        judge = roles.backends["judge"].identity()
        return Tools(self.embedder, self.programs.bind(roles), judge, self._evaluator)

    def identities(self) -> dict[str, Any]:
        """What the texts of each method depend on, by ``backend/method`` and prompt."""
        return {
            "/".join(filter(None, (place.backend, place.method, place.prompt))): identity
            for (place, replicate), identity in self._identities.items()
            if replicate == 0
        }

    def _method(self, about: TextOf) -> Any:
        return self.settings.methods[about.place.method]

    def _roles_of(self, backend: Backend, replicate: int) -> Roles:
        return Roles(
            backend,
            self._ledger,
            own=self.settings.roles,
            seed=self.settings.seed,
            replicate=replicate,
            slots=self._slots,
        )

    def _program(self, place: Place, replicate: int) -> Any:
        return self.programs.bind(self._roles[place.backend, replicate])(self._unbound(place))

    def _unbound(self, place: Place) -> Any:
        method = self.settings.methods[place.method]
        program = self.text_kind.program(method, self._remembered, self.embedder)
        return applied(
            program,
            self._prompts.get(place.prompt),
            self.settings,
            name=place.prompt,
            target=self.text_kind.kind,
            method=method.name,
        )

    def _write(self, about: TextOf, name: str) -> dict[str, Any]:
        method, program = (
            self._method(about), self._programs[_anywhere(about.place), about.replicate],
        )  # fmt: skip
        if about.tokens is None:
            return self.text_kind.write(method, program, about.item)
        roles = self._roles[about.place.backend, about.replicate]
        best = best_of(
            method,
            lambda n: (
                self.programs.bind(roles.sample(n))(self._unbound(about.place)) if n else program
            ),
            lambda: self._judge(about),
            about.item.text,
            self.settings.stance,
            samples=MOST_SAMPLES,
            tokens=about.tokens,
            spent=_Spending(self._ledger, name),
        )
        kept = [sample.model_dump(mode="json") for sample in best.samples]
        notes = [*best.parts.notes, *best.parts.essay.notes, *best.notes]
        return {**essay_document(best.parts), "notes": notes, "samples": kept}

    def _judge(self, about: TextOf) -> EssayJudge:
        judge: EssayJudge = self.programs.bind(self._roles[about.place.backend, 0])(EssayJudge())
        return judge


def _anywhere(place: Place) -> Place:
    """The cell whatever its dataset: programs do not depend on it."""
    return place._replace(dataset="")


class _Spending:
    """Tokens a unit has spent, for :func:`best_of`, which begins by asking.

    Of a unit that was interrupted, what it had spent before counts as spent on what it does now:
    its replies come out of the cache, and the budget is over all of it.
    """

    def __init__(self, ledger: Ledger, unit: str) -> None:
        self._ledger = ledger
        self._unit = unit
        self._begun = False

    def __call__(self) -> int:
        if not self._begun:
            self._begun = True
            return 0
        usage = self._ledger.usage(unit=self._unit)
        return usage.input_tokens + usage.output_tokens


__all__ = ["TextOf", "Writing"]
