"""Curation: queries for both sides, points of view and explanations lifted out of documents."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.extractive.inputs import no_evidence
from modules.lm.extractive.sentences import plain
from modules.lm.extractive.soundness import tokens
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, best, merit, quality, similar, statements
from modules.lm.extractive.wordlists import FUNCTION_WORDS
from modules.lm.extractive.words import overlap, stems
from signatures.types import Evidence

_ANGLES = (
    "reasons for {s}", "reasons against {s}", "{s} costs and benefits", "{s} who is affected",
    "{s} experience and results", "{s} rules and alternatives", "{s} rights and fairness",
    "{s} risks",
)  # fmt: skip
_VIEWS = 6  # the most points of view
_REPEATED = 0.4  # overlap from which two points of view would be one
_ALSO = 0.5  # overlap with a sentence of another document that says the same
_JITTER = 0.08
_SENTENCES = 6  # the most in an explanation


def write_queries(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The question's own words under several angles."""
    words = [w for w in tokens(plain(inputs["question"])) if w.lower() not in FUNCTION_WORDS]
    subject = " ".join(words[:8]) or plain(inputs["question"])
    wanted = min(inputs["count"], len(_ANGLES))
    return {"queries": [angle.format(s=subject) for angle in _ANGLES[:wanted]]}


def extract_views(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The best sentences of each side in turn, unlike one another, with the documents they are
    in; none where no document takes a side.
    """
    question, given = inputs["question"], _evidence(inputs["documents"])
    pool = _pool(question, given)
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}
    hands = [
        sorted(best(pool, sign, least=1), key=lambda s: -(merit(s, sign) + luck[s.text]))
        for sign in (1, -1)
    ]
    chosen: list[Statement] = []
    for rank in range(max(map(len, hands), default=0)):
        for hand in hands:
            new = rank < len(hand) and not similar(hand[rank], chosen, _REPEATED)
            if new and len(chosen) < _VIEWS:
                chosen.append(hand[rank])
    return {"points": [{"point_of_view": s.text, "documents": _holders(s, pool)} for s in chosen]}


def explain_view(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The point of view, then sentences on the same matter from the side it is on."""
    question, given = inputs["question"], _evidence(inputs["documents"])
    pool = _pool(question, given)
    own = Statement(inputs["point_of_view"], 0, "", 0, True, stems=stems(inputs["point_of_view"]))
    if not pool:
        raise no_evidence("no sentence in the documents of a point of view")
    sign = 1 if StanceReader(question).score(own.text) >= 0 else -1
    ranked = sorted(
        pool,
        key=lambda s: (
            -(1.5 * overlap(s.stems, own.stems) + min(s.side * sign, 0.5) + 0.3 * quality(s))
        ),
    )
    said, left = [own], inputs["words"] - len(own.text.split())
    for statement in ranked:
        size = len(statement.text.split())
        if len(said) < _SENTENCES and size <= left and not similar(statement, said, 0.7):
            said.append(statement)
            left -= size
    return {"view_explanation": " ".join(s.text for s in said)}


def _evidence(values: Sequence[Mapping[str, Any]]) -> list[Evidence]:
    return [Evidence(number=v["number"], title=v["title"], text=v["text"]) for v in values]


def _pool(question: str, given: Sequence[Evidence]) -> list[Statement]:
    found = statements(given, StanceReader(question), question, ranked=True)
    return [s for s in found if s.standalone and s.near]


def _holders(statement: Statement, pool: Sequence[Statement]) -> list[int]:
    """The statement's document, and others with a sentence that says much the same."""
    also = [
        s.number
        for s in pool
        if overlap(s.stems, statement.stems) >= _ALSO and s.side * statement.side > 0
    ]
    return list(dict.fromkeys([statement.number, *also]))


__all__ = ["explain_view", "extract_views", "write_queries"]
