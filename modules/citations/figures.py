"""Figures and lists over the citations of one text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from modules.lm.extractive.stance import StanceReader
from modules.markup import one_line
from signatures.types import Citation, Passage

SIDE_MARGIN = 0.05
"""A passage whose stance score is nearer to 0 than this counts for neither side."""


def references(citations: Sequence[Citation]) -> list[str]:
    """One line per marker: ``[n] title (source)``."""
    rows = {c.marker: f"[{c.marker}] {one_line(c.title)} ({one_line(c.source)})" for c in citations}
    return [rows[n] for n in sorted(rows)]


def balance(subject: str, passages: Sequence[Passage]) -> float | None:
    """Normalised entropy of the cited passages over the two sides; None if neither is seen."""
    scores = StanceReader(subject).scores([p.text for p in passages])
    n_for = sum(s > SIDE_MARGIN for s in scores)
    n_against = sum(s < -SIDE_MARGIN for s in scores)
    total = n_for + n_against
    if total == 0:
        return None
    shares = [n / total for n in (n_for, n_against) if n]
    return abs(sum(p * math.log2(p) for p in shares))


def share(part: int, whole: int) -> float | None:
    """``part`` of ``whole``; None where there is no whole."""
    return part / whole if whole else None


__all__ = ["balance", "references", "share"]
