"""Turns as they are spoken: one word limit for all, kept by measure (S0 sections 4.1.3, 4.2.3)."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from modules.citations import render
from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.lm.streaming import listening, so_far
from modules.roundtable.listener import Listener, silent
from modules.stage import Stage
from modules.text import clip_words, sentences
from signatures.roundtable import RoundtableTurn, ShortenTurn
from signatures.table import Length, Speaker, Speech
from signatures.types import Passage, Persona, TranscriptLine

_MARKER = re.compile(r"\[\d+\]")
_BULLET = re.compile(r"^[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+")


class Speaking(Stage):
    """Lets a persona speak.

    A turn beyond the word limit is given back once to be shortened; what is still too long is
    cut at the end of a sentence, and says so in its ``length``. A turn without points is asked
    for once more.

    Args:
        word_limit: The most words of a turn, markers not counted; equal for all personas.
        asked: The words that a turn is asked for, fewer where evidence is to be put to it.
    """

    def __init__(self, *, word_limit: int, asked: int) -> None:
        super().__init__(word_limit=word_limit, asked=asked)
        self.turn = Ask(RoundtableTurn)
        self.shorten = Ask(ShortenTurn)
        self.tell: Listener = silent

    def forward(
        self,
        *,
        topic: str,
        speaker: Persona,
        evidence: list[Passage],
        history: list[TranscriptLine],
        number: int,
        turn: str,
    ) -> Speech:
        """The speaker's turn.

        Args:
            topic: What the roundtable is about.
            speaker: Who speaks.
            evidence: Passages on the persona's part of the topic.
            history: What has been heard.
            number: The round, from 1.
            turn: The turn's id.

        Raises:
            ReplyError: A model's replies stayed unusable.
        """
        self.tell("speaking", turn=turn, round=number, speaker=speaker.id)
        with listening(functools.partial(self._heard, turn)):
            reply = self.turn(
                topic=topic,
                persona=as_speaker(speaker),
                history=history,
                background=numbered(evidence),
                word_limit=self.settings["asked"],
                check=_once_pointless(),
            )
        text, length = self._fitted(tidy(reply.text))
        answered = _answered(reply.replies_to, history)
        speech = Speech(
            id=turn,
            round=number,
            speaker=speaker.id,
            text=text,
            replies_to=answered,
            relation=reply.relation if answered is not None else "none",
            words=word_count(text),
            length=length,
        )
        self.tell("spoken", turn=turn, speech=speech)
        return speech

    def _heard(self, turn: str, raw: str) -> None:
        text = so_far(raw, "text")
        if text:
            self.tell("text", turn=turn, text=text)

    def _fitted(self, text: str) -> tuple[str, Length]:
        limit = self.settings["word_limit"]
        count = word_count(text)
        if count <= limit:
            return text, "kept"
        reply = self.shorten(turn=text, words=count, word_limit=limit, check=_blank("shortened"))
        shorter = tidy(reply.shortened)
        if word_count(shorter) <= limit:
            return shorter, "shortened"
        return cut(shorter, limit), "cut"


def as_speaker(persona: Persona) -> Speaker:
    """A persona as the prompts of a roundtable show it."""
    return Speaker(**persona.model_dump(include=set(Speaker.model_fields)))


def word_count(text: str) -> int:
    """Words, without markers and bullets."""
    return sum(any(c.isalnum() for c in word) for word in _MARKER.sub(" ", text).split())


def tidy(text: str) -> str:
    """The turn laid out, without markers and references of its own."""
    return laid_out(render(text, 0)[0])


def laid_out(text: str) -> str:
    """The turn with a blank line between its paragraphs, and its points begun with ``- ``."""
    lines = [_BULLET.sub("- ", " ".join(line.split())) for line in text.split("\n")]
    return "\n\n".join(line for line in lines if line.strip("- "))


def cut(text: str, limit: int) -> str:
    """At most ``limit`` words of a tidy turn: whole sentences, as many as fit from the start."""
    kept: list[str] = []
    left = limit
    for paragraph in text.split("\n\n"):
        bullet = "- " if paragraph.startswith("- ") else ""
        whole: list[str] = []
        for sentence in sentences(paragraph.removeprefix("- ")):
            left -= word_count(sentence)
            if left < 0:
                break
            whole.append(sentence)
        if whole:
            kept.append(bullet + " ".join(whole))
        if left < 0:
            break
    return "\n\n".join(kept) or clip_words(text.removeprefix("- "), limit)


def _answered(id: str | None, history: Sequence[TranscriptLine]) -> str | None:
    """The turn that is answered: the one named if it was heard, else the last one heard."""
    if any(line.id == id for line in history):
        return id
    return history[-1].id if history else None


def _once_pointless() -> Any:
    """A check that asks once for the points of a turn that has none, and always for words."""
    asked: list[bool] = []

    def check(reply: Any) -> str | None:
        if not word_count(reply.text):
            return "the turn is empty"
        if "\n- " not in tidy(reply.text) and not asked:
            asked.append(True)
            return 'the turn has no points on lines that begin with "- "'
        return None

    return check


def _blank(field: str) -> Any:
    return lambda reply: None if word_count(reply[field]) else f"{field} is empty"


__all__ = ["Speaking", "as_speaker", "cut", "laid_out", "tidy", "word_count"]
