"""What a text costs its reader and whoever pays for it: its words, and the tokens it took."""

from __future__ import annotations

import math
from typing import ClassVar

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from signatures.errors import InputError


class Length(Metric):
    """The words of a text; fewer are better only as a guard, or against a gain elsewhere."""

    name: ClassVar[str] = "length"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    direction: ClassVar[Direction] = "lower"
    fields: ClassVar[tuple[str, ...]] = ("generation",)

    def score(self, row: Row, tools: Tools) -> Score:
        words = len(rows.text(row).split())
        return Score(value=float(words), explanation=f"{words} words")


class Cost(Metric):
    """Tokens read and written to make a text, estimated: a quarter of the prompts' and replies'
    characters. Unlike what a server charges it does not depend on what a cache has answered.
    """

    name: ClassVar[str] = "cost"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    direction: ClassVar[Direction] = "lower"
    fields: ClassVar[tuple[str, ...]] = ("tokens",)

    def score(self, row: Row, tools: Tools) -> Score:
        tokens = row.get("tokens")
        if not isinstance(tokens, (int, float)):
            raise InputError("the row does not say what it took", expected="tokens, a number")
        return Score(value=float(tokens), explanation=f"{tokens:g} tokens, estimated")


__all__ = ["Cost", "Length"]
