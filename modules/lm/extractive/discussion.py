"""UserTurn, ModeratorTurn, AnnotateComment: comments from passages; no moderation, no rating."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modules.discussion_files import post_in
from modules.lm.extractive.inputs import no_evidence, passages
from modules.lm.extractive.stance import StanceReader
from modules.lm.extractive.statements import Statement, best, statements
from modules.lm.extractive.words import overlap, stems
from modules.text import sentences

_SAID = 0.7  # share of a sentence's content that makes it said already
_CHOICE = 8  # the best unsaid sentences, among which chance chooses
_SILENT = {"action": "silent", "text": ""}


def user_turn(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """A sentence or two of the passages on the user's side that nobody has said yet.

    A user keeps the side of its own comments in the history; at first it takes the one opposed to
    the last comment, or any. Where nothing is left to say it stays silent.
    """
    given = passages(inputs.get("evidence", ()))
    if not given:
        raise no_evidence("no passage to speak from")
    topic = post_in(inputs["context"])
    reader = StanceReader(topic)
    history: Sequence[Mapping[str, Any]] = inputs["history"]
    sign = _side(inputs["name"], history, reader, rng)
    said = [stems(s) for line in history for s in sentences(line["text"])]
    pool = best(statements(given, reader, topic, ranked=True), sign)
    fresh = [s for s in pool if all(overlap(s.stems, other) < _SAID for other in said)]
    if not fresh:
        return dict(_SILENT)
    return {"action": "comment", "text": " ".join(s.text for s in _chosen(fresh, rng))}


def moderator_turn(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """An abstention: whether to step in is a judgement."""
    return {"action": None, "text": "", "target": None, "ban_rounds": None}


def annotate_comment(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """An abstention on every criterion."""
    names = [scale["criterion"] for scale in inputs["criteria"]]
    return {"ratings": [{"criterion": name, "rating": None} for name in names]}


def _side(
    name: str, history: Sequence[Mapping[str, Any]], reader: StanceReader, rng: random.Random
) -> int:
    own = [line["text"] for line in history if line["author"] == name]
    others = [line["text"] for line in history if line["author"] != name]
    for text, sign in ((own[-1:], 1), (others[-1:], -1)):
        score = reader.score(text[0]) if text else 0.0
        if score:
            return sign if score > 0 else -sign
    return rng.choice((1, -1))


def _chosen(fresh: Sequence[Statement], rng: random.Random) -> list[Statement]:
    """One of the best, and now and then what stands near it in its passage."""
    first = rng.choice(list(fresh[:_CHOICE]))
    near = [s for s in fresh if s.number == first.number and s.place == first.place + 1]
    return [first, *near[:1]]


__all__ = ["annotate_comment", "moderator_turn", "user_turn"]
