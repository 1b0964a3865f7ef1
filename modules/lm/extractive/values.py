"""Values and norms that a claim appeals to."""

from __future__ import annotations

from collections.abc import Sequence

from modules.lm.extractive.themes import THEMES, Theme
from modules.lm.extractive.words import overlap, stem, stems

_MOST = 3


def held(
    words: frozenset[str],
    themes: Sequence[Theme],
    values: str | Sequence[str],
    subject: frozenset[str] = frozenset(),
) -> list[str]:
    """The values behind a claim.

    Args:
        words: The claim's stems.
        themes: The themes it touches, most strongly first.
        values: ``any``: the themes' own values; ``none``: no value; a list: those among them that
            the claim appeals to by their words or their theme's, the strongest first.
        subject: Stems of the proposition, which any claim on it shares and no value follows from.
    """
    if values == "none":
        return []
    if values == "any":
        strong = [
            t.value
            for i, t in enumerate(themes[:_MOST])
            if i == 0 or overlap(words, stems(t.words))
        ]
        return list(dict.fromkeys(strong)) or ["common good"]
    scores = {value: _appeal(words - subject, value) for value in values}
    order = sorted(scores, key=lambda value: -scores[value])
    return [value for value in order if scores[value] > 0][:_MOST]


def _appeal(words: frozenset[str], value: str) -> int:
    """How many of the claim's words are the value's, or those of the themes it names."""
    own = stems(value) or frozenset({stem(value)})
    named = [t for t in THEMES if own & stems(f"{t.name} {t.value} {t.phrase} {t.words}")]
    return len(words & own.union(*(stems(t.words) for t in named)))


__all__ = ["held"]
