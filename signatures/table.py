"""The data of a roundtable debate (S0): who sits at the table, what is said, what it comes to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from signatures.types import Citation, Record, Relation, Stance, Text

Mode = Literal["continuous", "round_synchronous"]
"""Who hears whom: everybody all turns before theirs, or only the rounds before."""

Vote = Literal["up", "down"]
"""A reader's agreement or disagreement with a turn."""

Length = Literal["kept", "shortened", "cut"]
"""How a turn came within the word limit: by itself, by one repair, or cut at a sentence's end."""


class PersonaInput(Record):
    """A persona as a person writes it down; what is left out is filled in."""

    id: str | None = None
    title: Annotated[str, Field(min_length=1, max_length=120)]
    description: Annotated[str, Field(max_length=1000)] = ""
    claim: Annotated[str, Field(max_length=500)] = ""
    emoji: Annotated[str, Field(max_length=16)] = ""
    stance: Stance = "neutral"
    values: list[str] = Field(default_factory=list)


class Speaker(Record):
    """A persona as the prompts of a roundtable show it."""

    title: str
    description: str
    stance: Stance
    claim: str
    values: list[str] = Field(default_factory=list)


class Speech(Record):
    """A turn as it was spoken, before evidence is put to it; ``words`` counts its words."""

    id: Text
    round: Annotated[int, Field(ge=1)]
    speaker: Text
    text: Text
    replies_to: str | None = None
    relation: Relation = "none"
    words: Annotated[int, Field(ge=0)]
    length: Length = "kept"


class TableTurn(Speech):
    """A turn with its evidence: ``[n]`` in the text, and what each marker stands for.

    ``spoken`` is the text before evidence was put to it, ``query`` what evidence was looked for
    with (None where none was), ``claims`` and ``held`` how many of its sentences make a claim, and
    how many of those carry a supported citation.
    """

    spoken: Text
    query: str | None = None
    citations: list[Citation] = Field(default_factory=list)
    claims: Annotated[int, Field(ge=0)] = 0
    held: Annotated[int, Field(ge=0)] = 0


class RoundNote(Record):
    """What a neutral moderator makes of a round."""

    round: Annotated[int, Field(ge=1)]
    summary: Text
    question: str = ""


class Position(Record):
    """One side of an issue."""

    speakers: list[str] = Field(description="titles of the personas who hold it, copied exactly")
    view: Text = Field(description="what they hold and why, one sentence, in fair words")


class Issue(Record):
    """A question on which the table is divided."""

    issue: Text = Field(description="the question, one short phrase without a lean")
    positions: list[Position] = Field(description="two or more positions, equally fairly put")


class Closing(Record):
    """Where a debate agrees and where it does not; never who is right."""

    agreements: list[str] = Field(
        description="what personas of different stances accept, one sentence each; empty if nothing"
    )
    disagreements: list[Issue] = Field(description="what stays contested, one to four issues")
    open_questions: list[str] = Field(
        description="questions of fact or value that would have to be settled, up to three"
    )


class Recommendation(Record):
    """Advice drawn from a debate, made only on request and labelled as a model's opinion."""

    advice: Text = Field(description="what to do, one or two sentences")
    reasons: list[str] = Field(
        description="up to three reasons, each naming the persona it is from"
    )
    against: str = Field(description="the strongest reason not to follow the advice, one sentence")
    depends_on: list[str] = Field(description="up to three facts or values that would change it")


class Balance(Record):
    """How evenly the table was set: personas, turns and words by stance."""

    personas: dict[Stance, int]
    turns: dict[Stance, int]
    words: dict[Stance, int]


__all__ = [
    "Balance",
    "Closing",
    "Issue",
    "Length",
    "Mode",
    "PersonaInput",
    "Position",
    "Recommendation",
    "RoundNote",
    "Speaker",
    "Speech",
    "TableTurn",
    "Vote",
]
