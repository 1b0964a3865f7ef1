"""Turns that are spoken at the same time, each given its evidence as soon as it is spoken."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from functools import cached_property
from typing import Any

from modules.parallel import at_once
from modules.roundtable.backing import Backing
from modules.roundtable.speaking import Speaking
from modules.stage import Pending, Stage, Step
from signatures.table import Speech, TableTurn
from signatures.types import Passage, Persona, TranscriptLine


class Turns(Stage):
    """One turn for each speaker, on the same history: spoken, then backed.

    Args:
        speak: Lets a persona speak.
        back: Puts evidence to a turn.
    """

    def __init__(self, speak: Speaking, back: Backing) -> None:
        super().__init__()
        self.speak = speak
        self.back = back
        self._spoken: dict[str, Future[Speech]] = {}

    def identity(self) -> dict[str, Any]:
        parts = {"speak": self.speak.identity(), "back": self.back.identity()}
        return {**super().identity(), **parts}

    def begin(self, step: Step, *, speakers: list[Persona], first: int, **more: Any) -> Begun:
        """Start the stage; what is said can be had from it before its evidence.

        Args:
            step: Runs it.
            speakers: Who speaks.
            first: As for :meth:`forward`, as is the rest.
            more: The other inputs.
        """
        spoken = {f"t{first + place}": Future[Speech]() for place in range(len(speakers))}
        self._spoken |= spoken
        name = f"turns-{first}"
        return Begun(spoken, step.start(name, self, speakers=speakers, first=first, **more))

    def forward(
        self,
        *,
        topic: str,
        speakers: list[Persona],
        evidence: dict[str, list[Passage]],
        history: list[TranscriptLine],
        number: int,
        first: int,
    ) -> list[TableTurn]:
        """The turns in the order of their speakers.

        Args:
            topic: What the roundtable is about.
            speakers: Who speaks.
            evidence: Persona id -> passages on the persona's part of the topic.
            history: What they all have heard.
            number: The round, from 1.
            first: The number of the first of these turns; their ids are ``t{first}`` and so on.

        Raises:
            ReplyError: A model's replies stayed unusable.
        """

        def turn(seat: tuple[int, Persona]) -> TableTurn:
            speech: Speech = self.speak(
                topic=topic,
                speaker=seat[1],
                evidence=evidence[seat[1].id],
                history=history,
                number=number,
                turn=f"t{seat[0]}",
            )
            self._say(speech)
            backed: TableTurn = self.back(topic=topic, speech=speech)
            return backed

        return at_once(turn, list(enumerate(speakers, start=first)))

    def _say(self, speech: Speech) -> None:
        heard = self._spoken.get(speech.id)
        if heard is not None and not heard.done():  # a stage that is tried again says it again
            heard.set_result(speech)


class Begun:
    """Turns under way.

    Args:
        spoken: Turn id -> what is said.
        pending: The stage.
    """

    def __init__(self, spoken: dict[str, Future[Speech]], pending: Pending) -> None:
        self._spoken = spoken
        self._pending = pending
        pending.add_done_callback(self._over)

    def _over(self, _: object) -> None:
        """What is kept from an earlier invocation, or failed, is never spoken."""
        for heard in self._spoken.values():
            heard.cancel()

    def said(self) -> list[Speech]:
        """What the speakers say, once all have spoken; raises what the stage raised."""
        try:
            return [heard.result() for heard in self._spoken.values()]
        except CancelledError:
            return [as_speech(turn) for turn in self.turns]

    @cached_property
    def turns(self) -> list[TableTurn]:
        """The turns with their evidence, once all have it; raises what the stage raised."""
        found: list[TableTurn] = self._pending.result()
        return found

    @property
    def told(self) -> bool:
        """Whether they were spoken now; those kept from an earlier invocation were not."""
        return not any(heard.cancelled() for heard in self._spoken.values())


def as_speech(turn: TableTurn) -> Speech:
    """A turn as it was spoken."""
    fields = turn.model_dump(include=set(Speech.model_fields))
    return Speech(**{**fields, "text": turn.spoken})


__all__ = ["Begun", "Turns", "as_speech"]
