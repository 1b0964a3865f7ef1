"""Figures over the citations of one finished text.

Each reads a result's own ``citation_figures`` where it has them; for other texts with markers
``[n]`` and ``passages`` (the n-th passage is what ``[n]`` cites) the same check is made here.
"""

from __future__ import annotations

from typing import ClassVar

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.citations import CitationCheck
from modules.essay import CitationSettings
from signatures.types import CitationFigures, Draft, Essay


class _Figure(Metric):
    """A figure of the citation check, under one name."""

    figure: ClassVar[str]
    undefined: ClassVar[str]
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("citation_figures",)
    embeds: ClassVar[bool] = True

    def score(self, row: Row, tools: Tools) -> Score:
        given = row.get("citation_figures")
        figures = checked(row, tools).model_dump() if given is None else given
        value = figures[self.figure]
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


def checked(row: Row, tools: Tools) -> CitationFigures:
    """The figures of a text that nobody has checked yet, by the built-in check."""
    usual = CitationSettings()
    check = CitationCheck(tools.embed(), supported=usual.supported, weak=usual.weak)
    draft = Draft(text=rows.text(row), passages=rows.passages(row))
    essay: Essay = check(subject=rows.subject(row), draft=draft)
    return essay.figures


__all__ = ["CitationPrecision", "CitationRecall", "EvidenceBalance", "checked"]
