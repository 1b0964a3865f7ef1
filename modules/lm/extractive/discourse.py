"""StateClaim, GiveReasons, MakeConcession, ReviewComponent: an argument piece by piece."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.extractive.inputs import no_evidence, passages, side_of
from modules.lm.extractive.plan import points, subpoints
from modules.lm.extractive.prose import Casing, is_clause, subject_line
from modules.lm.extractive.sentences import capitalised
from modules.lm.extractive.stance import StanceReader, negate
from modules.lm.extractive.statements import (
    LENIENT,
    Statement,
    best,
    merit,
    on_side,
    similar,
    statements,
)
from modules.lm.extractive.words import Weights, overlap, stems
from modules.text import sentences

BECAUSE = ", because "
"""Between the position that a claim takes and the ground it takes it on."""

_JITTER = 0.15
_SAID = 0.7  # share of a sentence's content that makes it said already
_EXPLAINED = 2  # sentences that explain a reason


def state_claim(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The position, on the strongest ground that the passages give it."""
    sign = side_of(inputs["goal"])
    own = best(_pool(inputs), sign)
    if not own:
        raise no_evidence("no sentence on the side of the argument")
    luck = {s.text: rng.uniform(0, _JITTER) for s in own}
    ground = max(own, key=lambda s: merit(s, sign) + luck[s.text])
    casing = Casing([p["text"] for p in inputs["evidence"]])
    line = subject_line(inputs["proposition"], casing)
    if not is_clause(line) or not casing.can_lower(ground.text):
        return {"claim": ground.text}
    position = (line if sign > 0 else negate(line)).rstrip(" .")
    return {"claim": f"{capitalised(position)}{BECAUSE}{casing.lowered(ground.text)}"}


def give_reasons(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Arguments of the side unlike the claim, each explained by what stands near it."""
    sign = side_of(inputs["goal"])
    least, most = inputs["minimum_points"], inputs["maximum_points"]
    claim = ground(inputs["claim"])
    mine = [s for s in _pool(inputs) if on_side(s, sign, LENIENT)]
    pool = [s for s in mine if not similar(s, [claim], _SAID)]
    chosen = points([], pool, sign, (least, most), rng)
    asked = _asked_for(inputs["review"], pool)
    if asked is not None and not similar(asked, chosen, _SAID):
        chosen = [*chosen[: most - 1], asked]
    if len(chosen) < least:
        raise no_evidence(f"{len(chosen)} different reasons in the passages, {least} wanted")
    explained = subpoints(chosen, best(pool, sign, least=3 * len(chosen)), _EXPLAINED)
    return {
        "reasons": [
            {"reason": s.text, "explanation": " ".join(x.text for x in why)}
            for s, why in zip(chosen, explained, strict=True)
        ]
    }


def make_concession(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The other side's best sentence on what the argument says, and the own side's answer to it."""
    sign = side_of(inputs["goal"])
    pool = _pool(inputs)
    said = [ground(inputs["claim"]), *(ground(r["reason"]) for r in inputs["reasons"])]
    about = frozenset().union(*(s.stems for s in said))
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}

    def objection_worth(s: Statement) -> float:
        return merit(s, -sign) + overlap(s.stems, about) + luck[s.text]

    objection = max(best(pool, -sign), key=objection_worth, default=None)
    if objection is None:
        raise no_evidence("no sentence of the other side that could be conceded")
    weights = Weights(s.stems for s in pool)
    answer = max(
        (s for s in best(pool, sign) if not similar(s, [objection, *said])),
        key=lambda s: 1.5 * weights.cosine(s.stems, objection.stems) + merit(s, sign),
        default=None,
    )
    text = answer.text if answer is not None else ""
    return {"concession": {"objection": objection.text, "answer": text}}


def review_component(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """For reasons, the best evidence they leave unsaid; whether a draft can stand is not judged."""
    feedback = None
    if inputs["component"] == "reasons":
        sign = side_of(inputs["goal"])
        said = [stems(s) for s in sentences(f"{inputs['claim']} {inputs['draft']['text']}")]
        unsaid = (
            s for s in best(_pool(inputs), sign) if all(overlap(s.stems, x) < _SAID for x in said)
        )
        missing = next(unsaid, None)
        if missing is not None:
            feedback = f"The reasons leave out what the passages say: \u201c{missing.text}\u201d"
    return {"adequate": None, "feedback": feedback}


def ground(text: str) -> Statement:
    """A claim or reason as a statement, without the position it was joined to."""
    core = text.split(BECAUSE, 1)[-1]
    return Statement(core, 0, "", 0, True, stems=stems(core))


def _pool(inputs: Mapping[str, Any]) -> list[Statement]:
    proposition = inputs["proposition"]
    given = passages(inputs["evidence"])
    pool = statements(given, StanceReader(proposition), proposition, ranked=True)
    return [s for s in pool if s.standalone]


def _asked_for(review: Mapping[str, Any] | None, pool: Sequence[Statement]) -> Statement | None:
    """The statement that a review quotes."""
    feedback = "" if review is None else review["feedback"]
    return next((s for s in pool if s.text in feedback), None)


__all__ = [
    "BECAUSE",
    "give_reasons",
    "ground",
    "make_concession",
    "review_component",
    "state_claim",
]
