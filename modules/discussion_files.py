"""The thesis' JSON files of discussions and annotators, read as they are (S2 section 3.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signatures.errors import InputError
from signatures.moderation import (
    Actor,
    Annotator,
    Comment,
    Conditions,
    DiscussionPlan,
    TurnOrder,
)
from signatures.types import Record

UNMODERATED = "_no_mod"
"""What the name of a folder of unmoderated discussions ends in; the rest names the policy."""

M = TypeVar("M", bound=BaseModel)

_POST = re.compile(r":\s*['\"\u2018\u201c](.+?)['\"\u2019\u201d](?=\s+[A-Z]|\s*$)", re.DOTALL)


class Policy(Record):
    """One set of instructions: how users take part, how a moderator moderates."""

    name: str
    users: str
    moderator: str


class DiscussionFile(BaseModel):
    """A discussion's JSON file: the thesis' nine keys, and optional ones of ours.

    Args:
        user_instructions: One text for all users or one for each; the configured policy's when
            absent.
        conv_len: Rounds.
        history_ctx_len: How many comments an actor sees.
        turn_order: ``round_robin`` or ``weighted``.
        user_weights: Each user's share of the turns under ``weighted``.
        seed_comments: Comments the discussion begins with.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    context: str = Field(min_length=1)
    user_names: list[str] = Field(min_length=1)
    user_attributes: list[list[str]]
    user_instructions: str | list[str] | None = None
    conv_len: int = Field(ge=1, le=10_000)
    history_ctx_len: int = Field(ge=1, le=10_000)
    moderator_name: str | None = None
    moderator_attributes: list[str] | None = None
    moderator_instructions: str | None = None
    turn_order: TurnOrder = "round_robin"
    user_weights: list[Annotated[float, Field(gt=0)]] | None = None
    seed: int | None = Field(default=None, ge=0, lt=2**31)
    seed_comments: list[Comment] = Field(default_factory=list)


class AnnotatorFile(BaseModel):
    """An annotator's JSON file: the thesis' three keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    attributes: list[str] = Field(min_length=1)
    instructions: str = Field(min_length=1)
    history_ctx_len: int = Field(ge=1, le=10_000)


def discussion_plans(path: Path, policy: Policy, seeds: Sequence[int]) -> list[DiscussionPlan]:
    """A plan for each seed of each discussion file: one file, or a folder with all below it.

    Args:
        path: A file or a folder.
        policy: Gives instructions where a file has none.
        seeds: The seeds of files that name none themselves.

    Raises:
        InputError: There is no such file, or one cannot be used; it is named.
    """
    found = json_files(path)
    plans = []
    for file in found:
        content = _read(file, DiscussionFile)
        name = file.relative_to(path).with_suffix("").as_posix() if path.is_dir() else file.stem
        label = file.parent.name.removesuffix(UNMODERATED)
        own = seeds if content.seed is None else [content.seed]
        for seed in own:
            id_ = name if len(own) == 1 else f"{name}#{seed}"
            try:
                plans.append(planned(id_, label, content, policy, seed))
            except ValueError as error:
                raise InputError(f"{file} cannot be used", got=fault(error)) from error
    return plans


def planned(
    id_: str, label: str, file: DiscussionFile, policy: Policy, seed: int
) -> DiscussionPlan:
    """A discussion file as a plan.

    Args:
        id_: The discussion's id.
        label: The name of its policy.
        file: The file's content.
        policy: Gives instructions where the file has none.
        seed: Of the LM and of the turn order.

    Raises:
        ValueError: Its parts do not fit together.
    """
    _consistent(file)
    told = file.user_instructions if file.user_instructions is not None else policy.users
    each = [told] * len(file.user_names) if isinstance(told, str) else told
    users = [
        Actor(name=n, attributes=a, instructions=i)
        for n, a, i in zip(file.user_names, file.user_attributes, each, strict=True)
    ]
    topic = post_in(file.context)
    people = "|".join(f"{u.name}:{','.join(u.attributes)}" for u in users)
    return DiscussionPlan(
        id=id_,
        context=file.context,
        users=users,
        moderator=_moderator(file, policy),
        rounds=file.conv_len,
        window=file.history_ctx_len,
        order=file.turn_order,
        weights=file.user_weights,
        seeds=file.seed_comments,
        conditions=Conditions(
            topic=topic,
            policy=label,
            moderated=file.moderator_name is not None,
            seed=seed,
            pair=f"{topic}|{people}|{label}|{seed}",
        ),
    )


def annotators(path: Path) -> list[Annotator]:
    """The annotators of a file or folder, named after their files.

    Raises:
        InputError: There is no such file, or one cannot be used; it is named.
    """
    found = []
    for file in json_files(path):
        content = _read(file, AnnotatorFile)
        found.append(
            Annotator(
                name=file.stem,
                attributes=content.attributes,
                instructions=content.instructions.strip(),
                window=content.history_ctx_len,
            )
        )
    names = [a.name for a in found]
    if len(set(names)) < len(names):
        again = next(n for n in names if names.count(n) > 1)
        raise InputError("annotators are named after their files", got=f"{again} twice")
    return found


def json_files(path: Path) -> list[Path]:
    """The JSON files at or below a path, sorted.

    Raises:
        InputError: There are none.
    """
    if path.is_file():
        return [path]
    found = sorted(p for p in path.rglob("*.json") if p.is_file()) if path.is_dir() else []
    if not found:
        what = "holds no .json file" if path.is_dir() else "does not exist"
        raise InputError(f"{path} {what}", expected="a .json file, or a folder of them")
    return found


def post_in(context: str) -> str:
    """What a discussion is about: the post its context quotes, or the context itself."""
    match = _POST.search(context)
    return (match[1] if match else context).strip()


def fault(error: ValueError) -> str:
    """The first thing that is wrong, as a clause."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    return f"{'.'.join(map(str, first['loc']))}: {message}".removeprefix(": ")


def _consistent(file: DiscussionFile) -> None:
    names = [*file.user_names, *([file.moderator_name] if file.moderator_name else [])]
    if len(file.user_names) == 1 and file.moderator_name is None:
        raise ValueError("one user and no moderator: a discussion takes two actors")
    if len({n.strip().casefold() for n in names}) < len(names) or not all(map(str.strip, names)):
        raise ValueError("the actors' names must be different and not empty")
    counted: dict[str, Sequence[object] | None] = {
        "user_attributes": file.user_attributes,
        "user_weights": file.user_weights,
        "user_instructions": (
            file.user_instructions if isinstance(file.user_instructions, list) else None
        ),
    }
    for key, values in counted.items():
        if values is not None and len(values) != len(file.user_names):
            raise ValueError(f"{len(file.user_names)} user_names but {len(values)} {key}")
    if file.moderator_name is None and (file.moderator_attributes or file.moderator_instructions):
        raise ValueError("moderator_attributes or _instructions are given, but no moderator_name")


def _moderator(file: DiscussionFile, policy: Policy) -> Actor | None:
    if file.moderator_name is None:
        return None
    return Actor(
        name=file.moderator_name,
        role="moderator",
        attributes=file.moderator_attributes or [],
        instructions=(
            policy.moderator if file.moderator_instructions is None else file.moderator_instructions
        ),
    )


def _read(file: Path, kind: type[M]) -> M:
    """A JSON file as its type; what is wrong with it is said in one line."""
    try:
        content: Any = json.loads(file.read_text(encoding="utf-8"))
        return kind.model_validate(content)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{file} is not JSON", got=str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "extra_forbidden":
            raise InputError(
                f"{file} has the unknown key {'.'.join(map(str, first['loc']))}",
                expected=f"only {', '.join(kind.model_fields)}",
            ) from error
        raise InputError(f"{file} cannot be used", got=fault(error)) from error


__all__ = [
    "UNMODERATED",
    "AnnotatorFile",
    "DiscussionFile",
    "Policy",
    "annotators",
    "discussion_plans",
    "fault",
    "json_files",
    "planned",
    "post_in",
]
