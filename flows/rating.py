"""What the discuss and the annotate flow share: units, roles, and the figures of ratings."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evals.moderation import Figures, figures
from evals.optimizing.rated_comments import ANNOTATION
from flows.config import RatingConfig
from flows.limiting import limiters
from flows.programs import Programs
from flows.run import Run
from flows.runtime import lm_cache
from flows.units import Outcome, Unit, UnitPool
from modules.annotation import Annotate
from modules.lm.roles import Roles
from modules.stage import Stage, key
from signatures.errors import InputError
from signatures.moderation import Annotation, Annotator, Discussion
from signatures.moderation_results import Agreement, DiscussionCounts, UnitFailure

Place = tuple[str, str]
"""A discussion's id, and the annotator that rated it; empty for the discussion itself."""


class Bench(NamedTuple):
    """The annotators, and the stage in which each of them rates a discussion."""

    annotators: list[Annotator]
    stage: Annotate
    programs: Programs

    def units(self, discussion: Discussion) -> list[Unit]:
        """The units in which the discussion is rated, one for each annotator."""
        return [
            stage_unit(
                f"annotate {discussion.id} {a.name}",
                self.stage,
                (discussion.id, a.name),
                discussion=discussion,
                annotator=a,
            )
            for a in self.annotators
        ]


def stage_unit(name: str, stage: Stage, place: Place, **inputs: Any) -> Unit:
    """A stage with its inputs as one persisted unit."""
    kind = type(stage).__name__.lower()
    work = functools.partial(_worked, stage, inputs)
    return Unit(name=name, key=key(kind, stage, inputs), work=work, about=place)


def _worked(stage: Stage, inputs: Mapping[str, Any]) -> Any:
    return stage.returns().dump_python(stage(**inputs), mode="json")


class Sampler:
    """The roles of each seed, all under the same limit of calls at once."""

    def __init__(self, settings: RatingConfig, run: Run) -> None:
        lm_cache(settings.paths)
        every = [settings.backend, *settings.roles.values()]
        self._roles = functools.partial(
            Roles,
            settings.backend,
            run.ledger,
            own=settings.roles,
            replicate=settings.replicate,
            slots=limiters(settings.runner, every),
        )
        self._run = run
        self._by_seed: dict[int, Roles] = {}

    def roles(self, seed: int) -> Roles:
        """The roles that sample with this seed."""
        if seed not in self._by_seed:
            self._by_seed[seed] = self._run.holding(self._roles(seed=seed))
        return self._by_seed[seed]


def bench(settings: RatingConfig, sampler: Sampler, annotators: list[Annotator]) -> Bench:
    """The annotators at work, each with the judge's LM and the prompts that ``program`` names."""
    programs, stage = Programs(settings), Annotate(criteria=settings.criteria)
    if annotators:
        programs.tuned(stage, "judge", ANNOTATION)
        sampler.roles(settings.seed).bind(stage)
    return Bench(annotators, stage, programs)


def checked(settings: RatingConfig, annotators: Sequence[Annotator]) -> None:
    """Refuse annotators whose window of comments the model could not read.

    Raises:
        ConfigError: One has such a window.
    """
    shown = " ".join(c.model_dump_json() for c in settings.criteria.values())
    for one in annotators:
        settings.reading.check(f"annotator {one.name}", f"{one.instructions} {shown}", one.window)


def failures(outcomes: Sequence[Outcome], run: Run, pool: UnitPool) -> list[UnitFailure]:
    """What could not be had, kept in the run's folder.

    Raises:
        MootError: The pool was stopped: by the budget, or by too many failures.
    """
    lost = [
        UnitFailure(unit=o.unit.name, reason=o.reason) for o in outcomes if o.reason is not None
    ]
    if lost:
        lines = (json.dumps(one.model_dump(), ensure_ascii=False) for one in lost)
        run.write("failures.jsonl", "".join(f"{line}\n" for line in lines))
    if pool.stopped is not None:
        raise pool.stopped
    return lost


def collected(
    outcomes: Sequence[Outcome], discussions: Sequence[Discussion], annotators: Sequence[Annotator]
) -> list[Annotation]:
    """All annotations, by discussion and annotator, whatever came first."""
    by_place = {o.unit.about: o.value for o in outcomes if o.value is not None}
    found = [by_place.get((d.id, a.name), []) for d in discussions for a in annotators]
    return [Annotation.model_validate(value) for values in found for value in values]


def analysed(
    settings: RatingConfig, discussions: Sequence[Discussion], rated: Sequence[Annotation]
) -> Figures:
    """All figures over the annotations.

    Raises:
        InputError: A criterion has no scale in the configuration.
    """
    unknown = sorted({a.criterion for a in rated} - set(settings.criteria))
    if unknown:
        raise InputError(
            f"the criterion {unknown[0]!r} has no scale",
            expected=f"one of {', '.join(sorted(settings.criteria))}",
            remedy=f"give it: '+criteria.{unknown[0]}={{low: 1, high: 5}}'",
        )
    return figures(
        discussions,
        rated,
        settings.criteria,
        controversial=settings.analysis.controversial,
        resamples=settings.analysis.resamples,
        seed=settings.seed,
    )


def incomplete(
    settings: RatingConfig, counted: DiscussionCounts | None, rated: Sequence[Annotation]
) -> str | None:
    """What to say when more turns, or more of this run's ratings, failed than may."""
    turns = counted.turns - counted.barred if counted is not None else 0
    lost = {
        "turns": (counted.failed if counted is not None else 0, turns),
        "ratings": (sum(a.outcome == "failed" for a in rated), len(rated)),
    }
    for what, (failed, of) in lost.items():
        if failed > settings.max_failed * of:
            return f"{failed} of {of} {what} failed, more than max_failed={settings.max_failed:g}"
    return None


def agreement_metrics(agreement: Mapping[str, Agreement]) -> dict[str, float | None]:
    """The figures of agreement under flat names, for the record."""
    flat: dict[str, float | None] = {}
    for name, a in agreement.items():
        alphas = a.krippendorff_alpha.model_dump()
        flat |= {f"{name}.alpha_{kind}": value for kind, value in alphas.items()}
        flat |= {f"{name}.fleiss_kappa": a.fleiss_kappa, f"{name}.ndfu": a.ndfu}
        flat |= {f"{name}.mean": a.mean, f"{name}.n_ratings": float(a.n_ratings)}
    return flat


__all__ = [
    "Bench",
    "Place",
    "Sampler",
    "agreement_metrics",
    "analysed",
    "bench",
    "checked",
    "collected",
    "failures",
    "incomplete",
    "stage_unit",
]
