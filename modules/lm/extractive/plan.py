"""MakePlan: what the team said, grouped under its claims, and the critic's best sentence."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.extractive.inputs import Voice, is_critic, no_evidence, side_of, transcript, voices
from modules.lm.extractive.prose import unframed
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, best, merit, on_side, similar, statements
from modules.lm.extractive.words import Weights, overlap, stems
from signatures.types import Evidence, TranscriptLine

_SUBPOINTS = 3
_TALK = frozenset({"critic", "teammate", "team"})


def make_plan(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Points that the team made, each with what it said near them."""
    proposition, sign = inputs["proposition"], side_of(inputs["goal"])
    team = voices(inputs["team"])
    lines = transcript(inputs["transcript"])
    own = _said([x for x in lines if not is_critic(x)], proposition)
    claims = [as_said(v, own) for v in team]
    theirs = _said([x for x in lines if is_critic(x)], proposition)
    bounds = (inputs["minimum_points"], inputs["maximum_points"])
    return {"plan": outlined(claims, own, theirs, sign, bounds, rng)}


def outlined(
    claims: Sequence[Statement],
    own: Sequence[Statement],
    theirs: Sequence[Statement],
    sign: int,
    bounds: tuple[int, int],
    rng: random.Random,
) -> dict[str, Any]:
    """A plan as plain JSON: points of the own side, and the best of ``theirs`` acknowledged.

    Args:
        claims: What must come first.
        own: Statements that points and sub-points are made of.
        theirs: Where the other side's statements are found.
        sign: The own side.
        bounds: The fewest and the most points.
        rng: The call's random stream.
    """
    chosen = points(claims, own, sign, bounds, rng)
    if len(chosen) < bounds[0]:
        raise no_evidence(f"{len(chosen)} different arguments, too few for a plan")
    if rng.random() < 0.5:
        chosen = chosen[::-1]
    return {
        "acknowledgment": _acknowledgment(theirs, -sign, rng),
        "points": [
            {"point": p.text, "subpoints": [s.text for s in subs]}
            for p, subs in zip(chosen, subpoints(chosen, own), strict=True)
        ],
    }


def _said(lines: Sequence[TranscriptLine], proposition: str) -> list[Statement]:
    """What the lines assert, without what they say about the debate itself."""
    turns = [
        Evidence(number=i, title=line.speaker, text=unframed(line.text))
        for i, line in enumerate(lines, start=1)
    ]
    pool = statements(turns, StanceReader(proposition), proposition)
    return [s for s in pool if s.standalone and not s.stems & _TALK]


def as_said(voice: Voice, own: Sequence[Statement]) -> Statement:
    """The persona's claim, as said if it was said."""
    words = stems(voice.claim)
    said = next((s for s in own if overlap(s.stems, words) > 0.8), None)
    return said or Statement(voice.claim, 0, voice.title, 0, True, stems=words)


def points(
    claims: Sequence[Statement],
    own: Sequence[Statement],
    sign: int,
    bounds: tuple[int, int],
    rng: random.Random,
) -> list[Statement]:
    """Claims first, then the best other sentences, strongest first, no thought twice."""
    minimum, maximum = bounds
    wanted = min(maximum, max(minimum, len(claims) + rng.randint(0, 1)))
    order = [*claims, *best(own, sign), *(s for s in own if not on_side(s, -sign)), *own]
    chosen: list[Statement] = []
    for limit in (0.45, 0.65, 0.85):
        for statement in order:
            if len(chosen) < wanted and not similar(statement, chosen, limit):
                chosen.append(statement)
        wanted = min(wanted, max(minimum, len(chosen)))
    return sorted(chosen, key=lambda s: -merit(s, sign))


def subpoints(
    points: Sequence[Statement], own: Sequence[Statement], most: int = _SUBPOINTS
) -> list[list[Statement]]:
    """For each point up to ``most`` sentences near it in content, each used once, one at least."""
    left = [s for s in own if not similar(s, points, 0.65)]
    weights = Weights(s.stems for s in own)
    found: list[list[Statement]] = [[] for _ in points]
    for _ in range(most):
        for point, subs in zip(points, found, strict=True):
            if not left:
                break

            def nearness(s: Statement, point: Statement = point) -> float:
                return weights.cosine(s.stems, point.stems) + 0.15 * (s.title == point.title)

            nearest = max(left, key=nearness)
            if subs and nearness(nearest) < 0.1:
                continue
            subs.append(nearest)
            left.remove(nearest)
    return found


def _acknowledgment(pool: Sequence[Statement], sign: int, rng: random.Random) -> str | None:
    """The strongest sentence of the side; of two that come close, either."""
    ranked = best(pool, sign)
    near = [s for s in ranked[:2] if merit(s, sign) > merit(ranked[0], sign) - 0.1]
    return rng.choice(near).text if near else None


__all__ = ["as_said", "make_plan", "outlined", "points", "subpoints"]
