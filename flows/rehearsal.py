"""What an evaluation would take: units, calls, tokens and money, told without calling anything.

Units that are there already are found in the result storage. What the others take is measured by
a rehearsal: every method writes about one proposition on the extractive engine, in memory, and
its calls and words are counted. Debates run all their rounds there, so calls are the most there
can be; tokens are an estimate from words.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from evals.datasets import Item
from evals.table import Place
from flows.cell_writing import TextOf
from flows.cells import Cells
from flows.evaluation_config import EvaluationConfig
from flows.units import Outcome, kept
from modules.lm.backends import Backend, ServerBackend
from modules.lm.ledger import Ledger
from modules.lm.rehearsed import Rehearsed
from modules.retrieval.web.retriever import WebSpec
from signatures.errors import ConfigError, EvidenceError
from signatures.results import EvaluationPlan, PlannedCell
from signatures.types import Usage

TOKENS_PER_WORD = 4 / 3
"""A usual share for English text."""

TEXTS = 2
"""Texts rehearsed per method: metrics over several outputs need two."""

TRIED = 5
"""Propositions tried, where the corpus does not cover the first."""


def plan(settings: EvaluationConfig) -> EvaluationPlan:
    """The plan of an evaluation; nothing is called and nothing is kept.

    Raises:
        ConfigError: Evidence would come from the web: a rehearsal would have to search it.
    """
    if isinstance(settings.retriever, WebSpec) and settings.evidence != "none":
        raise ConfigError(
            "dry_run cannot be had with retriever=web",
            expected="evidence that is there",
            remedy="rehearse it with retriever=hybrid",
        )
    settings = _asking_nothing(settings)
    cells = Cells(settings, Ledger())
    there: Counter[Place] = Counter()
    to_write: Counter[Place] = Counter()
    for unit in cells.texts():
        place = unit.about.place
        found = kept(unit)
        if found is None:
            to_write[place] += 1
            continue
        there[place] += 1
        for scoring in cells.take(found):
            there[place] += kept(scoring) is not None
    costs = _rehearsed(settings)
    each = max(1, cells.scoring.per_item())
    planned = []
    for place in cells.places:
        units = cells.expected_of(place)
        unscored = units - there[place] - to_write[place]
        cost = costs.get(place._replace(dataset=""))
        planned.append(
            _cell(settings, place, units, there[place], to_write[place], unscored / each, cost)
        )
    return _summed(settings, cells, planned)


def _asking_nothing(settings: EvaluationConfig) -> EvaluationConfig:
    """The same evaluation, which needs no keys and no bounds across processes: what would be done
    depends on neither.
    """

    def keyless(backend: Backend) -> Backend:
        served = isinstance(backend, ServerBackend)
        return backend.model_copy(update={"api_key_env": None}) if served else backend

    return settings.model_copy(
        update={
            "runner": settings.runner.model_copy(update={"kind": "thread", "limit": None}),
            "backend": keyless(settings.backend),
            "backends": {name: keyless(b) for name, b in settings.backends.items()},
            "roles": {role: keyless(b) for role, b in settings.roles.items()},
        }
    )


def _cell(
    settings: EvaluationConfig,
    place: Place,
    units: int,
    there: int,
    to_write: int,
    to_score: float,
    cost: tuple[Usage, Usage] | None,
) -> PlannedCell:
    """One cell's line: what a text takes, times the texts still to be written, and the scores."""
    if cost is None:
        return PlannedCell(
            **place._asdict(), units=units, units_there=there,
            calls=None, tokens=None, usd=None,
        )  # fmt: skip
    written, scored = cost
    texts, scores = to_write / TEXTS, to_score * settings.replicates / TEXTS
    real = not settings.columns()[place.backend].deterministic
    scale = TOKENS_PER_WORD if real else 1.0

    def total(of: Any) -> float:
        return float(of(written) * texts + of(scored) * scores)

    known = written.usd is not None and scored.usd is not None
    return PlannedCell(
        **place._asdict(),
        units=units,
        units_there=there,
        calls=round(total(lambda u: u.calls)),
        tokens=round(scale * total(lambda u: u.input_tokens + u.output_tokens)),
        usd=scale * total(lambda u: u.usd) if known else None,
    )


def _rehearsed(settings: EvaluationConfig) -> dict[Place, tuple[Usage, Usage]]:
    """What writing ``TEXTS`` texts on one item took at each place, whatever its dataset, and
    scoring them.

    Empty where no item tried is covered by the corpus.
    """
    stage = settings.model_copy(
        update={
            "backends": {n: Rehearsed(of=b) for n, b in settings.columns().items()},
            "roles": {role: Rehearsed(of=b) for role, b in settings.roles.items()},
            "replicates": TEXTS,
            # A causal LM that reads texts is asked nothing that could be counted as a call.
            "metrics": {n: m for n, m in settings.metrics.items() if not m.evaluates},
        }
    )
    ledger = Ledger()
    cells = Cells(stage, ledger)
    name, items = next(iter(cells.items.items()))
    places = [place for place in cells.places if place.dataset == name]
    for item in items[:TRIED]:
        try:
            return {
                place._replace(dataset=""): _both(cells, ledger, item, place) for place in places
            }
        except EvidenceError:
            continue
    return {}


def _both(cells: Cells, ledger: Ledger, item: Item, place: Place) -> tuple[Usage, Usage]:
    written, scored = f"{place} texts", f"{place} scores"
    for replicate in range(TEXTS):
        unit = cells.text(TextOf(item, place, replicate))
        with ledger.unit(written):
            value = unit.work()
        for scoring in cells.take(Outcome(unit, value, None, Usage(), 0.0, False)):
            with ledger.unit(scored):
                scoring.work()
    return ledger.usage(unit=written), ledger.usage(unit=scored)


def _summed(settings: EvaluationConfig, cells: Cells, planned: list[PlannedCell]) -> EvaluationPlan:
    told = all(cell.calls is not None for cell in planned)
    priced = all(cell.usd is not None for cell in planned)
    notes = ["nothing was called; calls are the most there can be, tokens an estimate from words"]
    if not told:
        notes.append("calls cannot be told: no proposition could be rehearsed on the corpus")
    return EvaluationPlan(
        dataset=" + ".join(cells.items),
        items=sum(map(len, cells.items.values())),
        replicates=settings.replicates,
        units=sum(cell.units for cell in planned),
        units_there=sum(cell.units_there for cell in planned),
        calls=sum(cell.calls or 0 for cell in planned) if told else None,
        tokens=sum(cell.tokens or 0 for cell in planned) if told else None,
        usd=sum(cell.usd or 0.0 for cell in planned) if told and priced else None,
        cells=planned,
        notes=notes,
    )


__all__ = ["plan"]
