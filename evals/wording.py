"""Whether an argument that was given its evidence still says what it said."""

from __future__ import annotations

from typing import ClassVar

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.argument_evidence import kept_wording
from signatures.errors import InputError


class KeptWording(Metric):
    """Share of an argument's words that its cited form keeps, in their order; markers aside."""

    name: ClassVar[str] = "kept_wording"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("argument", "generation")

    def score(self, row: Row, tools: Tools) -> Score:
        argument = row.get("argument")
        if not isinstance(argument, str) or not argument.strip():
            raise InputError("the row has no argument", expected="argument, as it was written")
        kept, added = kept_wording(argument, rows.text(row))
        said = f"keeps {kept:.0%} of the argument's words and adds {added}"
        return Score(value=kept, explanation=said)


__all__ = ["KeptWording"]
