"""A grid of discussions: every topic, background, policy, with and without a moderator."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated

from pydantic import Field, field_validator

from modules.discussion_files import DiscussionFile, Policy, fault, planned
from signatures.errors import ConfigError
from signatures.moderation import Comment, DiscussionPlan, TurnOrder
from signatures.types import Record, Text


class Person(Record):
    """A user or moderator of a background: a name, and what the actor is like."""

    name: Text
    attributes: list[str]


class DiscussionSettings(Record):
    """How discussions on a topic are held; files bring all of this themselves.

    ``context`` holds ``{topic}``. ``rounds``, ``window`` (in comments), ``order`` and ``weights``
    are those of :class:`signatures.moderation.DiscussionPlan`.
    """

    context: Text
    rounds: int = Field(ge=1, le=10_000)
    window: int = Field(ge=1, le=10_000)
    order: TurnOrder
    weights: list[Annotated[float, Field(gt=0)]] | None
    seed_comments: list[Comment]

    @field_validator("context")
    @classmethod
    def _holds_topic(cls, value: str) -> str:
        if "{topic}" not in value:
            raise ValueError("the context must hold {topic}")
        return value


def grid(
    topics: Sequence[str],
    backgrounds: Mapping[str, Sequence[Person]],
    policies: Mapping[str, Policy],
    moderator: Person,
    moderated: Sequence[bool],
    seeds: Sequence[int],
    settings: DiscussionSettings,
) -> list[DiscussionPlan]:
    """One plan for each combination, in a fixed order.

    Discussions that differ in moderation alone share a seed, so that they differ by nothing else,
    and a ``pair``, by which they are compared.

    Raises:
        ConfigError: A combination cannot be held.
    """
    plans = []
    axes = product(topics, sorted(backgrounds.items()), sorted(policies.items()), moderated, seeds)
    for topic, (people, users), (name, policy), chaired, seed in axes:
        id_ = f"{slug(topic)}/{people}-{name}-{'mod' if chaired else 'no_mod'}-s{seed}"
        chair = moderator if chaired else None
        try:
            plan = planned(id_, name, _file(topic, users, chair, settings), policy, seed)
        except ValueError as error:
            raise ConfigError(
                f"the background {people} cannot be used", got=fault(error)
            ) from error
        pair = f"{topic}|{people}|{name}|{seed}"
        conditions = plan.conditions.model_copy(update={"topic": topic, "pair": pair})
        plans.append(plan.model_copy(update={"conditions": conditions}))
    return plans


def _file(
    topic: str, users: Sequence[Person], chair: Person | None, settings: DiscussionSettings
) -> DiscussionFile:
    """What a file would hold; instructions are the policy's."""
    return DiscussionFile(
        context=settings.context.replace("{topic}", topic),
        user_names=[user.name for user in users],
        user_attributes=[user.attributes for user in users],
        conv_len=settings.rounds,
        history_ctx_len=settings.window,
        moderator_name=None if chair is None else chair.name,
        moderator_attributes=None if chair is None else chair.attributes,
        turn_order=settings.order,
        user_weights=settings.weights,
        seed_comments=settings.seed_comments,
    )


def slug(topic: str) -> str:
    """A short name for a topic that no other has: words, and a hash of all of it."""
    words = re.sub(r"[^a-z0-9]+", "-", topic.lower()).strip("-")[:40].strip("-")
    return f"{words}-{hashlib.sha256(topic.encode()).hexdigest()[:6]}".strip("-")


__all__ = ["DiscussionSettings", "Person", "grid", "slug"]
