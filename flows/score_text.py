"""A score for people: the figure, the rows that did worst, and those without a value."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import TextWrapper

from modules.markup import one_line
from signatures.results import ScoredItem, ScoreResult

SHOWN = 5
"""Rows of a kind that are listed; all of them are in the JSON."""

WIDTH = 100

_BELOW = TextWrapper(
    WIDTH, initial_indent=" " * 10, subsequent_indent=" " * 10, max_lines=4, placeholder=" …"
)


def score_text(result: ScoreResult) -> list[str]:
    """The lines of a score, without what all flows end with."""
    low, high = ("unbounded" if end is None else f"{end:g}" for end in result.range)
    options = "".join(f", {name}={value}" for name, value in sorted(result.options.items()))
    lines = [
        f"{result.metric}{options}: {_value(result)}",
        f"{result.direction} is better, from {low} to {high}; {_over(result)}",
        f"{result.n_scored} scored, {result.n_abstained} abstained, {result.n_failed} failed "
        f"of {len(result.items)} rows in {one_line(result.file)}",
    ]
    kinds: dict[str, list[ScoredItem]] = {"worst": _worst(result)}
    for status in ("abstained", "failed"):
        kinds[status] = [item for item in result.items if item.status == status]
    for title, items in kinds.items():
        lines += _listed(title, items)
    return lines


def _value(result: ScoreResult) -> str:
    if result.value is None:
        return "no value"
    ends = "" if result.ci is None else f" [{result.ci[0]:.2f}, {result.ci[1]:.2f}]"
    return f"{result.value:.2f}{ends}"


def _over(result: ScoreResult) -> str:
    if result.level == "corpus":
        return "one figure over all rows, interval by resampling what they are about"
    return "mean over scored rows, interval clustered by what they are about"


def _worst(result: ScoreResult) -> list[ScoredItem]:
    """Scored rows from the worst on, where there is a difference to see."""
    scored = [(item.value, item) for item in result.items if item.value is not None]
    sign = -1 if result.direction == "lower" else 1
    return [item for _, item in sorted(scored, key=lambda pair: sign * pair[0])]


def _listed(title: str, items: Sequence[ScoredItem]) -> list[str]:
    if not items:
        return []
    more = f" ({SHOWN} of {len(items)})" if len(items) > SHOWN else ""
    return ["", f"{title}{more}:", *(_line(item) for item in items[:SHOWN])]


def _line(item: ScoredItem) -> str:
    value = "       -" if item.value is None else f"{item.value:8.2f}"
    head, why = f"{value}  {one_line(item.id)}", one_line(item.explanation)
    if len(head) + 2 + len(why) <= WIDTH:
        return f"{head}  {why}"
    # What a text lacks is the point of some metrics: it is shown below, and not cut after a word.
    return "\n".join([head, *_BELOW.wrap(why)])


__all__ = ["score_text"]
