"""Further seats at a table that has some already."""

from __future__ import annotations

from collections.abc import Sequence

from modules.evidence import numbered
from modules.lm.ask import Ask
from modules.personas import candidate
from modules.stage import Stage
from signatures.personas import CreatePersonas
from signatures.types import Passage, Persona, Pool


class MoreSeats(Stage):
    """Creates personas beside those there are, on the side that has nobody if one has not."""

    def __init__(self) -> None:
        super().__init__()
        self.create = Ask(CreatePersonas)

    def forward(
        self,
        *,
        topic: str,
        personas: list[Persona],
        count: int,
        free: list[str],
        background: list[Passage],
    ) -> Pool:
        """The new personas only; a note says if there are fewer than asked for.

        Args:
            topic: What the roundtable is about.
            personas: Those there are.
            count: How many more.
            free: Ids for them.
            background: Passages on the topic.

        Raises:
            ReplyError: The model's replies stayed unusable.
        """
        reply = self.create(
            proposition=topic,
            minimum=count,
            maximum=count,
            sides=_sides(personas),
            values="any",
            existing=[candidate(p) for p in personas],
            background=numbered(background),
        )
        titles = {p.title.casefold() for p in personas}
        fresh = [d for d in reply.personas if d.title.casefold() not in titles][:count]
        made = [Persona(id=name, **d.model_dump()) for name, d in zip(free, fresh, strict=False)]
        notes = [f"{len(made)} of {count} further personas could be had"] * (len(made) < count)
        return Pool(personas=made, notes=notes)


def _sides(personas: Sequence[Persona]) -> str:
    held = {p.stance for p in personas}
    if "for" not in held:
        return "for"
    return "both" if "against" in held else "against"


__all__ = ["MoreSeats"]
