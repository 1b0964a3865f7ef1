"""Sentences with passages that do and do not bear them out, for measuring the citation check.

Nothing here comes from the check: its rules and word lists are its own. What is *supported* is a
sentence of the passage (copied, reworded by rule, or merged with its neighbour), or what a person
wrote as the claim that the passage argues. What is *unsupported* is such a sentence beside a
passage of another topic or of the other side of the same claim, or with one thing in it changed.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from bench import wording
from modules.text import sentences, words

SUPPORTED = ("copied", "reworded", "merged", "human claim", "human key point")
"""Kinds of pairs whose passage bears the sentence out."""

UNSUPPORTED = (
    "other topic", "other side", "other key point", "negated", "opposite word", "number", "name",
    "quantifier", "exaggerated", "roles swapped", "clause added",
    "human claim denied",
)  # fmt: skip
"""Kinds of pairs whose passage does not."""

_ENOUGH = 20  # documents for each pair of a kind: a number or a role to change is rare
_PASSAGE_WORDS = 170  # as long as a chunk of the index
_ALIKE = 0.6  # shared words from which another passage may say the same after all


class Pair(NamedTuple):
    """A sentence, the passage it cites, and what was done to bring them together."""

    kind: str
    sentence: str
    passage: str
    topic: str

    @property
    def supported(self) -> bool:
        """Whether the passage bears the sentence out."""
        return self.kind in SUPPORTED


class _Text(NamedTuple):
    """A document's passage, its usable sentences with the one that follows each, its claim."""

    topic: str
    side: str
    claim: str
    passage: str
    usable: list[tuple[str, str]]


def pairs(data: Path, wanted: Callable[[str], bool], per_kind: int, seed: int) -> list[Pair]:
    """At most ``per_kind`` pairs of each kind, on the topics that are ``wanted``."""
    rng = random.Random(seed)
    texts = [text for text in _texts(data, rng, wanted, _ENOUGH * per_kind) if wanted(text.topic)]
    rng.shuffle(texts)
    found = [*_within(texts, rng), *_between(texts, rng), *_key_points(data, wanted, rng)]
    by_kind: dict[str, list[Pair]] = defaultdict(list)
    for pair in found:
        if len(by_kind[pair.kind]) < per_kind:
            by_kind[pair.kind].append(pair)
    return [pair for kind in (*SUPPORTED, *UNSUPPORTED) for pair in by_kind[kind]]


def _texts(
    data: Path, rng: random.Random, wanted: Callable[[str], bool], enough: int
) -> list[_Text]:
    """Documents as texts: of all topics, or of as many wanted ones as have ``enough``."""
    path = data / "perspectrum" / "evidence_corpus_debatewise_procon.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    if enough < sum(wanted(row["claim"]) for row in rows):
        sizes = Counter(row["claim"] for row in rows if wanted(row["claim"]))
        order = random.Random(enough).sample(sorted(sizes), len(sizes))
        before = accumulate((sizes[topic] for topic in order), initial=0)
        few = {topic for topic, count in zip(order, before, strict=False) if count < enough}
        rows = [row for row in rows if row["claim"] in few]
    return [_text(row, rng) for row in rows]


def _text(row: dict[str, str], rng: random.Random) -> _Text:
    """A stretch of the document as long as a passage, from a place by chance."""
    every = sentences(row["text"].replace("[", "(").replace("]", ")"))
    start = rng.randrange(max(1, len(every) - 4))
    kept: list[str] = []
    for sentence in every[start:]:
        if kept and sum(len(s.split()) for s in [*kept, sentence]) > _PASSAGE_WORDS:
            break
        kept.append(sentence)
    usable = [
        (one, other)
        for one, other in zip(kept, [*kept[1:], ""], strict=True)
        if wording.usable(one)
    ]
    return _Text(row["claim"], row["stance"], row["perspective"], " ".join(kept), usable)


def _within(texts: Sequence[_Text], rng: random.Random) -> Iterable[Pair]:
    """Sentences of a text beside it: as they are, reworded, merged, and with a thing changed."""
    names = sorted({n for t in texts for s, _ in t.usable for n in wording.names(s)})
    changes: dict[str, Callable[[str], str | None]] = {
        "negated": lambda s: wording.negated(s, rng),
        "opposite word": lambda s: wording.opposed(s, rng),
        "number": lambda s: wording.renumbered(s, rng),
        "name": lambda s: wording.renamed(s, names, rng),
        "quantifier": lambda s: wording.strengthened(s, rng),
        "exaggerated": lambda s: wording.exaggerated(s, rng),
        "roles swapped": wording.swapped,
    }
    for text in texts:
        if not text.usable:
            continue
        sentence, following = rng.choice(text.usable)
        yield Pair("copied", wording.framed(sentence, rng), text.passage, text.topic)
        if reworded := wording.reworded(sentence, rng):
            yield Pair("reworded", reworded, text.passage, text.topic)
        if wording.usable(following):
            merged = wording.merged(sentence, following, rng)
            yield Pair("merged", merged, text.passage, text.topic)
        if wording.statement(text.claim) and len(text.passage.split()) > 30:
            yield Pair("human claim", text.claim, text.passage, text.topic)
            if denied := wording.negated(text.claim, rng):
                yield Pair("human claim denied", denied, text.passage, text.topic)
        for kind, change in changes.items():
            for one, _ in text.usable:
                # Half of them reworded too, so that being reworded tells nothing.
                base = (rng.random() < 0.5 and wording.reworded(one, rng)) or one
                changed = change(base)
                if changed is not None and changed.lower() not in text.passage.lower():
                    yield Pair(kind, changed, text.passage, text.topic)
                    break


def _between(texts: Sequence[_Text], rng: random.Random) -> Iterable[Pair]:
    """Sentences of one text beside another, and with a clause of another."""
    by_topic: dict[str, list[_Text]] = defaultdict(list)
    for text in texts:
        by_topic[text.topic].append(text)
    for text in texts:
        if not text.usable:
            continue
        sentence = rng.choice(text.usable)[0]
        human = rng.random() < 0.5 and wording.statement(text.claim)
        cited = text.claim if human else sentence
        far = rng.choice([t for t in rng.sample(texts, 5) if t.topic != text.topic])
        yield Pair("other topic", cited, far.passage, text.topic)
        near = [t for t in by_topic[text.topic] if t.side != text.side and _differ(cited, t)]
        if near:
            yield Pair("other side", cited, rng.choice(near).passage, text.topic)
        others = [t for t in by_topic[text.topic] if t.usable and t.passage != text.passage]
        if others:
            added = rng.choice(rng.choice(others).usable)[0]
            if _differ(added, text):
                grown = wording.merged(sentence, added, rng)
                yield Pair("clause added", grown, text.passage, text.topic)


def _differ(sentence: str, text: _Text) -> bool:
    wanted = set(words(sentence))
    return len(wanted & set(words(text.passage))) < _ALIKE * len(wanted)


def _key_points(data: Path, wanted: Callable[[str], bool], rng: random.Random) -> list[Pair]:
    """Arguments with key points that people matched to them, or found not to match."""
    found = []
    for part in ("dev", "train"):
        folder = data / "argkp"
        arguments = {r["arg_id"]: r for r in _rows(folder / f"arguments_{part}.csv")}
        points = {
            r["key_point_id"]: r["key_point"] for r in _rows(folder / f"key_points_{part}.csv")
        }
        for row in _rows(folder / f"labels_{part}.csv"):
            argument = arguments[row["arg_id"]]
            if wanted(argument["topic"]):
                kind = "human key point" if row["label"] == "1" else "other key point"
                point = points[row["key_point_id"]]
                found.append(Pair(kind, point, argument["argument"], argument["topic"]))
    rng.shuffle(found)
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


__all__ = ["SUPPORTED", "UNSUPPORTED", "Pair", "pairs"]
