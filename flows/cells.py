"""The units of an evaluation, cell by cell: who writes about what, who scores it, what came of it.

A cell is a method on a backend over a dataset, under a prompt where prompts are compared.
:mod:`flows.cell_writing` makes the units that write, :mod:`flows.cell_scoring` those that score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from evals.datasets import Item
from evals.table import Cost, Place, Value
from flows.cell_kinds import checked
from flows.cell_scoring import ScoreOf, Scoring, WholeOf
from flows.cell_writing import TextOf, Writing
from flows.evaluation_config import EvaluationConfig
from flows.run import Run
from flows.units import Outcome, Unit
from modules.lm.ledger import Ledger
from signatures.types import Usage

Group = tuple[str, Place]
"""The texts of one item in one cell: the item's id, and the cell."""

LAST = 3
"""Units at the end, for each call that may run at once, that are begun longest first."""


@dataclass
class Found:
    """What has come of an evaluation so far.

    Attributes:
        costs: What each text cost.
        texts: The finished texts' rows, by group, by replicate.
        failures: ``(unit, reason)``.
    """

    costs: list[Cost] = field(default_factory=list)
    texts: dict[Group, dict[int, dict[str, Any]]] = field(default_factory=dict)
    failures: list[tuple[str, str]] = field(default_factory=list)


class Cells:
    """Makes the units of an evaluation and takes in what becomes of them.

    Args:
        settings: The evaluation's configuration.
        ledger: Where all calls are counted.
        run: The run, for a retriever that keeps its pages in it.

    Raises:
        InputError: A dataset cannot be used.
        ConfigError: A metric needs what a dataset has not; a prompt fits no method.
        EvidenceError: There is no index, or another embedder built it.
        BackendError: A backend cannot be used.
    """

    def __init__(self, settings: EvaluationConfig, ledger: Ledger, run: Run | None = None) -> None:
        self.settings = settings
        self.datasets = {n: (d, d.items()) for n, d in settings.collections().items()}
        self.items = {name: items for name, (_, items) in self.datasets.items()}
        self.columns = settings.columns()
        self.places = [
            Place(method, backend, dataset, prompt)
            for dataset in self.items
            for backend in self.columns
            for method in settings.methods
            for prompt in (settings.prompts or {"": None})
        ]
        self.found = Found()
        self.writing = Writing(settings, self.places, ledger, run)
        checked(self.writing.text_kind, settings.metrics, self.datasets)
        self.scoring = Scoring(settings, self.writing)
        self._waiting: dict[Group, dict[int, dict[str, Any] | None]] = {}

    @property
    def corpus_version(self) -> str | None:
        """The readable name of the index that is read, where one is."""
        return getattr(self.writing.retriever, "corpus_version", None)

    # --- what there is to do ------------------------------------------------------------------

    @property
    def expected(self) -> int:
        """How many units there are in all."""
        return sum(self.expected_of(place) for place in self.places)

    def expected_of(self, place: Place) -> int:
        """How many units a cell has."""
        each = self.settings.replicates + self.scoring.per_item()
        return len(self.items[place.dataset]) * each + self.scoring.per_place()

    def texts(self) -> Iterator[Unit]:
        """The units that write, item by item, so that what is done can be compared wherever the
        run stops; the last of them longest first, so that none is left to run alone. Where budgets
        are matched, only the reference's: the others' follow from what it cost.
        """
        every = [
            TextOf(item, place, replicate)
            for name, items in self.items.items()
            for item in items
            for place in self.places
            if place.dataset == name and not self._follows(place)
            for replicate in range(self.settings.replicates)
        ]
        begin = max(0, len(every) - LAST * self.settings.runner.concurrency)
        methods = self.settings.methods
        last = sorted(every[begin:], key=lambda about: -methods[about.place.method].stages)
        yield from map(self.text, [*every[:begin], *last])

    def _follows(self, place: Place) -> bool:
        return self.settings.match_budget and place.method != self.settings.reference

    def text(self, about: TextOf) -> Unit:
        """The unit that writes one text."""
        name = f"{self.name_of(about.place)}/{about.item.id}/{about.replicate + 1}"
        return self.writing.unit(about, name)

    def name_of(self, place: Place) -> str:
        """A cell's readable name; the dataset is told where there are several."""
        dataset = place.dataset if len(self.items) > 1 else ""
        return "/".join(filter(None, (dataset, place.backend, place.method, place.prompt)))

    def take(self, outcome: Outcome) -> Iterator[Unit]:
        """Take in an outcome; returns the units that can be begun because of it."""
        if outcome.reason is not None:
            self.found.failures.append((outcome.unit.name, outcome.reason))
        about: TextOf | ScoreOf | WholeOf = outcome.unit.about
        if not isinstance(about, TextOf):
            self.scoring.take(about, outcome)
        else:
            yield from self._written(about, outcome)

    # --- what has come of it ------------------------------------------------------------------

    def values(self) -> list[Value]:
        """All scores, in an order that does not depend on which came first."""
        order = {
            (name, item.id): number
            for name, items in self.items.items()
            for number, item in enumerate(items)
        }
        return sorted(
            self.scoring.values,
            key=lambda v: (v.place, v.metric, order.get((v.place.dataset, v.item), -1), v.part),
        )

    def costs(self) -> list[Cost]:
        """What each text cost, in an order that does not depend on which came first."""
        return sorted(self.found.costs, key=lambda cost: (cost.place, cost.seconds, cost.tokens))

    def groups(self) -> Iterator[tuple[Item, Place, list[dict[str, Any]]]]:
        """The finished texts' rows, item by item and cell by cell."""
        for name, items in self.items.items():
            for item in items:
                for place in self.places:
                    texts = self.found.texts.get((item.id, place), {})
                    if place.dataset == name and texts:
                        yield item, place, [row for _, row in sorted(texts.items())]

    # --- inside -------------------------------------------------------------------------------

    def _written(self, about: TextOf, outcome: Outcome) -> Iterator[Unit]:
        """Note that a text is done, or failed; returns what follows from it."""
        row = None
        if outcome.reason is None:
            self.found.costs.append(_cost(about.place, outcome))
            row = self.writing.row(about, outcome.value)
            texts = self.found.texts.setdefault((about.item.id, about.place), {})
            texts[about.replicate] = row
        yield from self._entered(about, row)
        if self.settings.match_budget and about.place.method == self.settings.reference:
            yield from self._matched(about, outcome)

    def _entered(self, about: TextOf, row: dict[str, Any] | None) -> Iterator[Unit]:
        """A text, or None for one that failed; with the last of a group its scores can begin."""
        item, place, replicate, _ = about
        rows = self._waiting.setdefault((item.id, place), {})
        rows[replicate] = row
        if len(rows) < self.settings.replicates:
            return
        ordered = [found for _, found in sorted(self._waiting.pop((item.id, place)).items())]
        name = self.name_of(place)
        yield from self.scoring.units(item, place, ordered, f"{name}/{item.id}")
        items = len(self.items[place.dataset])
        yield from self.scoring.whole_units(place, items, item, ordered, name)

    def _matched(self, about: TextOf, outcome: Outcome) -> Iterator[Unit]:
        """The other methods' texts, which may cost what the reference's has cost."""
        tokens = outcome.usage.input_tokens + outcome.usage.output_tokens
        for place in self.places:
            same = place._replace(method=about.place.method) == about.place
            if not same or place == about.place:
                continue
            other = about._replace(place=place, tokens=tokens)
            if outcome.reason is None:
                yield self.text(other)
            else:
                why = f"no budget to match: {outcome.unit.name} failed"
                self.found.failures.append((self.text(other).name, why))
                yield from self._entered(other, None)


def _cost(place: Place, outcome: Outcome) -> Cost:
    usage: Usage = outcome.usage
    tokens = usage.input_tokens + usage.output_tokens
    return Cost(place, tokens, usage.calls, usage.usd, outcome.seconds)


__all__ = ["Cells", "Found"]
