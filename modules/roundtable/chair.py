"""The neutral chair of a roundtable: what a round brought, where it ends, and advice on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modules.lm.ask import Ask
from modules.roundtable.speaking import as_speaker
from modules.stage import Stage
from signatures.roundtable import CloseRoundtable, ModerateRound, RecommendFromRoundtable
from signatures.table import Closing, Recommendation, RoundNote, Speech
from signatures.types import Persona, TranscriptLine


class RoundModeration(Stage):
    """A neutral summary of a round, and a question for the next (S2's moderator, calm)."""

    def __init__(self) -> None:
        super().__init__()
        self.moderate = Ask(ModerateRound)

    def forward(
        self, *, topic: str, personas: list[Persona], turns: list[TranscriptLine], number: int
    ) -> RoundNote:
        """The note on round ``number``.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        reply = self.moderate(
            topic=topic,
            personas=[as_speaker(p) for p in personas],
            turns=turns,
            check=lambda r: None if r.summary.strip() else "the summary is empty",
        )
        return RoundNote(
            round=number, summary=reply.summary.strip(), question=reply.question.strip()
        )


class NeutralClosing(Stage):
    """Agreement and disagreement after the last round, without a verdict."""

    def __init__(self) -> None:
        super().__init__()
        self.close = Ask(CloseRoundtable)

    def forward(
        self, *, topic: str, personas: list[Persona], turns: list[TranscriptLine]
    ) -> Closing:
        """The map of the debate; positions of nobody at the table lose their holders.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        reply = self.close(topic=topic, personas=[as_speaker(p) for p in personas], turns=turns)
        closing: Closing = reply.closing
        titles = {p.title for p in personas}
        return closing.model_copy(
            update={
                "disagreements": [
                    issue.model_copy(
                        update={
                            "positions": [
                                p.model_copy(
                                    update={"speakers": [s for s in p.speakers if s in titles]}
                                )
                                for p in issue.positions
                            ]
                        }
                    )
                    for issue in closing.disagreements
                ]
            }
        )


class Advice(Stage):
    """The recommendation S0 left to future work: only on request, and labelled as an opinion."""

    def __init__(self) -> None:
        super().__init__()
        self.recommend = Ask(RecommendFromRoundtable)

    def forward(
        self, *, topic: str, personas: list[Persona], turns: list[TranscriptLine]
    ) -> Recommendation | None:
        """The advice; None where the engine abstains.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        reply = self.recommend(
            topic=topic,
            personas=[as_speaker(p) for p in personas],
            turns=turns,
            asked_for="recommendation",
        )
        found: Recommendation | None = reply.recommendation
        return found


def heard(
    spoken: Sequence[Speech], names: Mapping[str, str], notes: Sequence[RoundNote] = ()
) -> list[TranscriptLine]:
    """Turns as LMs see them, each round followed by what the moderator said of it.

    Args:
        spoken: The turns, oldest first.
        names: Persona id -> title.
        notes: The moderator's notes, by round.
    """
    after = {note.round: note for note in notes}
    lines: list[TranscriptLine] = []
    for index, turn in enumerate(spoken):
        lines.append(TranscriptLine(id=turn.id, speaker=names[turn.speaker], text=turn.text))
        ends = index + 1 == len(spoken) or spoken[index + 1].round != turn.round
        if ends and (note := after.get(turn.round)) is not None:
            text = f"{note.summary} {note.question}".strip()
            lines.append(TranscriptLine(id=f"m{note.round}", speaker="Moderator", text=text))
    return lines


__all__ = ["Advice", "NeutralClosing", "RoundModeration", "heard"]
