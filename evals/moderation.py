"""What ratings of discussions say: agreement, backgrounds, trajectories, the effect of moderation.

A rating that is missing (failed, abstained) is left out and counted, never a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from evals.agreement import fleiss_kappa, histogram, krippendorff_alpha, ndfu
from evals.moderation_effect import paired_effect, regression
from evals.statistics import interval
from modules.discussion import ABSTAINED
from signatures.moderation import Annotation, Criterion, Discussion
from signatures.moderation_results import (
    Agreement,
    Alpha,
    Analysis,
    BackgroundFigures,
    CommentFigures,
    DiscussionCounts,
    Distribution,
    PairAgreement,
    Side,
    TrajectoryPoint,
)


class Spoken(NamedTuple):
    """A comment and where it stands; ``turn`` numbers a user's comments within a discussion."""

    discussion: Discussion
    id: str
    role: str | None
    turn: int | None


class Figures(NamedTuple):
    """All figures over one set of annotations."""

    agreement: dict[str, Agreement]
    analysis: Analysis
    comments: list[CommentFigures]


def comment_id(discussion: str, turn: str) -> str:
    """The key of a comment: its place, never its text, which may repeat."""
    return f"{discussion}/{turn}"


def side_of(discussion: Discussion) -> Side:
    """Whether a moderator took part."""
    moderated = discussion.conditions.moderated
    return "unknown" if moderated is None else "moderated" if moderated else "unmoderated"


def figures(
    discussions: Sequence[Discussion],
    annotations: Sequence[Annotation],
    criteria: Mapping[str, Criterion],
    *,
    controversial: float,
    resamples: int,
    seed: int,
) -> Figures:
    """All figures, criterion by criterion.

    Args:
        discussions: Those that were annotated.
        annotations: Their annotations, at most one for each comment, annotator and criterion.
        criteria: The scales, by name.
        controversial: The nDFU from which a comment counts as controversial.
        resamples: Of bootstrap and permutation.
        seed: Of both.
    """
    spoken = {key: value for d in discussions for key, value in _spoken(d).items()}
    rated: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        rated[annotation.criterion].append(annotation)
    comments: list[CommentFigures] = []
    analysis: dict[str, list[object]] = defaultdict(list)
    agreement = {}
    for name in sorted(rated):
        criterion, own = criteria[name], rated[name]
        by_comment = _comments(name, own, criterion, spoken)
        comments += by_comment
        agreement[name] = _agreement(own, by_comment, criterion)
        analysis["backgrounds"] += _backgrounds(name, own, criterion)
        analysis["pairs"] += _pairs(name, own)
        analysis["distributions"] += _distributions(name, by_comment, criterion)
        analysis["trajectories"] += _trajectories(name, by_comment, seed, resamples)
        users = [c for c in by_comment if c.role == "user"]
        by_id = {d.id: d for d in discussions}
        analysis["regressions"].append(regression(name, own, users, by_id))
        analysis["effects"].append(paired_effect(name, users, by_id, seed, resamples))
    found = [c for c in comments if c.ndfu is not None and c.ndfu >= controversial]
    found.sort(key=lambda c: (-(c.ndfu or 0), c.id))
    names = ("backgrounds", "pairs", "distributions", "trajectories", "regressions", "effects")
    whole = Analysis.model_validate(
        {name: analysis[name] for name in names} | {"controversial": found}
    )
    return Figures(agreement, whole, comments)


def counts(discussions: Iterable[Discussion]) -> DiscussionCounts:
    """How many turns were what."""
    found = list(discussions)
    actions = [turn.action for d in found for turn in d.turns]
    mute = [t for d in found for t in d.turns if t.action == "silence"]
    abstained = sum(t.reason == ABSTAINED for t in mute)
    return DiscussionCounts(
        discussions=len(found),
        turns=len(actions),
        comments=sum(bool(t.text) for d in found for t in d.turns),
        silent=actions.count("silent") + len(mute) - abstained,
        failed=actions.count("failed"),
        abstained=abstained,
        barred=actions.count("barred"),
        bans=sum(len(d.bans) for d in found),
        left=actions.count("leave"),
    )


def _spoken(discussion: Discussion) -> dict[str, Spoken]:
    """The turns of a discussion by id, users' comments numbered from 1.

    Logs hold ratings of turns without a text, too: they count as ratings, and for no side.
    """
    found, number = {}, 0
    for turn in discussion.turns:
        own = turn.role == "user" and turn.action != "seed" and bool(turn.text)
        number += own
        id_ = comment_id(discussion.id, turn.id)
        role = "silent" if not turn.text else "seed" if turn.action == "seed" else turn.role
        found[id_] = Spoken(discussion, id_, role, number if own else None)
    return found


def _comments(
    name: str,
    annotations: Sequence[Annotation],
    criterion: Criterion,
    spoken: Mapping[str, Spoken],
) -> list[CommentFigures]:
    """One record for each comment that was to be rated, in order."""
    found: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        found[comment_id(annotation.discussion_id, annotation.turn_id)].append(annotation)
    return [_comment(name, id_, own, criterion, spoken.get(id_)) for id_, own in found.items()]


def _comment(
    name: str,
    id_: str,
    own: Sequence[Annotation],
    criterion: Criterion,
    place: Spoken | None,
) -> CommentFigures:
    ratings = [a.value for a in sorted(own, key=lambda a: a.annotator)]
    given = [r for r in ratings if r is not None]
    return CommentFigures(
        id=f"{id_}/{name}",
        comment_id=id_,
        discussion_id=own[0].discussion_id,
        turn_id=own[0].turn_id,
        criterion=name,
        side=side_of(place.discussion) if place is not None else "unknown",
        role=place.role if place is not None else None,
        turn=place.turn if place is not None else None,
        ratings=ratings,
        histogram=histogram(given, criterion.low, criterion.high),
        mean=fmean(given) if given else None,
        ndfu=ndfu(given, criterion.low, criterion.high),
        n=len(given),
    )


def _agreement(
    annotations: Sequence[Annotation], comments: Sequence[CommentFigures], criterion: Criterion
) -> Agreement:
    items = [c.ratings for c in comments]
    values = [a.value for a in annotations if a.value is not None]
    known = [c.ndfu for c in comments if c.ndfu is not None]
    return Agreement(
        krippendorff_alpha=Alpha(
            nominal=krippendorff_alpha(items, "nominal"),
            ordinal=krippendorff_alpha(items, "ordinal"),
            interval=krippendorff_alpha(items, "interval"),
        ),
        fleiss_kappa=fleiss_kappa(items),
        ndfu=fmean(known) if known else None,
        mean=fmean(values) if values else None,
        histogram=histogram(values, criterion.low, criterion.high),
        n_comments=len(comments),
        n_ratings=len(values),
        n_failed=sum(a.outcome == "failed" for a in annotations),
        n_abstained=sum(a.outcome == "abstained" for a in annotations),
    )


def _backgrounds(
    name: str, annotations: Sequence[Annotation], criterion: Criterion
) -> list[BackgroundFigures]:
    found = []
    for annotator in sorted({a.annotator for a in annotations}):
        own = [a.value for a in annotations if a.annotator == annotator]
        given = [value for value in own if value is not None]
        found.append(
            BackgroundFigures(
                criterion=name,
                annotator=annotator,
                mean=fmean(given) if given else None,
                ndfu=ndfu(given, criterion.low, criterion.high),
                histogram=histogram(given, criterion.low, criterion.high),
                n_ratings=len(given),
                n_missing=len(own) - len(given),
            )
        )
    return found


def _pairs(name: str, annotations: Sequence[Annotation]) -> list[PairAgreement]:
    by: dict[str, dict[str, int]] = defaultdict(dict)
    for a in annotations:
        if a.value is not None:
            by[a.annotator][comment_id(a.discussion_id, a.turn_id)] = a.value
    found = []
    for one, other in combinations(sorted(by), 2):
        shared = sorted(by[one].keys() & by[other].keys())
        alpha = krippendorff_alpha([[by[one][i], by[other][i]] for i in shared], "ordinal")
        found.append(PairAgreement(criterion=name, a=one, b=other, alpha=alpha, n=len(shared)))
    return found


def _distributions(
    name: str, comments: Sequence[CommentFigures], criterion: Criterion
) -> list[Distribution]:
    found = []
    for side in _sides(comments):
        own = [c for c in comments if c.side == side and c.role in ("user", None)]
        given = [r for c in own for r in c.ratings if r is not None]
        found.append(
            Distribution(
                criterion=name,
                side=side,
                histogram=histogram(given, criterion.low, criterion.high),
                mean=fmean(given) if given else None,
            )
        )
    return found


def _trajectories(
    name: str, comments: Sequence[CommentFigures], seed: int, resamples: int
) -> list[TrajectoryPoint]:
    """Per side and turn the mean over ratings; discussions are what is resampled."""
    by: dict[tuple[Side, int], list[CommentFigures]] = defaultdict(list)
    for comment in comments:
        if comment.turn is not None and comment.n:
            by[comment.side, comment.turn].append(comment)
    found = []
    for (side, turn), own in sorted(by.items()):
        values = [float(r) for c in own for r in c.ratings if r is not None]
        clusters = [c.discussion_id for c in own for r in c.ratings if r is not None]
        ends = interval(values, clusters, seed=seed, resamples=resamples)
        found.append(
            TrajectoryPoint(
                criterion=name, side=side, turn=turn, mean=fmean(values), low=ends.low,
                high=ends.high, n=len(values),
            )
        )  # fmt: skip
    return found


def _sides(comments: Sequence[CommentFigures]) -> list[Side]:
    return sorted({c.side for c in comments})


__all__ = ["Figures", "comment_id", "counts", "figures", "side_of"]
