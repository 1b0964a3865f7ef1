"""Figures over the citations of one finished text.

Each reads the row of a result (``citations``, ``citation_figures``), computes nothing that
generation has not, and declares its range and direction.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from evals.contract import Metric, Score


class _Figure(Metric):
    """A figure the citation check has computed already, under one name."""

    figure: ClassVar[str]
    undefined: ClassVar[str]
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Literal["lower", "higher"]] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("citation_figures",)

    def score(self, row: dict[str, Any]) -> Score:
        value = row["citation_figures"][self.figure]
        if value is None:
            return Score(value=None, explanation=self.undefined)
        return Score(value=value, explanation=f"{self.name} {value:.2f}")


class CitationPrecision(_Figure):
    """Share of citations whose passage supports the sentence that cites it."""

    name: ClassVar[str] = "citation_precision"
    figure: ClassVar[str] = "precision"
    undefined: ClassVar[str] = "the text cites nothing"


class CitationRecall(_Figure):
    """Share of the text's sentences that carry a supported citation."""

    name: ClassVar[str] = "citation_recall"
    figure: ClassVar[str] = "recall"
    undefined: ClassVar[str] = "the text has no sentence"


class EvidenceBalance(_Figure):
    """How evenly the cited passages stand on both sides of the proposition."""

    name: ClassVar[str] = "evidence_balance"
    figure: ClassVar[str] = "evidence_balance"
    undefined: ClassVar[str] = "no cited passage takes a side"


__all__ = ["CitationPrecision", "CitationRecall", "EvidenceBalance"]
