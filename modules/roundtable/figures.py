"""Figures over the citations of a whole roundtable."""

from __future__ import annotations

from collections.abc import Sequence

from modules.citations import balance
from signatures.table import TableTurn
from signatures.types import CitationFigures, Passage


def citation_figures(topic: str, turns: Sequence[TableTurn]) -> CitationFigures:
    """Figures over all turns; the balance is read from the quoted words."""
    cited = [c for t in turns for c in t.citations]
    claims = sum(t.claims for t in turns)
    quotes = {
        c.chunk_id: Passage(id=c.chunk_id, text=c.quote or c.title, source=c.source, title=c.title)
        for c in cited
    }
    return CitationFigures(
        precision=sum(c.verdict == "supported" for c in cited) / len(cited) if cited else None,
        recall=min(1.0, sum(t.held for t in turns) / claims) if claims else None,
        evidence_balance=balance(topic, list(quotes.values())),
    )


__all__ = ["citation_figures"]
