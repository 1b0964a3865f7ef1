"""Answers to questions: sentences of the passages, and both sides where both are found.

The question is read as the proposition whose sides are sought: the stance reader needs its words,
not its form. What is disputed is told by two signs together: the question asks for a judgement,
and the passages hold sentences of both sides.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from modules.lm.extractive import answer_phrases as phrases
from modules.lm.extractive.chance import Deck
from modules.lm.extractive.inputs import no_evidence, passages
from modules.lm.extractive.prose import Casing, cite, paragraph, subject_line, word_count
from modules.lm.extractive.sentences import defang, plain
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, best, merit, quality, similar, statements
from modules.lm.extractive.words import overlap, stems
from modules.text import sentences
from signatures.types import SIGNS, Evidence

_JITTER = 0.08  # statements closer in worth than this may change places
_LENGTHS = {"basic": 110, "comprehensive": 220, "detailed": 320, "balanced": 260}
"""Words of an answer for which no length is asked."""
_TOKENS_PER_WORD = 4 / 3  # a usual share for English text
_FRAME = {"basic": 20, "comprehensive": 35, "detailed": 60}  # words that hold the sentences
_REPEATED = 0.45  # overlap from which two sentences would repeat one another
_CHOICE = 12  # sentences of a side to choose from
_EXPLAINED = 3  # sentences in the explanation of a point of view
_KIN = 0.12  # overlap with a claim from which a sentence explains it rather than its side
_SEARCHES = 2  # an agent's searches: the question, and then what speaks against what was found
_USEFUL = 9

_JUDGES = re.compile(
    r"\b(?:should|ought|must|better|best|worse|worst|worth|good|bad|right|wrong|fair|unfair|just|"
    r"justified|ethical|moral|acceptable|necessary|too (?:much|many|far)|agree|benefits? outweigh|"
    r"outweigh\w*|desirable|safe|effective|harmful|need to|deserve\w*|harm|help|pros and cons|"
    r"arguments|reasons|good idea|make sense|opinion)\b",
    re.IGNORECASE,
)
"""Words by which a question asks what somebody holds."""

_LOOKED_UP = re.compile(
    r"^(?:(?:what|which) (?:is|are|was|were|year|country|does|do|kind|percentage)"
    r"|(?:in|at|by|on|from|to) (?:what|which)"
    r"|who|when|where|how (?:many|much|long|old|far|does|do|is|are)|define|name)\b",
    re.IGNORECASE,
)
"""How a question begins that asks for what can be looked up."""


class _Matter(NamedTuple):
    """What there is to say: the sentences of each side, best first, and of neither."""

    pro: list[Statement]
    con: list[Statement]
    plain: list[Statement]

    @property
    def disputed(self) -> bool:
        """Whether both sides speak."""
        return bool(self.pro and self.con)


def answer_basic(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """A few sentences on the question; where the passages are of two minds, of both."""
    return {"answer": _answered(inputs, "basic", rng)}


def answer_comprehensively(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same at greater length."""
    return {"comprehensive_answer": _answered(inputs, "comprehensive", rng)}


def answer_in_detail(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """A paragraph for each side, after a sentence that says whether there are sides."""
    return {"detailed_answer": _answered(inputs, "detailed", rng)}


def frame_question(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Disputed where a judgement is asked for and both sides are found; the question as it is."""
    question, given = inputs["question"], passages(inputs["evidence"])
    if not given:
        raise no_evidence("no passage to answer from")
    disputed = asks_judgement(question) and _matter(question, given, rng).disputed
    return {"disputed": disputed, "proposition": question if disputed else None}


def state_views(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Each voice's claim, voices of one claim together, explained by sentences of its side."""
    question, given = inputs["question"], passages(inputs["evidence"])
    if not given:
        raise no_evidence("no passage that a point of view could rest on")
    pool = _pool(question, given)
    views: list[dict[str, Any]] = []
    told: list[Statement] = []
    for voice in inputs["voices"]:
        sign = SIGNS[voice["stance"]]
        claim = Statement(voice["claim"], 0, "", 0, True, stems=stems(voice["claim"]))
        twin = next((n for n, t in enumerate(told) if similar(claim, [t], _REPEATED)), None)
        if twin is not None:
            views[twin]["held_by"].append(voice["id"])
            continue
        why = _explained(claim, sign, pool, frozenset(voice["passages"]), told)
        told.append(claim)
        source = next((s for s in pool if overlap(s.stems, claim.stems) > 0.9), None)
        first = [] if source is None else [source]
        views.append(
            {
                "point_of_view": plain(voice["claim"]),
                "explanation": paragraph(cite(s.text, s.number) for s in [*first, *why]),
                "held_by": [voice["id"]],
            }
        )
    if not views:
        raise no_evidence("nobody with a point of view")
    return {"views": views}


def weigh_views(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The views by side, each with sentences of its explanation; no verdict."""
    question, given = inputs["question"], passages(inputs["evidence"])
    if not given:
        raise no_evidence("no passage to answer from")
    reader = StanceReader(question)
    pool = _pool(question, given)
    lean = {s.text: s.side for s in pool}
    sides: dict[int, list[str]] = {1: [], -1: []}
    for view in inputs["views"]:
        said = sentences(view["explanation"])
        score = sum(lean.get(plain(s), reader.score(defang(s))) for s in said)
        sides[1 if score + reader.score(view["point_of_view"]) > 0 else -1].append(
            view["explanation"]
        )
    room = _words("balanced", inputs["tokens"]) - _FRAME["detailed"]
    disputed = bool(sides[1] and sides[-1])
    casing = Casing([p.text for p in given])
    line = subject_line(question, casing)
    if not disputed:
        (only,) = [texts for texts in sides.values() if texts] or [[]]
        body = _told(only, room, set())
        return {"balanced_answer": "\n\n".join([_draw(phrases.ONE_VIEW, rng, line=line), body])}
    spoken: set[str] = set()
    parts = [
        _draw(phrases.DISPUTED, rng, line=line),
        f"{_draw(phrases.IN_FAVOUR, rng)} {_told(sides[1], room // 2, spoken)}",
        f"{_draw(phrases.AGAINST, rng)} {_told(sides[-1], room // 2, spoken)}",
        _draw(phrases.OPEN, rng),
    ]
    return {"balanced_answer": "\n\n".join(parts)}


def next_search(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The question first, then what speaks on the side that has less to say, then the end."""
    question, steps = inputs["question"], _trajectory(inputs["trajectory"])
    searches = sum(name == "search" for key, name in steps.items() if key.startswith("tool_name"))
    if searches == 0:
        thought = "Nothing has been found yet; the question's own words come first."
        return _search(thought, plain(question))
    found = _observed(steps)
    if searches < _SEARCHES and found:
        matter = _matter(question, found, rng)
        fewer = matter.con if len(matter.con) < len(matter.pro) else matter.pro
        lead = fewer[:1] or matter.plain[:1]
        if lead:
            return _search("One side has less to say; more like this is needed.", lead[0].text)
    thought = "The passages that the corpus has on the question have been found."
    return {"next_thought": thought, "next_tool_name": "finish", "next_tool_args": {}}


def choose_found(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The passages of the best sentences of either side in turn."""
    found = _observed(_trajectory(inputs["trajectory"]))
    if not found:
        return {"useful": []}
    matter = _matter(inputs["question"], found, rng)
    ranked = [s.number for s in _dealt([matter.pro, matter.con, matter.plain])]
    return {"useful": list(dict.fromkeys([*ranked, *(p.number for p in found)]))[:_USEFUL]}


def asks_judgement(question: str) -> bool:
    """Whether the question asks what somebody holds, rather than what can be looked up."""
    if _JUDGES.search(question):
        return True
    return not _LOOKED_UP.search(question.strip())


def _answered(inputs: Mapping[str, Any], kind: str, rng: random.Random) -> str:
    question, given = inputs["question"], passages(inputs["evidence"])
    if not given:
        raise no_evidence("no passage to answer from")
    matter = _matter(question, given, rng)
    room = max(30, _words(kind, inputs["tokens"]) - _FRAME[kind])
    casing = Casing([p.text for p in given])
    line = subject_line(question, casing)
    if not (asks_judgement(question) and matter.disputed):
        chosen = _within(_dealt([matter.plain, matter.pro, matter.con]), room)
        if not chosen:
            raise no_evidence("no sentence to answer with in the passages")
        opening = _draw(phrases.FOUND, rng, line=line)
        return paragraph([opening, *_cited(chosen)])
    pro, con = _within(matter.pro, room // 2), _within(matter.con, room // 2)
    if kind == "basic":
        return paragraph(
            [
                _draw(phrases.ON_ONE_SIDE, rng), *_cited(pro),
                _draw(phrases.ON_THE_OTHER, rng), *_cited(con),
            ]
        )  # fmt: skip
    parts = [
        paragraph([_draw(phrases.IN_FAVOUR, rng), *_cited(pro)]),
        paragraph([_draw(phrases.AGAINST, rng), *_cited(con)]),
    ]
    if kind == "detailed":
        parts = [_draw(phrases.DISPUTED, rng, line=line), *parts, _draw(phrases.OPEN, rng)]
    return "\n\n".join(parts)


def _pool(question: str, given: Sequence[Evidence]) -> list[Statement]:
    found = statements(given, StanceReader(question), question, ranked=True)
    return [s for s in found if s.standalone and s.near]


def _matter(question: str, given: Sequence[Evidence], rng: random.Random) -> _Matter:
    pool = _pool(question, given)
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}
    sides = [
        _varied(sorted(best(pool, sign, least=1), key=lambda s: -(merit(s, sign) + luck[s.text])))
        for sign in (1, -1)
    ]
    subject = stems(question)
    neutral = sorted(
        pool,
        key=lambda s: -(s.relevance + overlap(s.stems, subject) + 0.3 * quality(s) + luck[s.text]),
    )
    return _Matter(sides[0], sides[1], _varied(neutral))


def _varied(ranked: Iterable[Statement]) -> list[Statement]:
    """The first of them that do not repeat one another."""
    kept: list[Statement] = []
    for statement in ranked:
        if len(kept) < _CHOICE and not similar(statement, kept, _REPEATED):
            kept.append(statement)
    return kept


def _explained(
    claim: Statement,
    sign: int,
    pool: Sequence[Statement],
    own: frozenset[int],
    told: Sequence[Statement],
) -> list[Statement]:
    """Sentences of the claim's side, those about the same and from its own passages first."""
    hand = best(pool, sign, least=_CHOICE) if sign else list(pool)
    fresh = [s for s in hand if not similar(s, [claim, *told], 0.7)]
    ranked = sorted(
        fresh,
        key=lambda s: (
            -(
                merit(s, sign or 1)
                + 1.5 * max(0.0, overlap(s.stems, claim.stems) - _KIN)
                + 0.5 * (s.number in own)
            )
        ),
    )
    return _varied(ranked)[:_EXPLAINED]


def _told(explanations: Sequence[str], room: int, spoken: set[str]) -> str:
    """Sentences of the explanations in turn, none twice, about ``room`` words of them."""
    hands = [sentences(text) for text in explanations]
    chosen: list[tuple[int, str]] = []
    left = room
    for rank in range(max(map(len, hands), default=0)):
        for place, hand in enumerate(hands):
            text = hand[rank] if rank < len(hand) else ""
            size = word_count(text)
            if text and text not in spoken and (size <= left or not chosen):
                chosen.append((place, text))
                spoken.add(text)
                left -= size
    return paragraph(text for _, text in sorted(chosen, key=lambda pair: pair[0]))


def _dealt(hands: Sequence[Sequence[Statement]]) -> list[Statement]:
    """Cards from each hand in turn, none twice."""
    deepest = max(map(len, hands), default=0)
    dealt = [hand[rank] for rank in range(deepest) for hand in hands if rank < len(hand)]
    return _varied(dealt)


def _within(ranked: Sequence[Statement], room: int) -> list[Statement]:
    """The first of them that fit into ``room`` words; one at least."""
    kept: list[Statement] = []
    for statement in ranked:
        size = word_count(statement.text)
        if not kept or size <= room:
            kept.append(statement)
            room -= size
    return kept


def _cited(chosen: Iterable[Statement]) -> list[str]:
    return [cite(s.text, s.number) for s in chosen]


def _words(kind: str, tokens: int | None) -> int:
    return _LENGTHS[kind] if tokens is None else round(tokens / _TOKENS_PER_WORD)


def _draw(options: tuple[str, ...], rng: random.Random, **fields: str) -> str:
    return Deck(options, rng).draw().format(**fields)


def _search(thought: str, query: str) -> dict[str, Any]:
    return {
        "next_thought": thought,
        "next_tool_name": "search",
        "next_tool_args": {"query": query},
    }


def _trajectory(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _observed(steps: Mapping[str, Any]) -> list[Evidence]:
    """The passages that the searches have shown, as they were numbered."""
    found = []
    for key, observation in steps.items():
        if key.startswith("observation") and isinstance(observation, str):
            try:
                shown = json.loads(observation)
            except ValueError:
                continue  # an error that the loop reports in words
            found += [Evidence.model_validate(e) for e in shown if isinstance(e, dict)]
    return found


__all__ = [
    "answer_basic",
    "answer_comprehensively",
    "answer_in_detail",
    "asks_judgement",
    "choose_found",
    "frame_question",
    "next_search",
    "state_views",
    "weigh_views",
]
