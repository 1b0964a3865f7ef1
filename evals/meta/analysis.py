"""From scores and what people said to the tables of a meta-evaluation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from evals.meta.figures import binary, correlations, elo, ranks, z_norm
from evals.meta.rows import Answer, Preference
from signatures.meta_results import (
    Alignment,
    Human,
    Measure,
    ModelRow,
    Stability,
    SweepPoint,
    Verdicts,
    Weighted,
)

STEPS = tuple(round(n / 10, 1) for n in range(11))
"""The weights k at which models are ranked."""

LENGTH = "tokens"
"""The setting whose points stand at the length that came out, not at the one asked for."""

Scores = Mapping[str, Mapping[str, float]]
"""Measure -> answer's name -> value, for what was scored."""

Means = dict[str, dict[str, float]]
"""Measure -> model -> mean value."""


class Study(NamedTuple):
    """Answers outside sweeps, their scores, and people's preferences."""

    answers: Sequence[Answer]
    measures: Sequence[Measure]
    scores: Scores
    preferences: Sequence[Preference]


def means(study: Study) -> Means:
    """Each model's mean, over the questions on which all models have a value of the measure."""
    models = sorted({answer.model for answer in study.answers})
    found: Means = {}
    for measure in study.measures:
        told = study.scores.get(measure.name, {})
        by_question: dict[str, dict[str, float]] = {}
        for answer in study.answers:
            if answer.name in told:
                by_question.setdefault(answer.question, {})[answer.model] = told[answer.name]
        shared = [one for one in by_question.values() if len(one) == len(models)]
        if shared:
            found[measure.name] = {m: fmean(one[m] for one in shared) for m in models}
    return found


def table(study: Study, found: Means) -> list[ModelRow]:
    """Models from the best normalized rank on (S4 Table 4)."""
    models = sorted({answer.model for answer in study.answers})
    placed = {
        measure.name: ranks(found[measure.name], lower=measure.direction == "lower")
        for measure in study.measures
        if measure.name in found
    }
    main = [measure for measure in study.measures if measure.main and measure.name in placed]
    rated = [measure.name for measure in main if measure.kind != "other"]
    rated = rated or [measure.name for measure in main]
    lines = []
    for model in models:
        own = [answer for answer in study.answers if answer.model == model]
        lengths = [answer.length for answer in own if answer.length is not None]
        given = [placed[name][model] for name in rated]
        below = max(1, len(models) - 1)
        lines.append(
            ModelRow(
                model=model,
                answers=len(own),
                length=fmean(lengths) if lengths else None,
                values={m.name: found.get(m.name, {}).get(model) for m in study.measures},
                ranks={m.name: placed.get(m.name, {}).get(model) for m in study.measures},
                normalized_rank=fmean(rank - 1 for rank in given) / below if given else None,
            )
        )
    return sorted(lines, key=lambda line: (_last(line.normalized_rank), line.model))


def human(preferences: Sequence[Preference], *, seed: int) -> Human | None:
    """Elo ratings by annotator, and how well they agree; None without preferences."""
    if not preferences:
        return None
    by: dict[str, list[Preference]] = {}
    for preference in preferences:
        by.setdefault(preference.annotator, []).append(preference)
    ratings = {annotator: elo(own, seed=seed) for annotator, own in sorted(by.items())}
    agreed = [_between(one, two)[0] for one, two in itertools.combinations(ratings.values(), 2)]
    known = [rho for rho in agreed if rho is not None]
    return Human(
        preferences=len(preferences),
        ratings=ratings,
        agreement=fmean(known) if known else None,
    )


def alignment(study: Study, found: Means, people: Human | None) -> list[Alignment]:
    """Each measure against people, best first."""
    if people is None:
        return []
    lines = []
    for measure in study.measures:
        if measure.name not in found:
            continue
        sign = -1.0 if measure.direction == "lower" else 1.0
        better = {model: sign * value for model, value in found[measure.name].items()}
        told = [_between(better, ratings) for ratings in people.ratings.values()]
        rhos, taus = ([one[n] for one in told if one[n] is not None] for n in (0, 1))
        lines.append(
            Alignment(
                measure=measure.name,
                models=len(better.keys() & set().union(*people.ratings.values())),
                spearman=fmean(r for r in rhos if r is not None) if rhos else None,
                kendall=fmean(t for t in taus if t is not None) if taus else None,
            )
        )
    return sorted(lines, key=lambda a: (-_first(a.spearman), a.measure))


def labels(study: Study) -> list[Verdicts]:
    """Each measure of awareness against people's labels."""
    lines = []
    for measure in study.measures:
        told = study.scores.get(measure.name, {})
        pairs = [
            (told[a.name], a.label) for a in study.answers if a.name in told and a.label is not None
        ]
        if measure.kind == "awareness" and pairs:
            figures = binary([value for value, _ in pairs], [label for _, label in pairs])
            lines.append(Verdicts(measure=measure.name, n=len(pairs), **figures._asdict()))
    return lines


def stability(study: Study, found: Means) -> list[Stability]:
    """Pairs of variants of one metric, and pairs of measures of awareness."""
    lines = []
    for one, two in itertools.combinations(study.measures, 2):
        both = {one.kind, two.kind} == {"awareness"}
        if one.metric == two.metric:
            same = (one.restatement or 0) == (two.restatement or 0)
            over = "evaluator" if same else "restatement"
            if over == "restatement" and one.evaluator != two.evaluator:
                continue  # two things changed at once
        elif both:
            over = "measure"
        else:
            continue
        tau = None
        if one.name in found and two.name in found:
            tau = _between(found[one.name], found[two.name])[1]
        lines.append(
            Stability.model_validate(
                {
                    "metric": one.metric if over != "measure" else "awareness",
                    "over": over,
                    "first": one.name,
                    "second": two.name,
                    "kendall": tau,
                    "agreement": _alike(study.scores, one.name, two.name) if both else None,
                }
            )
        )
    return lines


def weighted(found: Means, measures: Sequence[Measure]) -> list[Weighted]:
    """Ranks of models over the weight k between the first measure of each quality."""
    diversity = _of("diversity", measures, found)
    awareness = _of("awareness", measures, found)
    if diversity is None or awareness is None:
        return []
    spread, aware = z_norm(found[diversity.name]), z_norm(found[awareness.name])
    signs = [1.0 if m.direction == "higher" else -1.0 for m in (diversity, awareness)]
    return [
        Weighted(
            k=k,
            ranks=ranks(
                {m: round(signs[0] * k * spread[m] + signs[1] * (1 - k) * aware[m], 12)
                 for m in spread},
                lower=False,
            ),
        )
        for k in STEPS
    ]  # fmt: skip


def sweeps(
    answers: Iterable[Answer], measures: Sequence[Measure], scores: Scores
) -> list[SweepPoint]:
    """Means of each model at each setting."""
    groups: dict[tuple[str, str, float], list[Answer]] = {}
    for answer in answers:
        if answer.setting is not None:
            name, at = answer.setting
            groups.setdefault((name, answer.model, at), []).append(answer)
    points = []
    for (name, model, at), own in sorted(groups.items()):
        lengths = [answer.length for answer in own if answer.length is not None]
        values = {}
        for measure in measures:
            told = scores.get(measure.name, {})
            given = [told[answer.name] for answer in own if answer.name in told]
            values[measure.name] = fmean(given) if given else None
        stands = fmean(lengths) if name == LENGTH and lengths else at
        points.append(
            SweepPoint(setting=name, model=model, at=stands, answers=len(own), values=values)
        )
    return points


def _of(kind: str, measures: Sequence[Measure], found: Means) -> Measure | None:
    return next((m for m in measures if m.kind == kind and m.name in found), None)


def _between(
    one: Mapping[str, float], two: Mapping[str, float]
) -> tuple[float | None, float | None]:
    """Correlations over the models that both know."""
    shared = sorted(one.keys() & two.keys())
    return correlations([one[m] for m in shared], [two[m] for m in shared])


def _alike(scores: Scores, one: str, two: str) -> float | None:
    first, second = scores.get(one, {}), scores.get(two, {})
    shared = first.keys() & second.keys()
    if not shared:
        return None
    return sum((first[n] >= 0.5) == (second[n] >= 0.5) for n in shared) / len(shared)


def _last(value: float | None) -> float:
    return math.inf if value is None else value


def _first(value: float | None) -> float:
    return -math.inf if value is None else value


__all__ = [
    "Study",
    "alignment",
    "human",
    "labels",
    "means",
    "stability",
    "sweeps",
    "table",
    "weighted",
]
