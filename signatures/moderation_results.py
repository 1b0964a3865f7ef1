"""What ``moot discuss`` and ``moot annotate`` print, and the figures in it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from signatures.moderation import Account, Annotation, Annotator, Discussion
from signatures.types import Record, RunRecord, Usage

Side = Literal["moderated", "unmoderated", "unknown"]
"""Whether a discussion had a moderator."""


class Alpha(Record):
    """Krippendorff's alpha, by what it takes the scale for; None where undefined."""

    nominal: float | None
    ordinal: float | None
    interval: float | None


class Agreement(Record):
    """How far annotators agree on one criterion.

    ``ndfu`` is the mean over comments with two ratings or more, ``histogram`` counts all ratings
    from the scale's least value on; ``n_failed`` and ``n_abstained`` are in neither.
    """

    krippendorff_alpha: Alpha
    fleiss_kappa: float | None
    ndfu: float | None
    mean: float | None
    histogram: list[int]
    n_comments: int
    n_ratings: int
    n_failed: int
    n_abstained: int


class BackgroundFigures(Record):
    """How one annotator, which stands for a background, rates on one criterion."""

    criterion: str
    annotator: str
    mean: float | None
    ndfu: float | None = Field(description="of all its ratings together")
    histogram: list[int]
    n_ratings: int
    n_missing: int


class PairAgreement(Record):
    """Ordinal alpha between two annotators over the comments both rated."""

    criterion: str
    a: str
    b: str
    alpha: float | None
    n: int


class CommentFigures(Record):
    """One comment's ratings on one criterion; ``id`` is unique, ``comment_id`` a foreign key.

    ``role`` is user, moderator, seed, or silent for a turn without a text; None is not known.
    """

    id: str
    comment_id: str
    discussion_id: str
    turn_id: str
    criterion: str
    side: Side
    role: str | None
    turn: int | None = Field(description="the user's comment number in its discussion, from 1")
    ratings: list[int | None]
    histogram: list[int]
    mean: float | None
    ndfu: float | None
    n: int


class TrajectoryPoint(Record):
    """The mean rating of users' comments at one turn, with the interval over discussions."""

    criterion: str
    side: Side
    turn: int
    mean: float
    low: float | None
    high: float | None
    n: int


class Distribution(Record):
    """Ratings of users' comments on one side."""

    criterion: str
    side: Side
    histogram: list[int]
    mean: float | None


class Term(Record):
    """One coefficient of a regression, in points of the scale."""

    term: str
    estimate: float
    se: float
    low: float
    high: float
    p: float


class Regression(Record):
    """Ratings of users' comments explained by moderation; standard errors by discussion.

    ``terms`` is empty where the data do not allow it, and ``reason`` says why.
    """

    criterion: str
    terms: list[Term]
    n_ratings: int
    n_discussions: int
    reason: str | None = None


class PairedEffect(Record):
    """Moderated minus unmoderated, over discussions that differ in nothing else.

    ``p`` is that of the permutation test that exchanges the two within pairs, by topic.
    """

    criterion: str
    delta: float | None
    low: float | None
    high: float | None
    p: float | None
    n_pairs: int
    n_topics: int


class Analysis(Record):
    """Everything the ratings say beside the agreement."""

    backgrounds: list[BackgroundFigures]
    pairs: list[PairAgreement]
    distributions: list[Distribution]
    trajectories: list[TrajectoryPoint]
    regressions: list[Regression]
    effects: list[PairedEffect]
    controversial: list[CommentFigures]


class DiscussionCounts(Record):
    """How many of the discussions' turns were what."""

    discussions: int
    turns: int
    comments: int
    silent: int
    failed: int
    abstained: int
    barred: int
    bans: int
    left: int


class UnitFailure(Record):
    """A discussion, or a discussion's annotation by one annotator, that could not be had."""

    unit: str
    reason: str


class DiscussResult(Record):
    """What ``moot discuss`` prints; annotations and figures where annotators were given."""

    discussions: list[Discussion]
    annotators: list[Annotator]
    counts: DiscussionCounts
    annotations: list[Annotation]
    agreement: dict[str, Agreement]
    analysis: Analysis | None
    failures: list[UnitFailure]
    incomplete: str | None = Field(description="more turns or ratings failed than may")
    files: list[str]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


class AnnotateResult(Record):
    """What ``moot annotate`` prints.

    ``annotators`` are those who rated in this run; ``accounts`` says what became of every file.
    """

    annotators: list[Annotator]
    annotations: list[Annotation]
    agreement: dict[str, Agreement]
    analysis: Analysis
    counts: DiscussionCounts
    accounts: list[Account]
    failures: list[UnitFailure]
    incomplete: str | None = Field(description="more turns or ratings failed than may")
    files: list[str]
    notes: list[str]
    seconds: float
    usage: Usage
    run: RunRecord


__all__ = [
    "Agreement",
    "Alpha",
    "Analysis",
    "AnnotateResult",
    "BackgroundFigures",
    "CommentFigures",
    "DiscussResult",
    "DiscussionCounts",
    "Distribution",
    "PairAgreement",
    "PairedEffect",
    "Regression",
    "Side",
    "Term",
    "TrajectoryPoint",
    "UnitFailure",
]
