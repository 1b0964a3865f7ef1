"""The stages that write: an answer outright, the frame of a question, views, a balanced answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modules.citations import markers
from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.stage import Stage
from signatures.answering import FrameQuestion, StateViews, View, Voice, WeighViews
from signatures.types import Draft, Passage, Persona, Record

LEAST = 0.3
"""The share of the tokens asked for below which a reply is asked for again, in words."""


class Frame(Record):
    """What a question was taken for; ``disputed`` is None where that could not be told."""

    disputed: bool | None
    proposition: str | None


class AnswerWriter(Stage):
    """Writes the answer in one call.

    Args:
        signature: The prompt; its one output is the answer.
        tokens: Around how many tokens to ask for, or None.
    """

    def __init__(self, signature: Any, *, tokens: int | None) -> None:
        super().__init__(tokens=tokens)
        self.write = Ask(signature)
        self._output = next(iter(signature.output_fields))

    def forward(self, *, question: str, evidence: list[Passage]) -> Draft:
        """The answer as written, with the passages its markers number from 1.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        tokens = self.settings["tokens"]
        reply = self.write(
            question=question,
            evidence=numbered(evidence),
            tokens=tokens,
            check=lambda r: short(r[self._output], tokens),
        )
        return Draft(text=reply[self._output].strip(), passages=evidence)


class QuestionFrame(Stage):
    """Asks whether the question is disputed, and over what proposition."""

    def __init__(self) -> None:
        super().__init__()
        self.ask = Ask(FrameQuestion)

    def forward(self, *, question: str, evidence: list[Passage]) -> Frame:
        """The frame; a question said to be disputed has a proposition, if need be its own words.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        reply = self.ask(question=question, evidence=numbered(evidence))
        if reply.disputed is False:
            return Frame(disputed=False, proposition=None)
        proposition = " ".join((reply.proposition or "").split()) or question
        return Frame(disputed=reply.disputed, proposition=proposition)


class ViewsStage(Stage):
    """Distils what the personas would answer into distinct, cited points of view."""

    def __init__(self) -> None:
        super().__init__()
        self.state = Ask(StateViews)

    def forward(
        self,
        *,
        question: str,
        personas: list[Persona],
        evidence: list[Passage],
        found: dict[str, list[Passage]],
    ) -> list[View]:
        """The views, in the model's order.

        Args:
            question: The question.
            personas: Who has something to say.
            evidence: All passages, as they are numbered.
            found: Persona id -> the passages for its claim.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        numbers = {p.id: n for n, p in enumerate(evidence, start=1)}
        reply = self.state(
            question=question,
            voices=[voice(p, found.get(p.id, []), numbers) for p in personas],
            evidence=numbered(evidence),
            check=lambda r: _unusable(r.views, {p.id for p in personas}),
        )
        return list(reply.views)


class BalancedWriter(Stage):
    """Writes one balanced answer from the points of view.

    Args:
        tokens: Around how many tokens to ask for, or None.
    """

    def __init__(self, *, tokens: int | None) -> None:
        super().__init__(tokens=tokens)
        self.write = Ask(WeighViews)

    def forward(self, *, question: str, views: list[View], evidence: list[Passage]) -> Draft:
        """The answer as written, with the passages its markers number from 1.

        Raises:
            ReplyError: The model's replies stayed unusable: too short, or it cites none of its
                passages.
        """
        tokens = self.settings["tokens"]
        reply = self.write(
            question=question,
            views=views,
            evidence=numbered(evidence),
            tokens=tokens,
            check=lambda r: (
                short(r.balanced_answer, tokens) or uncited(r.balanced_answer, evidence)
            ),
        )
        return Draft(text=reply.balanced_answer.strip(), passages=evidence)


def voice(persona: Persona, found: Sequence[Passage], numbers: Mapping[str, int]) -> Voice:
    """A persona as the prompt shows it."""
    return Voice(
        id=persona.id,
        title=persona.title,
        stance=persona.stance,
        claim=persona.claim,
        passages=[numbers[p.id] for p in found if p.id in numbers],
    )


def short(text: str, tokens: int | None) -> str | None:
    """What is wrong with an answer's length: nothing in it, or far less than was asked for."""
    least, count = max(1, round(LEAST * (tokens or 0))), len(text.split())
    return f"{count} words, at least {least} wanted" if count < least else None


def uncited(text: str, evidence: Sequence[Passage]) -> str | None:
    """Whether a text that has passages cites none of them."""
    if evidence and not any(1 <= n <= len(evidence) for n in markers(text)):
        return "the answer cites none of its passages"
    return None


def _unusable(views: Sequence[View], known: set[str]) -> str | None:
    if not views:
        return "no point of view"
    if unknown := {i for v in views for i in v.held_by} - known:
        return f"views held by unknown voices {sorted(unknown)}"
    said = [v.point_of_view.casefold() for v in views]
    return "two views are the same" if len(set(said)) < len(said) else None


__all__ = [
    "AnswerWriter",
    "BalancedWriter",
    "Frame",
    "QuestionFrame",
    "ViewsStage",
    "short",
    "uncited",
    "voice",
]
