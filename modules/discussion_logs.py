"""The thesis' logs of discussions and annotations, read row by row (S2 section 3.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from modules.discussion import NO_RESPONSE
from modules.discussion_files import UNMODERATED, post_in
from signatures.moderation import (
    Actor,
    Annotation,
    Conditions,
    Criterion,
    Discussion,
    DiscussionTurn,
)

_SAID = re.compile(r"\s*([A-Za-z][\w -]*?)\s*=\s*(.*?)\s*", re.DOTALL)
_ANNOTATOR = re.compile(r"You are\s+(?:an?\s+)?(?:expert,\s*)?(.*?)\s+(?:expert\s+)?annotator\b")
_ACTOR = re.compile(r"You are (?P<name>.+?) an? (?P<attributes>.*?) user\. (?P<rest>.*)", re.DOTALL)
_WHOLE = re.compile(r"[-+]?\d+")


class DiscussionLog(BaseModel):
    """A discussion as the thesis logs it: ``logs`` holds pairs of speaker and text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    timestamp: str
    users: list[str]
    user_types: list[str]
    moderator: str | None
    moderator_type: str | None
    user_prompts: list[str]
    moderator_prompt: str | None
    ctx_length: int
    logs: list[tuple[str, str]]


class AnnotationLog(BaseModel):
    """A discussion's annotation by one annotator: ``logs`` holds pairs of comment and reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    conv_id: str = Field(min_length=1)
    timestamp: str
    annotator_type: str
    annotator_prompt: str
    ctx_length: int
    logs: list[tuple[str, str]]


class Rated(NamedTuple):
    """One reply of an annotator: a number on a scale, or why it is none."""

    criterion: str | None
    value: int | None
    reason: str | None


def discussion(log: DiscussionLog, source: str, folder: str) -> Discussion:
    """A log as a discussion; ``folder`` names its policy.

    An empty text, or the moderator's word for no response, is a silence; users fall silent for
    good only where the log ends with it.
    """
    prompts = dict(zip(log.users, log.user_prompts, strict=False))
    actors = [_actor(name, "user", prompts.get(name, "")) for name in log.users]
    context = _rest(log.user_prompts[0]) if log.user_prompts else ""
    if log.moderator is not None:
        actors.append(_actor(log.moderator, "moderator", log.moderator_prompt or ""))
    topic = post_in(context)
    policy = folder.removesuffix(UNMODERATED)
    people = "|".join(f"{a.name}:{','.join(a.attributes)}" for a in actors if a.role == "user")
    return Discussion(
        id=log.id,
        context=context,
        actors=actors,
        turns=_turns(log),
        ended="imported",
        conditions=Conditions(
            topic=topic,
            policy=policy,
            moderated=log.moderator is not None,
            pair=f"{topic}|{people}|{policy}",
        ),
        source=source,
    )


def unlogged(log: AnnotationLog, source: str) -> Discussion:
    """What an annotation log tells of a discussion whose own log is missing: the texts alone."""
    turns = [
        DiscussionTurn(
            id=f"t{place}", round=place, actor="", role=None,
            action="comment" if text.strip() else "silent", text=text,
            reason="the discussion's own log is missing",
        )
        for place, (text, _) in enumerate(log.logs, start=1)
    ]  # fmt: skip
    return Discussion(
        id=log.conv_id, context="", actors=[], turns=turns, ended="imported",
        conditions=Conditions(), source=source,
    )  # fmt: skip


def annotator_of(log: AnnotationLog) -> str:
    """The annotator's background, from its prompt; the whole prompt where that names none."""
    match = _ANNOTATOR.search(log.annotator_prompt)
    return match[1].strip() if match and match[1].strip() else log.annotator_prompt.strip()


def ratings(
    log: AnnotationLog, annotator: str, turns: Sequence[str], criteria: Mapping[str, Criterion]
) -> list[Annotation]:
    """One annotation for each row of a log, in order; a row that is no number says why.

    Args:
        log: The annotation log.
        annotator: Who rated.
        turns: The ids of the turns that the rows rate.
        criteria: The scales; a rating outside its scale is none.
    """
    rated = [read(reply, criteria) for _, reply in log.logs]
    named = Counter(r.criterion for r in rated if r.criterion is not None)
    usual = named.most_common(1)[0][0] if named else sorted(criteria)[0]
    return [
        Annotation(
            discussion_id=log.conv_id,
            turn_id=turn,
            annotator=annotator,
            criterion=r.criterion or usual,
            value=r.value,
            outcome="rated" if r.value is not None else "failed",
            reason=r.reason,
        )
        for turn, r in zip(turns, rated, strict=True)
    ]


def silence(text: str) -> bool:
    """Whether a logged text says nothing."""
    return not text.strip() or text.strip().lower() == NO_RESPONSE


def read(reply: str, criteria: Mapping[str, Criterion]) -> Rated:
    """A reply of the form ``Criterion=number``."""
    match = _SAID.fullmatch(reply)
    shown = reply.strip()[:80]
    if match is None:
        return Rated(None, None, f"no rating: {shown!r}")
    name = match[1].strip().casefold()
    if not _WHOLE.fullmatch(match[2]):
        return Rated(name, None, f"no number: {shown!r}")
    value, criterion = int(match[2]), criteria.get(name)
    if criterion is not None and not criterion.low <= value <= criterion.high:
        return Rated(name, None, f"off the scale {criterion.low} to {criterion.high}: {value}")
    return Rated(name, value, None)


def _turns(log: DiscussionLog) -> list[DiscussionTurn]:
    turns, spoken = [], Counter[str]()
    for place, (name, text) in enumerate(log.logs, start=1):
        moderator = name == log.moderator
        if not moderator:
            spoken[name] += 1
        silent = silence(text)
        action: Any = "reply" if moderator else "comment"
        if silent:
            last = place == len(log.logs) and not moderator
            action = "silence" if moderator else "leave" if last else "silent"
        turns.append(
            DiscussionTurn(
                id=f"t{place}",
                round=max(spoken.values(), default=1),
                actor=name,
                role="moderator" if moderator else "user",
                action=action,
                text="" if silent else text,
                reason="the log has no text here" if silent else None,
            )
        )
    return turns


def _actor(name: str, role: Any, prompt: str) -> Actor:
    match = _ACTOR.search(prompt)
    told = [part.strip() for part in match["attributes"].split(",")] if match else []
    attributes = [part.removeprefix("a ").removeprefix("an ") for part in told if part]
    return Actor(name=name, role=role, attributes=attributes, instructions=prompt)


def _rest(prompt: str) -> str:
    match = _ACTOR.search(prompt)
    return (match["rest"] if match else prompt).strip()


__all__ = [
    "AnnotationLog",
    "DiscussionLog",
    "Rated",
    "annotator_of",
    "discussion",
    "ratings",
    "read",
    "silence",
    "unlogged",
]
