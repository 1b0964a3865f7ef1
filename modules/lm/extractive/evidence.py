"""Queries for arguments, evidence put to them, and sentences put in the place of unsupported ones.

The argument's words stay as they are: markers go behind sentences that a passage repeats, and
sentences of passages are put beside those they share most words with.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.extractive.inputs import passages
from modules.lm.extractive.prose import cite
from modules.lm.extractive.sentences import defang
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, statements
from modules.lm.extractive.wordlists import FUNCTION_WORDS, PRONOUNS
from modules.lm.extractive.words import overlap, stem, stems
from modules.text import sentences, tokens
from signatures.evidence import UnsupportedSentence

_QUERY_WORDS = 12
_TOPIC_WORDS = 5
_REPEATED = 0.8  # share of a sentence's stems from which a statement says the same
_ADDED = 2  # sentences put to one argument
_RELATED = 2  # stems that a sentence put to another shares with it


def write_search_query(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """Words of the topic, then words of the argument, in their order."""
    found: dict[str, str] = {}
    for text, limit in ((inputs["topic"], _TOPIC_WORDS), (inputs["argument"]["text"], 99)):
        fresh = [w for w in tokens(text) if w not in FUNCTION_WORDS | PRONOUNS and len(w) > 2]
        for word in fresh[:limit]:
            found.setdefault(stem(word), word)
    words = list(found.values())[:_QUERY_WORDS]
    return {"query": " ".join(words) or inputs["topic"]}


def cite_argument(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The argument with markers, and with at most two sentences of passages beside its own."""
    topic, argument = inputs["topic"], inputs["argument"]["text"]
    reader = StanceReader(topic)
    side = reader.score(argument)
    pool = [s for s in statements(passages(inputs["evidence"]), reader, topic) if s.standalone]
    usable = [s for s in pool if s.side * side >= 0]
    blocks = []
    used: set[int] = set()
    for block in argument.split("\n\n"):
        lines: list[str] = []
        for sentence in sentences(block):
            lines += _backed(sentence, pool, usable, used)
        blocks.append(" ".join(lines))
    return {"text": "\n\n".join(block for block in blocks if block)}


def _backed(
    sentence: str, pool: Sequence[Statement], usable: Sequence[Statement], used: set[int]
) -> list[str]:
    """The sentence with a marker, or followed by a statement of its own side, or alone.

    ``used`` holds the places of statements that were put beside sentences already.
    """
    wanted = stems(sentence)
    repeating = [s for s in pool if len(wanted & s.stems) >= _REPEATED * len(wanted) > 0]
    if repeating:
        closest = max(repeating, key=lambda s: (len(wanted & s.stems), -s.number))
        return [cite(sentence, closest.number)]
    if len(used) >= _ADDED:
        return [sentence]
    shared = [(len(wanted & s.stems), overlap(wanted, s.stems), -i) for i, s in enumerate(usable)]
    fresh = [entry for entry in shared if entry[0] >= _RELATED and -entry[2] not in used]
    if not fresh:
        return [sentence]
    place = -max(fresh)[2]
    used.add(place)
    return [sentence, cite(usable[place].text, usable[place].number)]


def repair_citations(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """For each sentence what a passage of its own does say, or the sentence without a marker."""
    items = [UnsupportedSentence.model_validate(value) for value in inputs["sentences"]]
    return {"repaired": [{"number": i.number, "text": _mended(i)} for i in items]}


def _mended(item: UnsupportedSentence) -> str:
    bare = " ".join(defang(item.sentence).replace(" .", ".").split())
    wanted, before = stems(bare), stems(item.before)
    pool = [s for s in statements(item.passages, _NoReader(), bare) if s.standalone]
    # What the sentence before has said is not said again.
    pool = [s for s in pool if overlap(s.stems, before) < _REPEATED]
    fitting = [s for s in pool if len(wanted & s.stems) >= _RELATED]
    if not fitting:
        return bare
    closest = max(fitting, key=lambda s: (len(wanted & s.stems), -s.number, -s.place))
    return cite(closest.text, closest.number)


class _NoReader:
    """Sides are not asked for."""

    def score(self, text: str) -> float:
        return 0.0


__all__ = ["cite_argument", "repair_citations", "write_search_query"]
