"""What the engine answers a judge's calls: nothing. It abstains, and the caller counts it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

Answerer = Callable[[Mapping[str, Any], random.Random], dict[str, Any]]

_WHY = "the extractive baseline does not judge"


def _abstaining(verdict: str, *said: str) -> Answerer:
    """An answerer that leaves ``verdict`` null and says why in the other fields."""
    fields: dict[str, Any] = {**dict.fromkeys(said, _WHY), verdict: None}
    return lambda inputs, rng: fields


compare_pair = _abstaining("better", "explanation")
fill_form = _abstaining("rating", "explanation")
judge_acknowledgement = _abstaining("acknowledges", "explanation")
judge_comprehensiveness = _abstaining("comprehensive", "explanation")
judge_dispute = _abstaining("verdict", "explanation")
judge_citations = _abstaining("judgements")
list_views = _abstaining("views", "explanation")
mark_useful_passages = _abstaining("useful", "explanation")
rate_answer_relevance = _abstaining("answer_relevance", "explanation")
rate_context_recall = _abstaining(
    "completeness", "ground_truth_key_ideas", "system_response_key_ideas", "discussion"
)
rate_groundedness = _abstaining("groundedness", "system_response_claims", "discussion")
rate_quality = _abstaining("quality", "explanation")
rate_relevance = _abstaining("relevance", "explanation")
score_answer = _abstaining("score", "explanation")
write_steps = _abstaining("steps")

__all__ = [
    "compare_pair",
    "fill_form",
    "judge_acknowledgement",
    "judge_citations",
    "judge_comprehensiveness",
    "judge_dispute",
    "list_views",
    "mark_useful_passages",
    "rate_answer_relevance",
    "rate_context_recall",
    "rate_groundedness",
    "rate_quality",
    "rate_relevance",
    "score_answer",
    "write_steps",
]
