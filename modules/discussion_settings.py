"""What discussions and annotators can be told, and how both become plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import Field

from modules.discussion_files import Policy, annotators, discussion_plans
from modules.discussion_grid import DiscussionSettings, Person, grid
from signatures.errors import ConfigError, InputError
from signatures.moderation import Annotator, Criterion, DiscussionPlan
from signatures.types import Record

PROMPT_WORDS = 400
"""About what our own instructions and field descriptions take."""

TOKENS_PER_WORD = 4 / 3
"""Of English prose."""


class AnnotatorSettings(Record):
    """Annotators in JSON files under ``path``, or one for each of ``backgrounds``."""

    path: str | None
    window: int = Field(ge=1, le=10_000)
    instructions: str
    backgrounds: dict[str, list[str]]

    def open(self) -> list[Annotator]:
        """The annotators, sorted by name; none where none are named.

        Raises:
            InputError: A file cannot be used.
        """
        if self.path is not None:
            return sorted(annotators(Path(self.path)), key=lambda a: a.name)
        return [
            Annotator(name=name, attributes=who, instructions=self.instructions, window=self.window)
            for name, who in sorted(self.backgrounds.items())
        ]


class AnalysisSettings(Record):
    """The nDFU from which a comment is controversial, and how often chance is drawn."""

    controversial: float = Field(gt=0, le=1)
    resamples: int = Field(ge=100, le=1_000_000)


class PassageSettings(Record):
    """How passages on a topic are found (see :class:`modules.evidence.Background`)."""

    passages: int = Field(ge=1, le=200)
    min_similarity: float = Field(ge=-1, le=1)
    sure_similarity: float = Field(ge=-1, le=1)
    min_coverage: float = Field(ge=0, le=1)


class Reading(Record):
    """What a model can read at once, in tokens, and the words a comment is reckoned with."""

    context_tokens: int = Field(ge=256, le=100_000_000)
    comment_words: int = Field(ge=1, le=100_000)

    def check(self, who: str, prompt: str, window: int) -> None:
        """Refuse a window of comments that the model could not read.

        Raises:
            ConfigError: It is longer than the context.
        """
        rest = self.context_tokens / TOKENS_PER_WORD - PROMPT_WORDS - len(prompt.split())
        room = max(0, int(rest // self.comment_words))
        if window > room:
            raise ConfigError(
                f"{who}: its window is longer than the model's context",
                expected=f"at most {room} comments of {self.comment_words} words "
                f"in {self.context_tokens} tokens",
                got=f"{window}",
                remedy="lower history_ctx_len (discussion.window), or set context_tokens to "
                "what the model reads",
            )


def criteria_named(criteria: Mapping[str, Criterion]) -> dict[str, Criterion]:
    """The criteria, if they can be told apart whatever their case.

    Raises:
        ValueError: There is none, or a name is not in lower case.
    """
    if not criteria:
        raise ValueError("no criterion is given")
    for name in criteria:
        if name != name.strip().casefold():
            raise ValueError(f"the criterion {name!r} must be written in lower case")
    return dict(criteria)


def plans(
    subject: str,
    *,
    topics: Sequence[str],
    backgrounds: Mapping[str, Sequence[Person]],
    policies: Mapping[str, Policy],
    moderator: Person,
    moderated: Sequence[bool],
    seeds: Sequence[int],
    settings: DiscussionSettings,
    reading: Reading,
) -> list[DiscussionPlan]:
    """The plans a subject means: of a file, of a folder of files, or of a grid over a topic.

    Raises:
        InputError: It looks like a path, and there is nothing to read.
        ConfigError: A discussion cannot be held.
    """
    if is_path(subject):
        found = discussion_plans(Path(subject), policies[min(policies)], seeds)
    else:
        every = dict.fromkeys([" ".join(subject.split()), *topics])
        found = grid(list(every), backgrounds, policies, moderator, moderated, seeds, settings)
    for plan in found:
        for actor in [*plan.users, *([plan.moderator] if plan.moderator else [])]:
            parts = f"{plan.context} {actor.instructions} {' '.join(actor.attributes)}"
            reading.check(f"{plan.id}, {actor.name}", parts, plan.window)
    return found


def is_path(subject: str) -> bool:
    """Whether the subject names files rather than a topic in words.

    Raises:
        InputError: It could only be a path, and does not exist.
    """
    if len(subject) < 256 and Path(subject).exists():
        return True
    if " " not in subject.strip() and ("/" in subject or subject.endswith(".json")):
        raise InputError(
            f"{subject} does not exist", expected="a discussion's .json file, or a folder of them"
        )
    return False


__all__ = [
    "AnalysisSettings",
    "AnnotatorSettings",
    "PassageSettings",
    "Reading",
    "criteria_named",
    "is_path",
    "plans",
]
