"""The roundtable's calls, answered by selecting and joining what was said and retrieved."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.extractive import phrases, table_talk
from modules.lm.extractive.chance import Deck
from modules.lm.extractive.inputs import no_evidence, passages, transcript
from modules.lm.extractive.prose import word_count
from modules.lm.extractive.sentences import plain
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, best, merit, similar, statements
from modules.lm.extractive.topics import topic as topic_of
from modules.lm.extractive.words import overlap, stems
from modules.text import sentences
from signatures.types import SIGNS, TranscriptLine

_SAID = 0.7  # share of a sentence's content that makes it said already
_POINTS = 3
_CHOICE = 10  # sentences to choose points from, even if the last are hardly on the side
_JITTER = 0.1
_NEAR = 0.2  # overlap from which two sentences of opposite sides are set against each other
_SHARED = 0.45  # overlap from which two speakers speak of one thing


def roundtable_turn(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The persona's claim and whom it answers, then new evidence on its side, point by point."""
    persona, lines = inputs["persona"], transcript(inputs["history"])
    given, limit = passages(inputs["background"]), inputs["word_limit"]
    if not given:
        raise no_evidence("no passage to speak from")
    sign = SIGNS[persona["stance"]]
    points = _points(inputs, persona, lines, sign, rng)
    target = _target(lines, persona["title"], points)
    opening = _opening(inputs["topic"], persona, lines, target, rng)
    text, room = opening, limit - word_count(opening)
    kept: list[str] = []
    for point in points:
        if word_count(point) <= room and len(kept) < _POINTS:
            kept.append(point)
            room -= word_count(point)
    if not kept:
        kept = [Deck(phrases.NOTHING_NEW, rng).draw().format(about="")]
    text = "\n".join([opening, *(f"- {point}" for point in kept)])
    side = "none" if target is None else _relation(sign, target, inputs["topic"])
    return {"text": text, "replies_to": target.id if target else None, "relation": side}


def shorten_turn(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The turn without its last sentences."""
    from modules.roundtable.speaking import cut, tidy

    return {"shortened": cut(tidy(inputs["turn"]), inputs["word_limit"])}


def moderate_round(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """One sentence of each stance's first speaker, and the topic most spoken of as a question."""
    lines = transcript(inputs["turns"])
    stances = {p["title"]: p["stance"] for p in inputs["personas"]}
    first: dict[str, TranscriptLine] = {}
    for line in lines:
        first.setdefault(stances.get(line.speaker, "neutral"), line)
    parts = [
        f"{line.speaker}: {_claims(line)[0]}"
        for stance, line in sorted(first.items())
        if _claims(line)
    ]
    about = topic_of(" ".join(line.text for line in lines), inputs["topic"])
    question = f"What would settle {_the(about)}?" if about else "What would change your mind?"
    return {"summary": " ".join(parts) or "Nothing was said.", "question": question}


def close_roundtable(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Sentences that opposite sides share, and for each side what it said on the same issue."""
    stances = {p["title"]: SIGNS[p["stance"]] for p in inputs["personas"]}
    said = [
        (line.speaker, stances.get(line.speaker, 0), sentence)
        for line in transcript(inputs["turns"])
        if line.speaker in stances
        for sentence in _claims(line)
    ]
    pro = [(who, s) for who, sign, s in said if sign > 0]
    con = [(who, s) for who, sign, s in said if sign < 0]
    shared, issues = _compared(pro, con, inputs["topic"])
    if not issues and pro and con:
        positions = [{"speakers": [who], "view": view} for who, view in (pro[0], con[0])]
        issues = [{"issue": plain(inputs["topic"]), "positions": positions}]
    questions = [f"What would settle {issue['issue']}?" for issue in issues[:2]]
    return {"closing": {"agreements": shared, "disagreements": issues, "open_questions": questions}}


def recommend_from_roundtable(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Nothing: to recommend is to judge."""
    return {"recommendation": None}


def _points(
    inputs: Mapping[str, Any],
    persona: Mapping[str, Any],
    lines: Sequence[TranscriptLine],
    sign: int,
    rng: random.Random,
) -> list[str]:
    """Unsaid sentences of the passages on the persona's side, best first; both for a neutral."""
    proposition = inputs["topic"]
    pool = statements(passages(inputs["background"]), StanceReader(proposition), proposition)
    said = [stems(s) for line in lines for s in _claims(line)]
    subject = stems(persona["claim"])
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}
    sides = [sign] if sign else [1, -1]
    hands = [
        sorted(
            best(pool, side, least=_CHOICE),
            key=lambda s: -(_worth(s, side, subject) + luck[s.text]),
        )
        for side in sides
    ]
    chosen: list[Statement] = []
    for rank in range(max(map(len, hands), default=0)):
        for hand in hands:
            if rank < len(hand) and _fresh(hand[rank], said, chosen, subject):
                chosen.append(hand[rank])
    return [s.text for s in chosen]


def _worth(statement: Statement, sign: int, subject: frozenset[str]) -> float:
    return merit(statement, sign) + 0.5 * overlap(statement.stems, subject)


def _fresh(
    statement: Statement,
    said: Sequence[frozenset[str]],
    chosen: Sequence[Statement],
    claim: frozenset[str],
) -> bool:
    known = [*said, claim]
    return all(overlap(statement.stems, x) < _SAID for x in known) and not similar(
        statement, chosen, limit=_SHARED
    )


def _target(
    lines: Sequence[TranscriptLine], title: str, points: Sequence[str]
) -> TranscriptLine | None:
    """Among the last turns of others, the one that the persona's best points bear on most."""
    others = [line for line in lines if line.speaker != title][-5:]
    words = stems(" ".join(points[:_POINTS]))
    return max(others, key=lambda line: overlap(words, stems(line.text)), default=None)


def _opening(
    proposition: str,
    persona: Mapping[str, Any],
    lines: Sequence[TranscriptLine],
    target: TranscriptLine | None,
    rng: random.Random,
) -> str:
    first = all(line.speaker != persona["title"] for line in lines)
    claim = plain(persona["claim"])
    parts = [claim if claim.endswith((".", "!", "?")) else f"{claim}."] if first else []
    if target is not None:
        about = topic_of(" ".join(_claims(target)), proposition)
        deck = Deck(table_talk.ANSWER if about else table_talk.ANSWER_BARE, rng)
        parts.append(deck.draw().format(name=_role(target.speaker), topic=_the(about or "")))
    stand = Deck(table_talk.STAND[persona["stance"]], rng).draw()
    return " ".join([*parts, stand])


def _relation(sign: int, target: TranscriptLine, proposition: str) -> str:
    """Whether the answered turn leans to the persona's side or to the other."""
    score = StanceReader(proposition).score(" ".join(_claims(target)))
    if not sign or abs(score) < 0.05:
        return "none"
    return "support" if score * sign > 0 else "oppose"


def _claims(line: TranscriptLine) -> list[str]:
    """What a turn says of the topic: its sentences without the table talk around them."""
    found = [
        plain(s)
        for paragraph in line.text.split("\n")
        for s in sentences(paragraph.removeprefix("- "))
    ]
    return [s for s in found if s and not table_talk.is_talk(s)]


def _compared(
    pro: Sequence[tuple[str, str]], con: Sequence[tuple[str, str]], proposition: str
) -> tuple[list[str], list[dict[str, Any]]]:
    """What both sides say in nearly the same words, and up to three issues they both speak of."""
    pairs = sorted(
        ((overlap(stems(a), stems(b)), who, a, whom, b) for who, a in pro for whom, b in con),
        key=lambda pair: (-pair[0], pair[1:]),
    )
    shared = list(dict.fromkeys(a for share, _, a, _, _ in pairs if share >= _SAID))[:3]
    issues: list[dict[str, Any]] = []
    used: set[str] = set(shared)
    for share, who, a, whom, b in pairs:
        about = topic_of(f"{a} {b}", proposition)
        names = {issue["issue"] for issue in issues}
        if _NEAR <= share < _SAID and about and _the(about) not in names and not {a, b} & used:
            positions = [{"speakers": [who], "view": a}, {"speakers": [whom], "view": b}]
            issues.append({"issue": _the(about), "positions": positions})
            used |= {a, b}
        if len(issues) == 3:
            break
    return shared, issues


def _role(title: str) -> str:
    """A title inside a sentence."""
    return title.removeprefix("The ").removeprefix("the ")


def _the(about: str) -> str:
    """The topic as an object: themes are named as questions."""
    return about if about.startswith("the ") else f"the question of {about}"


__all__ = [
    "close_roundtable",
    "moderate_round",
    "recommend_from_roundtable",
    "roundtable_turn",
    "shorten_turn",
]
