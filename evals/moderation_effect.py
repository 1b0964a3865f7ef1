"""Whether moderation changes what users write: a regression, and a paired comparison."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evals.statistics import paired
from signatures.moderation import Annotation, Discussion
from signatures.moderation_results import CommentFigures, PairedEffect, Regression, Term

SIDES = ("moderated", "unmoderated")
MIN_CLUSTERS = 2
"""Discussions on each side below which their spread cannot be estimated."""

Column = tuple[str, NDArray[np.float64]]


def regression(
    criterion: str,
    annotations: Sequence[Annotation],
    comments: Sequence[CommentFigures],
    discussions: Mapping[str, Discussion],
) -> Regression:
    """Ordinary least squares of each rating on moderation, turn and their product.

    Dummies for policies and annotators take up their different levels. Ratings of one discussion
    are not independent: standard errors are cluster-robust by discussion (statsmodels, small-sample
    correction, t distribution). These need more discussions than terms: where there are not,
    annotators have no dummies, and where there are still not, nothing is estimated. Discussions of
    which the side is unknown are left out.

    Args:
        criterion: Its name.
        annotations: The criterion's ratings.
        comments: Users' comments.
        discussions: By id.
    """
    places = {(c.discussion_id, c.turn_id): c for c in comments if c.side in SIDES}
    rows = [
        (a, places[a.discussion_id, a.turn_id])
        for a in annotations
        if a.value is not None and (a.discussion_id, a.turn_id) in places
    ]
    clusters = [a.discussion_id for a, _ in rows]
    by_side = {s: {c.discussion_id for _, c in rows if c.side == s} for s in SIDES}

    def nothing(reason: str) -> Regression:
        n = len(set(clusters))
        return Regression(
            criterion=criterion, terms=[], n_ratings=len(rows), n_discussions=n, reason=reason
        )

    if min(map(len, by_side.values())) < MIN_CLUSTERS:
        return nothing("both moderated and unmoderated discussions are needed, two of each")
    values = np.array([float(a.value or 0) for a, _ in rows])
    if values.std() == 0:
        return nothing("every rating is the same")
    moderated = np.array([float(c.side == "moderated") for _, c in rows])
    turn = np.array([float((c.turn or 1) - 1) for _, c in rows])
    columns: list[Column] = [
        ("intercept", np.ones(len(rows))),
        ("moderated", moderated),
        ("turn", turn),
        ("moderated x turn", moderated * turn),
        *_dummies("policy", [discussions[i].conditions.policy for i in clusters]),
    ]
    raters = _dummies("annotator", [a.annotator for a, _ in rows])
    n = len(set(clusters))
    for chosen in (_independent([*columns, *raters]), _independent(columns)):
        if len(chosen) < n:
            terms = _fitted(values, chosen, clusters)
            return Regression(
                criterion=criterion, terms=terms, n_ratings=len(rows), n_discussions=n
            )
    return nothing(f"{n} discussions are too few for {len(columns)} terms")


def paired_effect(
    criterion: str,
    comments: Sequence[CommentFigures],
    discussions: Mapping[str, Discussion],
    seed: int,
    resamples: int,
) -> PairedEffect:
    """Mean rating with moderation minus without, over pairs that differ in nothing else.

    A discussion's value is the mean rating of its users' comments; several discussions on one side
    of a pair are averaged. Pairs of one topic are exchanged together.
    """
    ratings: dict[str, list[int]] = defaultdict(list)
    for comment in comments:
        ratings[comment.discussion_id] += [r for r in comment.ratings if r is not None]
    pairs: dict[str, dict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    topics: dict[str, str] = {}
    for id_, given in sorted(ratings.items()):
        conditions = discussions[id_].conditions
        if given and conditions.pair and conditions.moderated is not None:
            pairs[conditions.pair][conditions.moderated].append(fmean(given))
            topics[conditions.pair] = conditions.topic
    both = [(key, sides) for key, sides in sorted(pairs.items()) if len(sides) == 2]
    clusters = [topics[key] for key, _ in both]
    found = paired(
        [fmean(sides[True]) for _, sides in both],
        [fmean(sides[False]) for _, sides in both],
        clusters,
        seed=seed,
        resamples=resamples,
    )
    return PairedEffect(
        criterion=criterion,
        delta=found.delta,
        low=found.low,
        high=found.high,
        p=found.p,
        n_pairs=len(both),
        n_topics=len(set(clusters)),
    )


def _dummies(name: str, values: Sequence[str]) -> list[Column]:
    """A column for each value but the first."""
    return [
        (f"{name} {value}", np.array([float(v == value) for v in values]))
        for value in sorted(set(values))[1:]
    ]


def _independent(columns: Sequence[Column]) -> list[Column]:
    """The columns without those that earlier ones already determine."""
    kept: list[Column] = []
    for column in columns:
        matrix = np.column_stack([c for _, c in [*kept, column]])
        if np.linalg.matrix_rank(matrix) == matrix.shape[1]:
            kept.append(column)
    return kept


def _fitted(
    values: NDArray[np.float64], columns: Sequence[Column], clusters: Sequence[str]
) -> list[Term]:
    from statsmodels.regression.linear_model import OLS

    index = {name: number for number, name in enumerate(sorted(set(clusters)))}
    groups = np.array([index[name] for name in clusters])
    matrix = np.column_stack([c for _, c in columns])
    fit = OLS(values, matrix).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    ends = fit.conf_int()
    return [
        Term(
            term=name,
            estimate=float(fit.params[i]),
            se=float(fit.bse[i]),
            low=float(ends[i][0]),
            high=float(ends[i][1]),
            p=float(fit.pvalues[i]),
        )
        for i, (name, _) in enumerate(columns)
    ]


__all__ = ["paired_effect", "regression"]
