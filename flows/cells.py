"""The units of an evaluation: texts by each method on each backend, then their scores.

What is expensive and equal is shared by all units: the embedder and what it has embedded, the
retriever and what it has found, the LMs. A text's unit runs all stages of its method in place;
the scores of a proposition's texts are units of their own, so that no judgement is repeated.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from evals.contract import Metric, Tools
from evals.datasets import Item
from evals.scoring import RowScore, scored
from evals.table import Cost, Place, Value
from flows.config import EvaluationConfig
from flows.runtime import embedder_of, retriever_of
from flows.units import Outcome, Unit, unit_key
from modules.essay import EssayJudge, EssayMethod, EssayParts, best_of
from modules.evidence import NoEvidence
from modules.lm.backends import Backend
from modules.lm.ledger import Ledger
from modules.lm.roles import Roles
from modules.retrieval.remember import RememberingRetriever
from modules.stage import program_identity
from modules.vectors import remembering
from signatures.results import ScoredItem
from signatures.types import Usage

MOST_SAMPLES = 50
"""Samples at most where a budget is matched: a guard for texts that cost next to nothing."""


class TextOf(NamedTuple):
    """Which text a unit writes; ``tokens`` is what it may cost, where budgets are matched."""

    item: Item
    place: Place
    replicate: int
    tokens: int | None = None


class ScoreOf(NamedTuple):
    """What a unit scores: the texts of one proposition, by a metric that asks an LM, or by all
    those that do not: they are cheap, and a unit has a price of its own.
    """

    item: Item
    place: Place
    metrics: tuple[str, ...]


@dataclass
class Found:
    """What has come of an evaluation so far.

    Attributes:
        values: The table's values.
        costs: What each text cost.
        texts: The finished texts, by proposition, in the order of replicates.
        failures: ``(unit, reason)``.
    """

    values: list[Value] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    texts: dict[tuple[str, Place], dict[int, str]] = field(default_factory=dict)
    failures: list[tuple[str, str]] = field(default_factory=list)


class Cells:
    """Makes the units of an evaluation and takes in what becomes of them.

    Args:
        settings: The evaluation's configuration.
        ledger: Where all calls are counted.

    Raises:
        EvidenceError: There is no index, or another embedder built it.
        BackendError: A backend cannot be used.
    """

    def __init__(self, settings: EvaluationConfig, ledger: Ledger) -> None:
        self.settings = settings
        self.items = settings.dataset.items()
        self.columns = settings.columns()
        self.places = [Place(m, b) for b in self.columns for m in settings.methods]
        self.found = Found()
        embedder = embedder_of(settings)
        retriever = retriever_of(settings, embedder)
        self.corpus_version: str | None = getattr(retriever, "corpus_version", None)
        self._embedder = remembering(embedder)
        self._retriever = (
            retriever if isinstance(retriever, NoEvidence) else RememberingRetriever(retriever)
        )
        self._ledger = ledger
        # One bound for each server, whoever calls it: a column, a role of its own, a judge.
        used = (*self.columns.values(), *settings.roles.values())
        self._slots = {b.identity(): threading.Semaphore(settings.runner.concurrency) for b in used}
        self._roles = {
            (name, replicate): self._roles_of(backend, replicate)
            for name, backend in self.columns.items()
            for replicate in range(settings.replicates)
        }
        self._programs = {
            (place, replicate): self._program(place, replicate)
            for place in self.places
            for replicate in range(settings.replicates)
        }
        self._identities = {k: program_identity(p) for k, p in self._programs.items()}
        self._scorers = {
            (column, name): RowScore(metric, self._tools(column))
            for column in self.columns
            for name, metric in settings.metrics.items()
        }
        asking = [name for name, metric in settings.metrics.items() if metric.program() is not None]
        measures = tuple(name for name in settings.metrics if name not in asking)
        self._scorings = [(name,) for name in asking] + ([measures] if measures else [])
        self._rows: dict[tuple[str, Place], dict[int, dict[str, Any] | None]] = {}

    # --- what there is to do ------------------------------------------------------------------

    @property
    def expected(self) -> int:
        """How many units there are in all."""
        groups = len(self.items) * len(self.places)
        return groups * (self.settings.replicates + len(self._scorings))

    def texts(self) -> Iterator[Unit]:
        """The units that write, proposition by proposition, so that what is done can be compared
        wherever the run stops. Where budgets are matched, only the reference's: the others'
        follow from what it cost.
        """
        for item in self.items:
            for place in self.places:
                if not self.settings.match_budget or place.method == self.settings.reference:
                    for replicate in range(self.settings.replicates):
                        yield self.text(TextOf(item, place, replicate))

    def text(self, about: TextOf) -> Unit:
        """The unit that writes one text."""
        item, place, replicate, tokens = about
        key = unit_key(
            "text",
            method=self._method(place).model_dump(mode="json"),
            program=self._identities[place, replicate],
            settings=self.settings.settings,
            subject=item.text,
            stance=self.settings.stance,
            replicate=replicate,
            matched=None if tokens is None else [tokens, program_identity(self._judge(about))],
        )
        name = f"{place.backend}/{place.method}/{item.id}/{replicate + 1}"
        return Unit(name, key, lambda: self._write(about, name), about)

    def scores(self, item: Item, place: Place) -> Iterator[Unit]:
        """The units that score the texts of one proposition, once all of them are written."""
        rows = self._rows.pop((item.id, place))
        written = [row for _, row in sorted(rows.items()) if row is not None]
        missing = len(rows) - len(written)
        for names in self._scorings:
            about = ScoreOf(item, place, names)
            if missing:
                # A figure over fewer texts is another figure: the whole group counts as failed.
                self._failed(about, f"{missing} of {len(rows)} texts failed")
            else:
                yield self._score_unit(about, written)

    # --- what has come of it ------------------------------------------------------------------

    def values(self) -> list[Value]:
        """All scores, in an order that does not depend on which came first."""
        order = {item.id: number for number, item in enumerate(self.items)}
        return sorted(self.found.values, key=lambda v: (v[:2], order[v.item], v.part))

    def costs(self) -> list[Cost]:
        """What each text cost, in an order that does not depend on which came first."""
        return sorted(self.found.costs, key=lambda cost: (cost.place, cost.seconds, cost.tokens))

    def outputs(self) -> Iterator[dict[str, Any]]:
        """The finished texts: a row for each proposition, method and backend."""
        for item in self.items:
            for place in self.places:
                texts = self.found.texts.get((item.id, place), {})
                if texts:
                    yield {
                        "id": item.id,
                        "input": item.text,
                        "outputs": [text for _, text in sorted(texts.items())],
                        "method": place.method,
                        "backend": place.backend,
                        "stance": self.settings.stance,
                        "writer": self._roles[place.backend, 0].backends["writer"].identity(),
                    }

    def take(self, outcome: Outcome) -> Iterator[Unit]:
        """Take in an outcome; returns the units that can be begun because of it."""
        if outcome.reason is not None:
            self.found.failures.append((outcome.unit.name, outcome.reason))
        if isinstance(outcome.unit.about, ScoreOf):
            self._scored(outcome.unit.about, outcome)
            return
        about: TextOf = outcome.unit.about
        if outcome.value is None:
            yield from self._entered(about, None)
        else:
            self.found.costs.append(_cost(about.place, outcome))
            texts = self.found.texts.setdefault((about.item.id, about.place), {})
            texts[about.replicate] = outcome.value["essay"]
            yield from self._entered(about, self._row(about, outcome.value))
        if self.settings.match_budget and about.place.method == self.settings.reference:
            yield from self._matched(about, outcome)

    def _entered(self, about: TextOf, row: dict[str, Any] | None) -> Iterator[Unit]:
        """A text, or None for one that failed; with the last of a group its scores can begin."""
        rows = self._rows.setdefault((about.item.id, about.place), {})
        rows[about.replicate] = row
        if len(rows) == self.settings.replicates:
            yield from self.scores(about.item, about.place)

    def _matched(self, about: TextOf, outcome: Outcome) -> Iterator[Unit]:
        """The other methods' texts, which may cost what the reference's has cost."""
        tokens = outcome.usage.input_tokens + outcome.usage.output_tokens
        for place in self.places:
            if place.backend != about.place.backend or place.method == about.place.method:
                continue
            other = about._replace(place=place, tokens=tokens)
            if outcome.reason is None:
                yield self.text(other)
            else:
                why = f"no budget to match: {outcome.unit.name} failed"
                self.found.failures.append((self.text(other).name, why))
                yield from self._entered(other, None)

    def _scored(self, about: ScoreOf, outcome: Outcome) -> None:
        if outcome.reason is not None:
            self._failed(about, outcome.reason)
            return
        for name, found in outcome.value.items():
            for row in map(ScoredItem.model_validate, found):
                problem = row.explanation if row.status == "failed" else None
                self.found.values.append(
                    Value(about.place, name, about.item.id, row.id, row.value, problem)
                )

    def _failed(self, about: ScoreOf, reason: str) -> None:
        for name in about.metrics:
            value = Value(about.place, name, about.item.id, "", None, reason)
            self.found.values.append(value)

    # --- inside -------------------------------------------------------------------------------

    def _method(self, place: Place) -> EssayMethod:
        return self.settings.methods[place.method]

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
        return self._roles[place.backend, replicate].bind(self._unbound(place))

    def _unbound(self, place: Place) -> Any:
        return self._method(place).program(self.settings.settings, self._retriever, self._embedder)

    def _tools(self, column: str) -> Tools:
        roles = self._roles[column, 0]
        return Tools(self._embedder, roles.bind, roles.backends["judge"].identity())

    def _write(self, about: TextOf, name: str) -> dict[str, Any]:
        method, program = self._method(about.place), self._programs[about.place, about.replicate]
        subject, stance = about.item.text, self.settings.stance
        if about.tokens is None:
            return _document(method.write(program, subject, stance))
        roles = self._roles[about.place.backend, about.replicate]
        spending = _Spending(self._ledger, name)
        best = best_of(
            method,
            lambda n: roles.sample(n).bind(self._unbound(about.place)) if n else program,
            lambda: self._judge(about),
            subject,
            stance,
            samples=MOST_SAMPLES,
            tokens=about.tokens,
            spent=spending,
        )
        kept = [sample.model_dump(mode="json") for sample in best.samples]
        notes = [*best.parts.notes, *best.parts.essay.notes, *best.notes]
        return {**_document(best.parts), "notes": notes, "samples": kept}

    def _judge(self, about: TextOf) -> EssayJudge:
        judge: EssayJudge = self._roles[about.place.backend, 0].bind(EssayJudge())
        return judge

    def _row(self, about: TextOf, document: dict[str, Any]) -> dict[str, Any]:
        """A text as metrics read it: what an essay's result has, and what it is about."""
        roles = self._roles[about.place.backend, about.replicate]
        return {
            **document,
            "id": about.item.id,
            "proposition": about.item.text,
            "stance": self.settings.stance,
            "method": about.place.method,
            "writer": roles.backends["writer"].identity(),
        }

    def _grouped(
        self, metric: Metric, item: Item, rows: list[dict[str, Any]]
    ) -> list[tuple[str, dict[str, Any]]]:
        """The rows a metric scores: all texts in one, or each on its own, with its part's name."""
        if "outputs" not in metric.fields:
            return [(str(number), row) for number, row in enumerate(rows, start=1)]
        shared = {k: rows[0][k] for k in ("id", "stance", "method", "writer")}
        return [("", {**shared, "input": item.text, "outputs": [row["essay"] for row in rows]})]

    def _score_unit(self, about: ScoreOf, texts: list[dict[str, Any]]) -> Unit:
        item, place, names = about
        work = {
            name: (
                self._scorers[place.backend, name],
                self._grouped(self.settings.metrics[name], item, texts),
            )
            for name in names
        }
        asks = self.settings.metrics[names[0]].program() is not None
        return Unit(
            f"{place.backend}/{place.method}/{item.id}/{names[0] if asks else 'measures'}",
            unit_key(
                "score", of={n: [stage.identity(), rows] for n, (stage, rows) in work.items()}
            ),
            lambda: {name: _scored(stage, rows, asks) for name, (stage, rows) in work.items()},
            about,
        )


def _scored(stage: RowScore, rows: list[tuple[str, dict[str, Any]]], asks: bool) -> list[Any]:
    """The rows' scores as JSON. An LM that fails fails the unit, which is then run again; a
    measure that breaks on a row fails that row.
    """
    found = [
        stage(name=part, row=row)
        if asks
        else scored(part, functools.partial(stage.metric.score, row, stage.tools))
        for part, row in rows
    ]
    return [item.model_dump(mode="json") for item in found]


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


def _document(parts: EssayParts) -> dict[str, Any]:
    """What a method produced, as the fields of an essay's result."""
    essay = parts.essay
    return dict(
        to_jsonable_python(
            {
                "personas": parts.personas,
                "debate": parts.debate.turns,
                "debate_ended": parts.debate.ended,
                "plan": parts.plan,
                "essay": essay.text,
                "citations": essay.citations,
                "citation_figures": essay.figures,
                "uncited": essay.uncited,
                "notes": parts.notes,
            }
        )
    )


def _cost(place: Place, outcome: Outcome) -> Cost:
    usage: Usage = outcome.usage
    tokens = usage.input_tokens + usage.output_tokens
    return Cost(place, tokens, usage.calls, usage.usd, outcome.seconds)


__all__ = ["Cells", "Found", "ScoreOf", "TextOf"]
