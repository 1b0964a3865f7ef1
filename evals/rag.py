"""Figures of an answer with the passages it was given: rows with ``passages[{id,text}]``.

Each can be had ``by=judge``, an LM asked with DSPy's own evaluator signatures where they serve
(:mod:`dspy.evaluate.auto_evaluation`), or ``by=builtin``, the check that citations get, without
any LM. The two are different measures of one thing: the explanation says which was used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import dspy

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.citations.judge import SupportJudge
from modules.citations.support import Support, SupportCheck
from modules.essay import CitationSettings
from modules.lm.ask import Ask
from modules.text import sentences, tokens
from signatures.errors import InputError
from signatures.judging import (
    MarkUsefulPassages,
    RateAnswerRelevance,
    RateContextRecall,
    RateGroundedness,
    WrittenText,
)
from signatures.types import Evidence, Passage

VERDICTS = {"supported": 1.0, "weak": 0.5, "unsupported": 0.0}
"""How far a sentence is borne out, as a figure."""


class _RagFigure(Metric):
    """One figure in [0, 1] with two ways to get it."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("question", "generation", "passages")
    embeds: ClassVar[bool] = True
    judges: ClassVar[bool] = True
    signature: ClassVar[Any]

    by: Literal["judge", "builtin"] = "judge"

    def program(self) -> Any:
        return Ask(self.signature) if self.by == "judge" else None

    def score(self, row: Row, tools: Tools) -> Score:
        if self.by == "builtin":
            found = self.built_in(row, tools)
            return found.model_copy(update={"explanation": f"built in: {found.explanation}"})
        return self.judged(row, tools.bind(self.program()))

    @abstractmethod
    def built_in(self, row: Row, tools: Tools) -> Score:
        """The figure without an LM."""

    @abstractmethod
    def judged(self, row: Row, ask: dspy.Module) -> Score:
        """The figure by the judge that ``ask`` asks."""


class Groundedness(_RagFigure):
    """Share of the answer's claims that its passages bear out.

    Built in: share of its sentences that one of the passages supports. An answer without a
    sentence has no value.
    """

    name: ClassVar[str] = "groundedness"
    signature: ClassVar[Any] = RateGroundedness

    def built_in(self, row: Row, tools: Tools) -> Score:
        return _supported_share(rows.text(row), rows.passages(row), tools)

    def judged(self, row: Row, ask: dspy.Module) -> Score:
        reply = ask(
            question=rows.subject(row),
            retrieved_context=_numbered(rows.passages(row)),
            system_response=WrittenText(text=rows.text(row)),
            check=lambda r: _outside(r.groundedness),
        )
        return Score(value=reply.groundedness, explanation=reply.discussion)


class AnswerRelevance(_RagFigure):
    """How much of the answer addresses the question; it reads no passages.

    Built in: the cosine of answer and question, 0 where it is negative.
    """

    name: ClassVar[str] = "answer_relevance"
    fields: ClassVar[tuple[str, ...]] = ("question", "generation")
    signature: ClassVar[Any] = RateAnswerRelevance

    def built_in(self, row: Row, tools: Tools) -> Score:
        one, two = tools.embed().encode([rows.subject(row), rows.text(row)])
        value = min(max(float(one @ two), 0.0), 1.0)
        return Score(value=value, explanation=f"cosine of answer and question {value:.2f}")

    def judged(self, row: Row, ask: dspy.Module) -> Score:
        reply = ask(
            question=rows.subject(row),
            answer=WrittenText(text=rows.text(row)),
            check=lambda r: _outside(r.answer_relevance),
        )
        return Score(value=reply.answer_relevance, explanation=reply.explanation)


class ContextPrecision(_RagFigure):
    """Whether the passages that help stand first: average precision over their ranks.

    A passage helps to arrive at the row's reference or, where it has none, at the answer itself.
    With no helpful passage the value is 0. Built in: a passage helps if it supports a sentence.
    """

    name: ClassVar[str] = "context_precision"
    signature: ClassVar[Any] = MarkUsefulPassages

    def built_in(self, row: Row, tools: Tools) -> Score:
        found = rows.passages(row)
        said = _claims(_wanted(row))
        if not said:
            return Score(value=None, explanation="nothing to support: no sentence")
        useful = {n for n, held in enumerate(_support(said, found, tools), start=1) if any(held)}
        return _ranked(useful, len(found), row)

    def judged(self, row: Row, ask: dspy.Module) -> Score:
        found = rows.passages(row)
        reply = ask(
            question=rows.subject(row),
            answer=WrittenText(text=_wanted(row)),
            passages=_numbered(found),
        )
        if reply.useful is None:
            return Score(value=None, explanation=reply.explanation)
        score = _ranked(set(reply.useful), len(found), row)
        said = f"{score.explanation}: {reply.explanation}"
        return score.model_copy(update={"explanation": said})


class ContextRecall(_RagFigure):
    """Share of the reference that the passages hold; a row without a reference is a bad one.

    Built in: share of its sentences that one of the passages supports.
    """

    name: ClassVar[str] = "context_recall"
    fields: ClassVar[tuple[str, ...]] = ("question", "reference", "passages")
    signature: ClassVar[Any] = RateContextRecall

    def built_in(self, row: Row, tools: Tools) -> Score:
        return _supported_share(_reference(row), rows.passages(row), tools)

    def judged(self, row: Row, ask: dspy.Module) -> Score:
        reply = ask(
            question=rows.subject(row),
            ground_truth=WrittenText(text=_reference(row)),
            system_response=_numbered(rows.passages(row)),
            check=lambda r: _outside(r.completeness),
        )
        return Score(value=reply.completeness, explanation=reply.discussion)


class CitationSupport(_RagFigure):
    """Whether a passage bears out a sentence that cites it: 1, 0.5 (weak) or 0.

    It asks what ``citations.by=judge`` asks, and is built in what ``by=built_in`` is.
    """

    name: ClassVar[str] = "citation_support"
    fields: ClassVar[tuple[str, ...]] = ("sentence", "passage")

    def program(self) -> Any:
        return SupportJudge() if self.by == "judge" else None

    def built_in(self, row: Row, tools: Tools) -> Score:
        (found,) = _check(tools)([_cited(row)])
        return _as_figure(found)

    def judged(self, row: Row, ask: dspy.Module) -> Score:
        (found,) = ask(pairs=[_cited(row)])
        if found is None:
            return Score(value=None, explanation="the judge abstained")
        return _as_figure(found)


def _as_figure(found: Support) -> Score:
    return Score(value=VERDICTS[found.verdict], explanation=f"{found.verdict}: {found.quote}")


def _cited(row: Row) -> tuple[str, str]:
    sentence, passage = row.get("sentence"), row.get("passage")
    if not (isinstance(sentence, str) and isinstance(passage, str) and sentence.strip()):
        raise InputError("the row cites nothing", expected="sentence and passage, two texts")
    return sentence, passage


def _check(tools: Tools) -> SupportCheck:
    usual = CitationSettings()
    return SupportCheck(tools.embed(), supported=usual.supported, weak=usual.weak)


def _reference(row: Row) -> str:
    found = rows.reference(row)
    if found is None:
        raise InputError("the row has no reference", expected="reference or partial_answers")
    return found


def _wanted(row: Row) -> str:
    """What the passages should lead to."""
    return rows.reference(row) or rows.text(row)


def _numbered(passages: Sequence[Passage]) -> list[Evidence]:
    return [Evidence(number=n, title=p.title, text=p.text) for n, p in enumerate(passages, 1)]


def _outside(value: float | None) -> str | None:
    return None if value is None or 0 <= value <= 1 else f"{value} where 0 to 1 was wanted"


def _claims(text: str) -> list[str]:
    return [sentence for sentence in sentences(text) if tokens(sentence)]


def _support(said: Sequence[str], passages: Sequence[Passage], tools: Tools) -> list[list[bool]]:
    """For each passage, and within it for each sentence, whether it supports the sentence."""
    found = iter(
        _check(tools)([(sentence, passage.text) for passage in passages for sentence in said])
    )
    return [[next(found).verdict == "supported" for _ in said] for _ in passages]


def _supported_share(text: str, passages: Sequence[Passage], tools: Tools) -> Score:
    said = _claims(text)
    if not said:
        return Score(value=None, explanation="no sentence to support")
    held = [any(verdicts) for verdicts in zip(*_support(said, passages, tools), strict=True)]
    missing = next((f': "{s}"' for s, h in zip(said, held, strict=True) if not h), "")
    said_of = f"{sum(held)} of {len(held)} sentences supported"
    without = f"; the first without{missing}" if missing else ""
    return Score(value=sum(held) / len(held), explanation=said_of + without)


def _ranked(useful: set[int], n_passages: int, row: Row) -> Score:
    """Average precision of the passages that help, by their ranks from 1."""
    ranks = sorted(rank for rank in useful if 1 <= rank <= n_passages)
    to = "the reference" if rows.reference(row) else "the answer"
    said = f"{len(ranks)} of {n_passages} passages help with {to}, at ranks {ranks}"
    value = sum(i / rank for i, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0.0
    return Score(value=value, explanation=said)


__all__ = [
    "VERDICTS",
    "AnswerRelevance",
    "CitationSupport",
    "ContextPrecision",
    "ContextRecall",
    "Groundedness",
]
