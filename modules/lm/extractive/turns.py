"""TeamTurn and CriticTurn: an answer to what was said, then something that was not said yet."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from modules.lm.extractive import phrases
from modules.lm.extractive.chance import Deck
from modules.lm.extractive.inputs import (
    Voice,
    is_critic,
    no_evidence,
    passages,
    side_of,
    transcript,
    voices,
)
from modules.lm.extractive.inputs import voice as read_voice
from modules.lm.extractive.prose import Casing, paragraph, unframed, word_count
from modules.lm.extractive.sentences import plain
from modules.lm.extractive.soundness import printable, tokens
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, best, merit, similar, statements, vouched
from modules.lm.extractive.topics import topic
from modules.lm.extractive.words import overlap, stems
from modules.text import sentences
from signatures.types import Evidence, TranscriptLine

_JITTER = 0.1
_SAID = 0.7  # share of a sentence's content that makes it said already


class _Floor(NamedTuple):
    """What a speaker has before it: the debate, and what of the evidence is still unsaid."""

    proposition: str
    lines: list[TranscriptLine]
    fresh: list[Statement]
    casing: Casing
    limit: int


def team_turn(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The persona's claim in its first turn, then new evidence on its side."""
    persona = read_voice(inputs["persona"])
    sign = side_of(inputs["goal"])
    floor = _floor(inputs, sign, sign, [persona], rng)
    opening = all(line.speaker not in (persona.title, persona.id) for line in floor.lines)
    claim = _claim(persona, inputs["evidence"])
    said = [claim] if opening and not _heard(claim, floor.lines) else []
    last = floor.lines[-1] if floor.lines else None
    if last is not None and last.speaker in (persona.title, persona.id):
        last = next((x for x in reversed(floor.lines) if x.speaker != last.speaker), None)
    to_critic = last is not None and is_critic(last)
    deck = phrases.ANSWER_CRITIC if to_critic else phrases.BUILD_ON_TEAMMATE
    relation = "none" if last is None else "oppose" if to_critic else "support"
    return {**_turn(floor, said, last, Deck(deck, rng), rng), "relation": relation,
            "satisfied": None}  # fmt: skip


def planner_turn(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The side's best evidence, then answers to the critic with evidence not heard yet."""
    sign = side_of(inputs["goal"])
    floor = _floor(inputs, sign, sign, [], rng)
    last = next((x for x in reversed(floor.lines) if is_critic(x)), None)
    answer = _turn(floor, [], last, Deck(phrases.ANSWER_CRITIC, rng), rng)
    return {**answer, "relation": "none" if last is None else "oppose", "satisfied": None}


def critic_turn(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The other side's best new evidence, set against the team turn it bears on most."""
    sign = -side_of(inputs["team_goal"])
    floor = _floor(inputs, sign, -sign, voices(inputs["opposing_voices"]), rng)
    target = _target(floor)
    answer = _turn(floor, [], target, Deck(phrases.ATTACK_TEAM, rng), rng)
    return {**answer, "relation": "none" if target is None else "oppose", "persuaded": None}


def _floor(
    inputs: Mapping[str, Any],
    sign: int,
    team_sign: int,
    speakers: Sequence[Voice],
    rng: random.Random,
) -> _Floor:
    proposition = inputs["proposition"]
    given = passages(inputs["evidence"])
    lines = transcript(inputs["transcript"])
    if not given and not speakers:
        raise no_evidence("neither a passage nor a claim to speak from")
    pool = statements(given, StanceReader(proposition), proposition)
    critic = [s for x in lines if is_critic(x) for s in sentences(unframed(x.text))]
    team = [s for x in lines if not is_critic(x) for s in sentences(unframed(x.text))]
    pool = vouched(pool, [v.claim for v in speakers], sign)
    pool = vouched(vouched(pool, team, team_sign), critic, -team_sign)
    said = [stems(s) for line in lines for s in sentences(line.text)]
    luck = {s.text: rng.uniform(0, _JITTER) for s in pool}
    subject = frozenset().union(*(stems(" ".join([v.claim, *v.values])) for v in speakers))
    fresh = [s for s in best(pool, sign) if all(overlap(s.stems, x) < _SAID for x in said)]
    fresh.sort(key=lambda s: -(merit(s, sign) + 0.5 * overlap(s.stems, subject) + luck[s.text]))
    casing = Casing([p.text for p in given] + [line.text for line in lines])
    return _Floor(proposition, lines, fresh, casing, inputs["word_limit"])


def _claim(persona: Voice, given: Sequence[Mapping[str, Any]]) -> Statement:
    """The persona's claim, with the number of the passage that holds it (0: none does)."""
    text = plain(persona.claim)
    number = 0
    for value in given:
        if text.rstrip(".") in plain(value["text"]):
            number = Evidence.model_validate(value).number
            break
    return Statement(text, number, "", 0, printable(text), stems=stems(text))


def _heard(claim: Statement, lines: Sequence[TranscriptLine]) -> bool:
    """Whether another speaker was quicker to say the same."""
    return any(overlap(claim.stems, stems(s)) > _SAID for x in lines for s in sentences(x.text))


def _target(floor: _Floor) -> TranscriptLine | None:
    """The team turn since the critic's last that the best unsaid evidence bears on most."""
    recent: list[TranscriptLine] = []
    for line in reversed(floor.lines):
        if is_critic(line):
            break
        recent.append(line)
    if not recent:
        return next((x for x in reversed(floor.lines) if not is_critic(x)), None)
    ammunition = floor.fresh[:3]
    return max(
        recent,
        key=lambda line: max((overlap(s.stems, stems(line.text)) for s in ammunition), default=0.0),
    )


def _turn(
    floor: _Floor,
    said: list[Statement],
    target: TranscriptLine | None,
    openings: Deck,
    rng: random.Random,
) -> dict[str, Any]:
    """Reference, claim and evidence as prose within the limit."""
    parts: list[str] = []
    if target is not None:
        about = topic(_core(target.text), floor.proposition)
        if about is not None:
            parts.append(_opening(openings, _the(about), floor))
    chosen = _within(floor, said, sum(map(word_count, parts)))
    if not chosen:
        return _spent(floor, target, rng)
    while len(parts) and word_count(" ".join(parts)) + _length(chosen) > floor.limit:
        parts.pop()
    joined = _joined(chosen, floor, Deck(phrases.ADDITIONS, rng))
    text = paragraph([*parts, *joined])
    if word_count(text) > floor.limit:
        text = paragraph([*parts, *(s.text for s in chosen)])
    return {
        "text": text,
        "replies_to": target.id if target is not None else None,
        "evidence_used": sorted({s.number for s in chosen if s.number}),
    }


def _opening(openings: Deck, about: str, floor: _Floor) -> str:
    """A reference to the answered turn in words that the debate has not heard."""
    heard = " ".join(line.text for line in floor.lines)
    drawn = [openings.draw().format(topic=about) for _ in range(len(openings))]
    return next((text for text in drawn if text not in heard), drawn[0])


def _core(text: str) -> str:
    """A turn without the sentences that talk about the debate itself."""
    talk = {"critic", "critic's", "teammate", "team", "team's"}
    kept = [s for s in sentences(text) if not talk & {w.lower() for w in tokens(s)}]
    return " ".join(kept)


def _the(about: str) -> str:
    """The topic as an object: themes are named as questions."""
    return about if about.startswith("the ") else f"the question of {about}"


def _length(chosen: Sequence[Statement]) -> int:
    return sum(word_count(s.text) for s in chosen)


def _within(floor: _Floor, said: list[Statement], used: int) -> list[Statement]:
    """The claim and up to two new sentences, no thought twice, as far as the limit allows."""
    chosen = [s for s in said if word_count(s.text) <= floor.limit]
    room = floor.limit - used - _length(chosen)
    for statement in floor.fresh:
        if len(chosen) >= len(said) + 2:
            break
        need = word_count(statement.text) + 5
        if need <= room and not similar(statement, chosen, limit=0.45):
            chosen.append(statement)
            room -= need
    if not chosen:
        short = [s for s in floor.fresh if word_count(s.text) <= floor.limit]
        chosen = short[:1]
    return chosen


def _joined(chosen: Sequence[Statement], floor: _Floor, deck: Deck) -> list[str]:
    """The sentences with a connector before the last of several."""
    parts = [s.text for s in chosen]
    if len(parts) > 1 and floor.casing.can_lower(parts[-1]):
        parts[-1] = deck.draw().format(s=floor.casing.lowered(parts[-1]))
    return parts


def _spent(floor: _Floor, target: TranscriptLine | None, rng: random.Random) -> dict[str, Any]:
    """The turn of a speaker whose evidence has all been said."""
    about = topic(_core(target.text), floor.proposition) if target is not None else None
    text = Deck(phrases.NOTHING_NEW, rng).draw()
    full = text.format(about=f" about {_the(about)}" if about else "")
    if word_count(full) > floor.limit:
        full = " ".join(text.format(about="").split()[: max(floor.limit, 1)])
    return {
        "text": full,
        "replies_to": target.id if target is not None else None,
        "evidence_used": [],
    }


__all__ = ["critic_turn", "planner_turn", "team_turn"]
