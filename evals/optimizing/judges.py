"""Judges that can be tuned: metrics that ask an LM of a row, where people have said the answer.

A judge is known by its metric's name, and what it is shown is what the metric shows it. It is
asked once for each text, however many samples the metric takes: a demonstration or a lesson comes
from one reply.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evals.answer_judged import (
    Acknowledge,
    Comprehensiveness,
    DirectScore,
    GEval,
    NumPovs,
)
from evals.contract import Metric
from evals.dispute import DisputeAwareness, DisputeAwarenessZeroShot, DisputeDetected
from evals.diversity import OpinionDiversity
from evals.judged import PairwisePreference, Quality, Relevance
from evals.optimizing.rated_comments import ANNOTATION
from evals.rag import (
    VERDICTS,
    AnswerRelevance,
    CitationSupport,
    ContextPrecision,
    ContextRecall,
    Groundedness,
)
from modules.judging import SHARES
from modules.lm.adapter import signature_name
from signatures.errors import ConfigError

KNOWN: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Acknowledge(),
        AnswerRelevance(),
        CitationSupport(),
        Comprehensiveness(),
        ContextPrecision(),
        ContextRecall(),
        DirectScore(),
        DisputeAwareness(),
        DisputeAwarenessZeroShot(),
        GEval(samples=1),
        Groundedness(),
        NumPovs(),
        OpinionDiversity(),
        PairwisePreference(),
        Quality(),
        Relevance(),
    )
}
"""The judges of this project's metrics."""

WORDS: dict[str, Mapping[str, float]] = {
    "preference": {str(winner): share for winner, share in SHARES.items()},
    "citation_support": VERDICTS,
}
"""Labels in words, as figures."""


def judged(name: str, own: Mapping[str, Metric]) -> Metric:
    """The metric whose judge is called ``name``.

    Args:
        name: As in ``judge=name``.
        own: Metrics configured, among which a judge of one's own may be.

    Raises:
        ConfigError: There is none, or what it finds is no LM's judgement.
    """
    found = KNOWN.get(name, own.get(name))
    if found is not None and not found.evaluates and found.program() is not None:
        return found
    why = None if found is None else "it asks no LM for a judgement"
    if name == "g_eval_weighted" or (found is not None and found.evaluates):
        why = "its marks are an evaluator's, which has no prompt to tune; judge=g_eval has"
    raise ConfigError(
        f"the judge {name!r} cannot be tuned",
        expected=f"one of {', '.join(sorted([*KNOWN, ANNOTATION]))}",
        got=why,
    )


def without_judge(metric: Metric) -> Metric | None:
    """The metric of the same thing that asks no LM, where there is one."""
    if isinstance(metric, DisputeAwareness):
        return DisputeDetected()
    for option in ("by", "points"):
        if option in type(metric).model_fields:
            return metric.model_copy(update={option: "builtin"})
    return None


class Kind(NamedTuple):
    """What tells a judge from others inside a program: its type and what it asks."""

    type: type[Any]
    asks: tuple[str, ...]


def kind(program: Any) -> Kind:
    """The kind of a judge, or of any part of a program."""
    asks = (signature_name(predictor.signature) for _, predictor in program.named_predictors())
    return Kind(type(program), tuple(sorted(asks)))


__all__ = ["KNOWN", "WORDS", "Kind", "judged", "kind", "without_judge"]
