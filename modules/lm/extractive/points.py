"""ListPoints: the sentences of a text that argue, as they stand."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from modules.lm.extractive.sentences import lift
from modules.lm.extractive.soundness import hedged
from modules.lm.extractive.statements import same
from modules.lm.extractive.words import stems

_RESTATED = 0.8  # share of a sentence's content from which it only restates the proposition


def list_points(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The points of a text; they depend on no chance."""
    return {"points": points(inputs["text"]["text"], inputs["proposition"])}


def points(text: str, proposition: str) -> list[str]:
    """The argumentative sentences of ``text`` in order, none twice.

    A sentence argues if it is a whole declarative sentence that states its own view: not one that
    reports, grants or weighs a view, nor one that only restates the proposition.
    English only, as the rules it rests on are.
    """
    subject = stems(proposition)
    found: list[str] = []
    seen: list[frozenset[str]] = []
    for lifted in lift(text):
        words = stems(lifted.text)
        if len(words & subject) >= _RESTATED * len(words) or hedged(lifted.text):
            continue
        if not any(same(words, other) for other in seen):
            found.append(lifted.text)
            seen.append(words)
    return found


__all__ = ["list_points", "points"]
