"""How a sentence stands to the passage it cites, in figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from modules.citations.cues import (
    ABSOLUTES,
    DOUBTS,
    EXTREMES,
    HEDGES,
    Word,
    contraries,
    is_negation,
    missing,
    read,
    undone,
)

if TYPE_CHECKING:
    import numpy as np

NEAREST = 3
"""How many sentences of a passage are compared with a cited sentence by embedding."""

_SCOPE = 4  # words a negation reaches
_REACH = 4  # matched words on either side that may have changed places
_COPIED = 0.8  # share of words in order from which a sentence counts as copied
_DIGITS = 4  # beyond these a cosine depends on how a batch was padded


class Features(NamedTuple):
    """Figures over one sentence and one passage; shares are in [0, 1].

    The span is the stretch of one to three neighbouring sentences nearest to the sentence.
    """

    cosine: float
    """Cosine of the sentence and the span."""
    covered: float
    """Share of the sentence's content words found in the span."""
    covered_passage: float
    """The same for the whole passage."""
    worst_clause: float
    """The same for the clause of the sentence of which least is found in the passage."""
    inserted: float
    """Content words with nothing in their place in the span, over all content words."""
    replaced: float
    """Content words that stand where the span has others."""
    strange_numbers: float
    """Numbers the passage does not hold, 2 at most."""
    strange_names: float
    """Names the passage does not hold, 2 at most."""
    denied: float
    """Words that are denied in the sentence and not in the span, or the other way round."""
    negations: float
    """By how many the negations of sentence and span differ, 2 at most."""
    opposed: float
    """Words whose contrary stands in the span and that do not themselves, 2 at most."""
    absolute: float
    """Words for all, always, for sure that the span does not hold, 2 at most."""
    extreme: float
    """Words for very much that the span does not hold, 2 at most."""
    unhedged: float
    """Share of the span's hedges, beside matched words, that the sentence left out."""
    turned: float
    """Share of the matched words round which the order is turned: who does what to whom."""
    short: float
    """1 / content words of the sentence: how little there is to go by."""
    ordered: float
    """Share of the sentence's words that the span has in the same order: how far it is a copy."""
    run: float
    """The longest of its runs of words that the span holds, as a share of the sentence."""
    denials: float
    """Negations in the sentence, 2 at most."""
    doubted: float
    """Words that take back what they stand beside and that the span does not hold, 2 at most."""


class Compared(NamedTuple):
    """The features, and the span of the passage they were measured on."""

    features: Features
    span: str


def nearest(sentence: str, candidates: Sequence[str]) -> list[int]:
    """The places of the :data:`NEAREST` candidates that share most words, in their own order."""
    wanted = {word.stem for word in read(sentence) if word.content}
    shared = [len(wanted & {w.stem for w in read(c) if w.content}) for c in candidates]
    best = sorted(range(len(candidates)), key=lambda i: (-shared[i], i))[:NEAREST]
    return sorted(best)


def compare(
    sentence: str, passage: str, parts: Sequence[str], rows: Mapping[str, np.ndarray]
) -> Compared:
    """The best span of the passage and how the sentence stands to it.

    Args:
        sentence: The sentence without its markers.
        passage: The whole passage.
        parts: The passage's sentences, in order.
        rows: Unit vectors of the sentence and of its :func:`nearest` parts.
    """
    words = read(sentence)
    near = nearest(sentence, parts)
    spans = _spans(near, parts, rows)
    scored = []
    for span, row in spans:
        cosine = _cosine(rows[sentence], row)
        covered = _covered(words, {w.stem for w in read(span)})
        scored.append((cosine + covered, -len(span), cosine, covered, span))
    _, _, cosine, covered, span = max(scored)
    return Compared(_features(words, sentence, span, passage, (cosine, covered)), span)


def copied(sentence: str, passage: str, parts: Sequence[str]) -> Compared | None:
    """As :func:`compare` but for the cosine (1 is written for it), or None.

    None unless one sentence of the passage holds nearly all words of ``sentence`` in its order.
    """
    words = read(sentence)
    near = [parts[i] for i in nearest(sentence, parts)]
    held = [(_covered(words, {w.stem for w in read(part)}), -len(part), part) for part in near]
    covered, _, span = max(held)
    if covered < _COPIED or _in_order(words, read(span))[0] < _COPIED:
        return None
    return Compared(_features(words, sentence, span, passage, (1.0, covered)), span)


def _in_order(words: Sequence[Word], there: Sequence[Word]) -> tuple[float, float]:
    """Shares of the words that match in order: all, and the longest run."""
    one, other = [w.text for w in words], [w.text for w in there]
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    sizes = [block.size for block in matcher.get_matching_blocks()]
    return sum(sizes) / max(1, len(one)), max(sizes) / max(1, len(one))


def _spans(
    near: Sequence[int], parts: Sequence[str], rows: Mapping[str, np.ndarray]
) -> list[tuple[str, np.ndarray]]:
    """Runs of neighbours among the nearest; the mean of their vectors stands for a run."""
    found = []
    for first in range(len(near)):
        total = rows[parts[near[first]]]
        found.append((parts[near[first]], total))
        for last in range(first + 1, len(near)):
            if near[last] - near[first] != last - first:
                break
            total = total + rows[parts[near[last]]]
            found.append((" ".join(parts[i] for i in near[first : last + 1]), total))
    return found


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    """Never below 0, of a unit vector and any vector."""
    length = float((other @ other) ** 0.5) or 1.0
    return round(max(float(one @ other) / length, 0.0), _DIGITS)


def _features(
    words: Sequence[Word],
    sentence: str,
    span: str,
    passage: str,
    likeness: tuple[float, float],
) -> Features:
    there = read(span)
    content = [w for w in words if w.content]
    held = {w.stem for w in read(passage)}
    inserted, replaced = _changes(words, there)
    ordered, run = _in_order(words, there)
    strange_numbers, strange_names = missing(sentence, passage)
    beside = {w.text for w in there}
    return Features(
        cosine=likeness[0],
        covered=likeness[1],
        covered_passage=_covered(words, held),
        worst_clause=_worst_clause(content, held),
        inserted=inserted / max(1, len(content)),
        replaced=replaced / max(1, len(content)),
        strange_numbers=min(strange_numbers, 2),
        strange_names=min(strange_names, 2),
        denied=_denied(words, there),
        negations=min(abs(_negations(words) - _negations(_matched_part(words, there))), 2),
        opposed=_opposed(content, there),
        absolute=min(sum(w.text in ABSOLUTES and w.text not in beside for w in words), 2),
        extreme=min(sum(w.text in EXTREMES and w.text not in beside for w in words), 2),
        unhedged=_unhedged(words, there),
        turned=_turned(words, there),
        short=1 / max(1, len(content)),
        ordered=ordered,
        run=run,
        denials=min(_negations(words), 2),
        doubted=min(sum(w.text in DOUBTS and w.text not in beside for w in words), 2),
    )


def _covered(words: Sequence[Word], held: set[str]) -> float:
    wanted = {w.stem for w in words if w.content}
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _worst_clause(content: Sequence[Word], held: set[str]) -> float:
    """Clauses of fewer than three content words say too little by themselves."""
    clauses: dict[int, list[bool]] = {}
    for word in content:
        clauses.setdefault(word.clause, []).append(word.stem in held)
    shares = [sum(c) / len(c) for c in clauses.values() if len(c) >= 3]
    return min(shares, default=sum(map(sum, clauses.values())) / max(1, len(content)))


def _changes(words: Sequence[Word], there: Sequence[Word]) -> tuple[int, int]:
    """Content words of the sentence with nothing, and with other words, in their place."""
    one, other = [w.stem for w in words], [w.stem for w in there]
    held = set(other)
    inserted = replaced = 0
    for tag, start, end, a, b in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        new = sum(w.content and w.stem not in held for w in words[start:end])
        if tag == "replace":
            room = sum(w.content for w in there[a:b])
            replaced += min(new, room)
            inserted += max(0, new - room)
        elif tag == "delete":
            inserted += new
    return inserted, replaced


def _negations(words: Sequence[Word]) -> int:
    return sum(is_negation(w.text) for w in words)


def _matched_part(words: Sequence[Word], there: Sequence[Word]) -> Sequence[Word]:
    """The clauses of the span of which the sentence holds some content word."""
    wanted = {w.stem for w in words if w.content}
    clauses = {w.clause for w in there if w.content and w.stem in wanted}
    return [w for w in there if w.clause in clauses]


def _status(words: Sequence[Word]) -> dict[str, set[bool]]:
    """Stem of a content word -> whether it is denied, for each of its places."""
    found: dict[str, set[bool]] = {}
    for i, word in enumerate(words):
        if word.content and not is_negation(word.text):
            before = words[max(0, i - _SCOPE) : i]
            found.setdefault(word.stem, set()).add(_negations(before) % 2 == 1)
    return found


def _denied(words: Sequence[Word], there: Sequence[Word]) -> float:
    here, other = _status(words), _status(there)
    shared = [s for s in here if s in other]
    return sum(not here[s] & other[s] for s in shared) / len(shared) if shared else 0.0


def _opposed(content: Sequence[Word], there: Sequence[Word]) -> float:
    held, beside = {w.stem for w in there}, {w.text for w in there}
    found = sum(
        word.stem not in held and bool(contraries(word) & (held | beside)) for word in content
    )
    # "unlawful" against "lawful" is seen from the other side too.
    here = {w.text for w in content}
    found += sum(w.text not in here and bool(undone(w.text) & here) for w in there if w.content)
    return min(found, 2)


def _unhedged(words: Sequence[Word], there: Sequence[Word]) -> float:
    """A hedge counts where a content word within two places of it is in the sentence."""
    here = {w.text for w in words}
    wanted = {w.stem for w in words if w.content}
    kept = lost = 0
    for i, word in enumerate(there):
        if word.text not in HEDGES:
            continue
        around = [*there[max(0, i - 2) : i], *there[i + 1 : i + 3]]
        if any(w.content and w.stem in wanted for w in around):
            kept += word.text in here
            lost += word.text not in here
    return lost / (kept + lost) if kept + lost else 0.0


def _turned(words: Sequence[Word], there: Sequence[Word]) -> float:
    """A word is turned round where one before it comes behind it in the span, and one behind it
    before it: "A harms B" against "B harms A". A clause put first turns nothing round.
    """
    places: dict[str, list[int]] = {}
    for i, word in enumerate(there):
        if word.content:
            places.setdefault(word.stem, []).append(i)
    line = [places[w.stem][0] for w in words if w.content and len(places.get(w.stem, ())) == 1]
    turned = 0
    for i, place in enumerate(line):
        before, behind = line[max(0, i - _REACH) : i], line[i + 1 : i + 1 + _REACH]
        turned += any(p > place for p in before) and any(p < place for p in behind)
    return turned / len(line) if len(line) > 2 else 0.0


__all__ = ["NEAREST", "Compared", "Features", "compare", "copied", "nearest"]
