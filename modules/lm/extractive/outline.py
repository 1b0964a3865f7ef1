"""OutlineEssay and OutlineFromPersonas: a plan straight from the passages."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.extractive.inputs import no_evidence, passages, side_of, voices
from modules.lm.extractive.plan import as_said, outlined
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import LENIENT, Statement, on_side, statements, vouched


def outline_essay(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The best arguments of the side, each with what stands near it in content."""
    return _plan(inputs, [], rng)


def outline_from_personas(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The personas' claims, each with the evidence near it."""
    pool = _pool(inputs)
    claims = [as_said(voice, pool) for voice in voices(inputs["team"])]
    return _plan(inputs, claims, rng)


def _pool(inputs: Mapping[str, Any]) -> list[Statement]:
    proposition = inputs["proposition"]
    given = passages(inputs["evidence"])
    pool = statements(given, StanceReader(proposition), proposition, ranked=True)
    return [s for s in pool if s.standalone]


def _plan(
    inputs: Mapping[str, Any], claims: Sequence[Statement], rng: random.Random
) -> dict[str, Any]:
    sign = side_of(inputs["goal"])
    pool = vouched(_pool(inputs), [c.text for c in claims], sign)
    if not pool:
        raise no_evidence("no sentence to plan from in the passages")
    own = [s for s in pool if on_side(s, sign, LENIENT)]
    bounds = (inputs["minimum_points"], inputs["maximum_points"])
    return {"plan": outlined(claims, own, pool, sign, bounds, rng)}


__all__ = ["outline_essay", "outline_from_personas"]
