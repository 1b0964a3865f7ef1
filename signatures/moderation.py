"""The data of moderated discussions and their annotation: frozen, typed, JSON in and out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from signatures.types import Record, Text

ActorRole = Literal["user", "moderator"]
"""What an actor is in a discussion (S2 section 3.2.1)."""

TurnOrder = Literal["round_robin", "weighted"]
"""Who speaks next: everybody in line, or drawn by weight."""

Action = Literal[
    "seed", "comment", "silent", "leave", "silence", "reply", "warn", "ban", "barred", "failed"
]
"""What an actor did with a turn. Users comment, stay silent or leave; a moderator keeps silence,
replies, warns or bans. ``seed`` is a comment the discussion begins with, ``barred`` a turn a ban
took away, ``failed`` one whose reply could not be used."""

Outcome = Literal["rated", "failed", "abstained"]
"""What became of a rating that was asked for."""


# --- before a discussion ----------------------------------------------------------------------


class Actor(Record):
    """One participant and the parts of its prompt (S2 section 3.2.1)."""

    name: Text
    role: ActorRole = "user"
    attributes: list[str] = Field(default_factory=list)
    instructions: str = ""


class Comment(Record):
    """A comment as an LM sees it."""

    author: str
    text: str


class Conditions(Record):
    """What sets a discussion apart in an experiment.

    ``topic`` and ``policy`` name its post and its instructions; ``moderated`` is None where a log
    does not tell. ``pair`` is equal for discussions that differ in moderation alone.
    """

    topic: str = ""
    policy: str = ""
    moderated: bool | None = None
    seed: int | None = None
    pair: str = ""


class DiscussionPlan(Record):
    """Everything that a discussion is run from.

    ``rounds`` is the thesis' ``conv_len``, ``window`` its ``history_ctx_len`` in comments.
    ``weights`` gives each user's share of the turns under the order ``weighted``.
    """

    id: Text
    context: Text
    users: list[Actor]
    moderator: Actor | None
    rounds: Annotated[int, Field(ge=1, le=10_000)]
    window: Annotated[int, Field(ge=1, le=10_000)]
    order: TurnOrder = "round_robin"
    weights: list[Annotated[float, Field(gt=0)]] | None = None
    seeds: list[Comment] = Field(default_factory=list)
    conditions: Conditions


# --- a discussion that took place -------------------------------------------------------------


class DiscussionTurn(Record):
    """One turn. ``text`` is empty where nothing was said; ``reason`` then says why.

    ``actor`` is empty where a log does not name who spoke; ``round`` counts from 1, and seed
    comments have 0.
    """

    id: Text
    round: Annotated[int, Field(ge=0)]
    actor: str
    role: ActorRole | None
    action: Action
    text: str
    target: str | None = None
    reason: str | None = None


class Ban(Record):
    """A ban: ``until_round`` is the last round it holds for, None for good."""

    user: Text
    by: Text
    turn: Text
    from_round: int
    until_round: int | None
    reason: str


class Discussion(Record):
    """A finished discussion: who took part, what was said, and why it ended."""

    id: Text
    context: str
    actors: list[Actor]
    turns: list[DiscussionTurn]
    bans: list[Ban] = Field(default_factory=list)
    ended: Literal["rounds", "users_left", "imported"]
    conditions: Conditions
    source: str = ""


# --- annotation -------------------------------------------------------------------------------


class Example(Record):
    """A rated comment shown to annotators (few-shot)."""

    text: Text
    rating: int


class Criterion(Record):
    """What annotators rate: whole numbers from ``low`` to ``high``, some of them with labels."""

    description: str = ""
    low: int
    high: int
    labels: dict[int, str] = Field(default_factory=dict)
    examples: list[Example] = Field(default_factory=list)

    @model_validator(mode="after")
    def _inside(self) -> Criterion:
        if self.low >= self.high:
            raise ValueError(f"low must be below high, got {self.low} and {self.high}")
        rated = [e.rating for e in self.examples]
        for value in (*self.labels, *rated):
            if not self.low <= value <= self.high:
                raise ValueError(f"{value} is outside the scale {self.low} to {self.high}")
        return self


class Scale(Record):
    """A criterion as an LM sees it."""

    criterion: str
    description: str
    low: int
    high: int
    labels: dict[str, str]
    examples: list[Example]


class Rating(Record):
    """One criterion's rating of one comment."""

    criterion: Text = Field(description="the criterion's name, copied exactly")
    rating: int | None = Field(
        description="a whole number on the criterion's scale; null if you cannot rate the comment"
    )

    @field_validator("rating", mode="before")
    @classmethod
    def _number(cls, value: object) -> object:
        if isinstance(value, bool):
            raise ValueError("true and false are no ratings")
        return value


class Annotator(Record):
    """Who rates: a background, instructions, and how many comments it sees (the rated included)."""

    name: Text
    attributes: list[str]
    instructions: str
    window: Annotated[int, Field(ge=1, le=10_000)]


class Annotation(Record):
    """One rating of one comment by one annotator, or why there is none."""

    discussion_id: Text
    turn_id: Text
    annotator: Text
    criterion: Text
    value: int | None
    outcome: Outcome
    reason: str | None = None


class Account(Record):
    """What became of a file: every row of it is in ``taken`` or in ``refused``.

    ``rated`` of the taken annotation rows hold a number on the scale; the others are ``missing``.
    """

    source: str
    kind: Literal["discussion", "annotation", "skipped"]
    rows: int
    taken: int
    refused: int = 0
    rated: int = 0
    missing: int = 0
    reason: str | None = None


__all__ = [
    "Account",
    "Action",
    "Actor",
    "ActorRole",
    "Annotation",
    "Annotator",
    "Ban",
    "Comment",
    "Conditions",
    "Criterion",
    "Discussion",
    "DiscussionPlan",
    "DiscussionTurn",
    "Example",
    "Outcome",
    "Rating",
    "Scale",
    "TurnOrder",
]
