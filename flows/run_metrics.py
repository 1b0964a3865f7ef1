"""The metrics of one finished result, which go into it."""

from __future__ import annotations

from typing import TypeVar

from evals.contract import Tools
from flows.answer_config import AnswerConfig
from flows.config import DebateConfig, EssayConfig
from signatures.results import AnswerResult, DebateResult, EssayResult

R = TypeVar("R", AnswerResult, EssayResult, DebateResult)


def scored(result: R, settings: AnswerConfig | EssayConfig | DebateConfig, tools: Tools) -> R:
    """The result with its metrics; one that breaks is noted and has no value."""
    row = result.model_dump(mode="json")
    values: dict[str, float | None] = {}
    notes = list(result.notes)
    for name, metric in sorted(settings.metrics.items()):
        try:
            values[name] = metric.score(row, tools).value
        except Exception as error:  # a metric of the user's own must not cost finished work
            values[name] = None
            notes.append(f"the metric {name} failed: {type(error).__name__}: {error}")
    return result.model_copy(update={"metrics": values, "notes": notes})


__all__ = ["scored"]
