"""The inputs of a call, from plain JSON to typed values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from signatures.errors import EvidenceError
from signatures.types import Evidence, TranscriptLine

REMEDY = "run `moot ingest` on documents about it, or choose a real model with backend=openai"


class Voice(NamedTuple):
    """A persona as a call hands it over."""

    id: str
    title: str
    description: str
    claim: str
    values: tuple[str, ...] = ()


def voice(value: Mapping[str, Any]) -> Voice:
    """One persona."""
    held = tuple(value.get("values") or ())
    return Voice(value["id"], value["title"], value["description"], value["claim"], held)


def voices(values: Iterable[Mapping[str, Any]]) -> list[Voice]:
    """Several personas."""
    return [voice(value) for value in values]


def passages(values: Iterable[Mapping[str, Any]]) -> list[Evidence]:
    """Numbered passages, each number once."""
    found = {item.number: item for item in map(Evidence.model_validate, values)}
    return list(found.values())


def transcript(values: Iterable[Mapping[str, Any]]) -> list[TranscriptLine]:
    """The debate so far."""
    return [TranscriptLine.model_validate(value) for value in values]


def is_critic(line: TranscriptLine) -> bool:
    """Whether the critic speaks the line; everybody else in a debate is of the team."""
    return line.speaker.strip().lower() == "critic"


def side_of(goal: str) -> int:
    """The sign of the side that a goal takes towards the proposition."""
    return 1 if goal == "support" else -1


def no_evidence(what: str) -> EvidenceError:
    """The refusal of an engine that can only rearrange what it is given."""
    return EvidenceError(
        f"the extractive engine can only rearrange evidence, and found {what}", remedy=REMEDY
    )


__all__ = [
    "Voice",
    "is_critic",
    "no_evidence",
    "passages",
    "side_of",
    "transcript",
    "voice",
    "voices",
]
