"""From what became of the units to an evaluation's document, its notes and its rows."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from evals.datasets import digest
from evals.table import Place, Value, comparisons, table, variances
from flows.cells import Cells
from flows.config import config_hash
from flows.evaluation_checks import self_judged
from flows.evaluation_config import EvaluationConfig
from flows.run import Run
from flows.units import UnitPool
from signatures.evaluation_results import DatasetUsed, EvaluationResult, Failure
from signatures.types import RunRecord

EXPLAINED = 500
"""Characters of a metric's explanation kept with a score."""


def result_of(
    settings: EvaluationConfig,
    config: dict[str, Any],
    run: Run,
    cells: Cells,
    pool: UnitPool,
    changed: Sequence[str],
) -> EvaluationResult:
    """The document, as far as the units got."""
    values, whole = cells.values(), cells.scoring.whole
    used = [DatasetUsed(name=n, digest=digest(i), items=len(i)) for n, i in cells.items.items()]
    models = {column: backend.identity() for column, backend in cells.columns.items()}
    models |= {f"roles.{role}": backend.identity() for role, backend in settings.roles.items()}
    return EvaluationResult(
        kind=settings.kind,
        dataset=" + ".join(one.name for one in used),
        digest=_digest(used),
        items=sum(one.items for one in used),
        datasets=used,
        replicates=settings.replicates,
        stance=settings.stance if settings.kind == "essay" else None,
        primary=settings.primary,
        primary_direction=settings.metrics[settings.primary].direction,
        reference=settings.reference,
        table=table(cells.places, settings.metrics, values, cells.costs(), whole=whole),
        comparisons=comparisons(
            cells.places, settings.metrics, values, reference=settings.reference, whole=whole
        ),
        variances=variances(settings.metrics, values),
        failures=[Failure(unit=u, reason=why) for u, why in sorted(cells.found.failures)],
        notes=_notes(settings, cells, changed),
        seconds=run.seconds,
        usage=pool.usage(),
        run=RunRecord(
            id=run.id,
            config_hash=config_hash(config),
            models=models,
            programs=cells.writing.programs.used(),
            corpus_version=cells.corpus_version,
            dir=str(run.folder),
            usage_total=pool.total,
        ),
    )


def outputs(cells: Cells) -> Iterator[dict[str, Any]]:
    """The finished texts as rows that ``moot score`` reads: all essays on one proposition in one
    row, since they are compared with one another; each answer in a row of its own.
    """
    for item, place, rows in cells.groups():
        where = {
            "topic": getattr(item, "topic", None) or "",
            "method": place.method,
            "backend": place.backend,
            "dataset": place.dataset,
            **({"prompt": place.prompt} if place.prompt else {}),
        }
        if cells.settings.kind == "essay":
            yield {
                "id": item.id,
                "input": item.text,
                "outputs": [row["essay"] for row in rows],
                **where,
                "stance": cells.settings.stance,
                "writer": cells.writing.writer(place.backend),
            }
        else:
            for number, row in enumerate(rows, start=1):
                yield {**row, **where, "replicate": number}


def scores(cells: Cells, values: Sequence[Value]) -> Iterator[dict[str, Any]]:
    """Every score as a row, for the report and for comparing this run with others."""
    topics = {
        (name, item.id): getattr(item, "topic", None) or ""
        for name, items in cells.items.items()
        for item in items
    }
    for v in values:
        status = "failed" if v.problem is not None else "abstained" if v.value is None else "scored"
        yield {
            **_named(v.place),
            "metric": v.metric,
            "item": v.item,
            "topic": topics.get((v.place.dataset, v.item), ""),
            "part": v.part,
            "status": status,
            "value": v.value,
            **({"judgements": v.judgements} if v.judgements else {}),
            "explanation": (v.problem or v.explanation)[:EXPLAINED],
        }


def figures(cells: Cells) -> Iterator[dict[str, Any]]:
    """The figures over whole cells, with the samples that other runs' are compared with."""
    for (place, metric), found in sorted(cells.scoring.whole.items()):
        yield {**_named(place), "metric": metric, **found._asdict()}


def _named(place: Place) -> dict[str, str]:
    found = place._asdict()
    return found if place.prompt else {k: v for k, v in found.items() if k != "prompt"}


def _digest(used: Sequence[DatasetUsed]) -> str:
    """One digest over all datasets: that of the one, where there is one."""
    if len(used) == 1:
        return used[0].digest
    text = "\n".join(f"{one.name} {one.digest}" for one in used)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _notes(settings: EvaluationConfig, cells: Cells, changed: Sequence[str]) -> list[str]:
    notes = []
    plain = [
        name
        for name, backend in cells.columns.items()
        if settings.roles.get("writer", backend).deterministic
    ]
    if plain:
        notes.append(
            f"{', '.join(plain)}: written by the extractive baseline, which selects and joins "
            "sentences of the evidence and never judges; these figures say nothing about a "
            "language model"
        )
    notes += _evidence(settings)
    if settings.match_budget:
        notes.append(
            f"the others were given best-of-n up to the tokens of {settings.reference}'s text"
        )
    notes += _figures_over_cells(cells)
    notes += self_judged(settings)
    notes += cells.writing.programs.notes()
    notes += getattr(cells.writing.retriever, "notes", list)()  # what was asked of the web
    notes += [f"resumed: {line}" for line in changed]
    reasons = Counter(why for _, why in cells.found.failures)
    notes += [f"{count} units failed: {why}" for why, count in reasons.most_common(5)]
    return notes


def _figures_over_cells(cells: Cells) -> list[str]:
    """Where intervals of figures over whole cells come from, or why there are none."""
    found: dict[str, set[str]] = {}
    for (_, metric), figure in cells.scoring.whole.items():
        found.setdefault(metric, set()).add("" if figure.ci else figure.why)
    notes = []
    for metric, reasons in sorted(found.items()):
        if "" in reasons:
            notes.append(
                f"{metric} is one figure over a cell's texts: its intervals and p come from "
                "computing it anew over resampled items"
            )
        notes += [f"{metric} has no interval: {why}" for why in sorted(reasons - {""})]
    return notes


def _evidence(settings: EvaluationConfig) -> list[str]:
    if settings.evidence == "none":
        return ["written without evidence: nothing in the texts is cited"]
    if settings.kind == "essay" and settings.recall.shared:
        return ["all methods were given the same passages of a proposition"]
    return []


__all__ = ["figures", "outputs", "result_of", "scores"]
