"""Which passages are about the proposition at all: retrieval always returns something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from modules.lm.extractive.wordlists import ANY_PROPOSITION
from modules.lm.extractive.words import Weights, stem, stems
from signatures.types import Evidence

_COMMON_STEMS = frozenset(map(stem, ANY_PROPOSITION))
_COMMON = 0.25  # what a word of many propositions counts against a word of this one
_SEEDS = 6  # passages taken to be on the subject when its company words are learned
_FAR = 0.45  # relevance below which a passage is off the subject


def relevance(passages: Sequence[Evidence], proposition: str, ranked: bool) -> dict[int, float]:
    """Passage number -> how much it is about the proposition, in [0, 1], 1 for the best.

    Half is the share of the proposition's words found in the passage, each weighted by how many
    leading passages use it; half is likeness to the passages that lead by this measure.
    ``ranked`` says that the order of the passages is the order of a search for the proposition.
    """
    subject = stems(proposition)
    texts = [stems(f"{p.title} {p.text}") for p in passages]
    weights = Weights(texts)
    lead = Counter(w for text in texts[:_SEEDS] for w in text & subject)
    weight = {w: (lead[w] + 1) * (_COMMON if w in _COMMON_STEMS else 1.0) for w in subject}
    cover = [sum(weight[w] for w in sorted(text & subject)) for text in texts]
    order = sorted(range(len(texts)), key=lambda i: (-cover[i], i))[:_SEEDS]
    like = [
        weights.cosine(text, _company([texts[k] for k in order if k != i], subject))
        for i, text in enumerate(texts)
    ]
    scores = [
        (_share(cover, i) + _share(like, i) + (0.3 * (1 - i / len(texts)) if ranked else 0.0))
        / (2.3 if ranked else 2.0)
        for i in range(len(texts))
    ]
    return {p.number: score for p, score in zip(passages, scores, strict=True)}


def _company(texts: Sequence[frozenset[str]], subject: frozenset[str]) -> frozenset[str]:
    """The subject and the words that at least two of the texts share."""
    counts = Counter(word for text in texts for word in text)
    return subject | {word for word, count in counts.items() if count > 1}


def _share(values: Sequence[float], i: int) -> float:
    top = max(values)
    return values[i] / top if top else 0.0


def near(passages: Sequence[Evidence], scores: dict[int, float], least: int) -> list[Evidence]:
    """The passages on the subject, or the ``least`` best where fewer are."""
    ranked = sorted(passages, key=lambda p: -scores[p.number])
    kept = {p.number for p in ranked if scores[p.number] >= _FAR}
    kept.update(p.number for p in ranked[:least])
    return [p for p in passages if p.number in kept]


__all__ = ["near", "relevance"]
