"""Scores in words: what a reflecting model is told about one text, so that it can mend the prompt.

Every line is read from what metrics explained or the row holds: the point of view that is missing,
the claim that nothing backs, the dispute that goes unmentioned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evals.contract import Metric, Row
from evals.optimizing.objective import Objective, Scored
from modules.text import shortened

MOST = 5
"""Sentences named of one kind."""

LONG = 240
"""Characters shown of a sentence."""


def feedback(
    objective: Objective, scored: Scored, rows: Sequence[Row], metrics: Mapping[str, Metric]
) -> str:
    """What to tell about one question's text, or its several texts."""
    if scored.problem is not None:
        return f"No text came about: {scored.problem}"
    lines = [_line(name, objective, scored, metrics[name]) for name in objective.norms]
    if objective.settings.feedback == "full":
        lines += dict.fromkeys(line for row in rows for line in _held(row))
    return "\n".join(line for line in lines if line)


def _line(name: str, objective: Objective, scored: Scored, metric: Metric) -> str:
    value = scored.values.get(name)
    better = "higher" if metric.direction == "higher" else "lower"
    full = objective.settings.feedback == "full"
    said = f": {scored.said[name]}" if full and scored.said.get(name) else ""
    if value is None:
        return f"{name} has no value{said}"
    return f"{name} is {value:.3g} ({better} is better){said}"


def _held(row: Row) -> list[str]:
    """What the row itself shows."""
    lines = (
        [f'It was searched for: "{shortened(str(row["query"]), LONG)}"'] if row.get("query") else []
    )
    if row.get("dispute_acknowledged") is False:
        lines.append("The text does not say that the question is disputed.")
    uncited = [str(sentence) for sentence in row.get("uncited") or ()]
    lines += [f'A claim without a citation: "{shortened(s, LONG)}"' for s in uncited[:MOST]]
    if len(uncited) > MOST:
        lines.append(f"{len(uncited) - MOST} more claims have no citation.")
    wrong = [c for c in row.get("citations") or () if _verdict(c) == "unsupported"]
    lines += [
        f'A citation that its source does not bear out: "{shortened(sentence, LONG)}"'
        for sentence in (str(c.get("sentence", "")) for c in wrong[:MOST])
    ]
    return [*lines, *(shortened(str(note), LONG) for note in row.get("notes") or ())]


def _verdict(citation: Any) -> str | None:
    return citation.get("verdict") if isinstance(citation, Mapping) else None


__all__ = ["feedback"]
