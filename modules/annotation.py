"""Annotators who rate a discussion's comments one by one (S2 section 3.2.2, algorithm 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modules.lm.ask import Ask
from modules.lm.once import once
from modules.stage import Stage
from signatures.discussion import AnnotateComment
from signatures.errors import ReplyError
from signatures.moderation import (
    Annotation,
    Annotator,
    Comment,
    Criterion,
    Discussion,
    DiscussionTurn,
    Rating,
    Scale,
)

ATTEMPTS = 2
"""A reply that cannot be used is asked for once more."""


class Annotate(Stage):
    """Every comment of a discussion rated by one annotator.

    The annotator sees ``window`` comments, the rated one included. A rating that is missing, no
    whole number or off its scale is asked for once more, then counted as failed; one the annotator
    declines to give (null) is counted as abstained. Neither becomes a number.

    Args:
        criteria: What is rated, by name.
    """

    def __init__(self, *, criteria: Mapping[str, Criterion]) -> None:
        super().__init__(criteria={name: criteria[name] for name in sorted(criteria)})
        self.ask = Ask(AnnotateComment, attempts=ATTEMPTS)

    def forward(self, *, discussion: Discussion, annotator: Annotator) -> list[Annotation]:
        """One annotation for each comment that was made and each criterion."""
        said = [turn for turn in discussion.turns if turn.text.strip()]
        found = []
        for place, turn in enumerate(said):
            before = said[max(0, place + 1 - annotator.window) : place]
            found += self.rated(discussion.id, turn, before, annotator)
        return found

    def rated(
        self,
        discussion: str,
        turn: DiscussionTurn,
        before: Sequence[DiscussionTurn],
        annotator: Annotator,
    ) -> list[Annotation]:
        """One comment's annotations by each criterion; ``before`` is what the annotator sees of
        the discussion.
        """
        criteria: dict[str, Criterion] = self.settings["criteria"]
        given: list[dict[str, Rating]] = [{}]
        problem = "no rating was given"

        def fault(reply: Any) -> str | None:
            given[0] = _by_criterion(reply.ratings)
            faults = (_fault(given[0].get(n), n, c) for n, c in criteria.items())
            return next((f for f in faults if f is not None), None)

        asked = {
            "attributes": annotator.attributes,
            "directions": annotator.instructions,
            "criteria": [_scale(name, c) for name, c in criteria.items()],
            "history": [_comment(t) for t in before],
            "comment": _comment(turn),
        }
        try:
            with once(asked):
                self.ask(**asked, check=fault)
        except ReplyError as error:
            problem = error.line()
        return [
            _annotation(discussion, turn, annotator, name, given[0].get(name), criterion, problem)
            for name, criterion in criteria.items()
        ]


def _annotation(
    discussion: str,
    turn: DiscussionTurn,
    annotator: Annotator,
    name: str,
    rating: Rating | None,
    criterion: Criterion,
    problem: str,
) -> Annotation:
    """What was rated; where nothing can be used, the reason instead."""
    failed = _fault(rating, name, criterion) is not None
    value = None if failed or rating is None else rating.rating
    return Annotation(
        discussion_id=discussion,
        turn_id=turn.id,
        annotator=annotator.name,
        criterion=name,
        value=value,
        outcome="failed" if failed else "abstained" if value is None else "rated",
        reason=problem if failed else "the annotator gave none" if value is None else None,
    )


def _by_criterion(ratings: Sequence[Rating]) -> dict[str, Rating]:
    """The ratings by the criterion they name, whatever its case; the first of each counts."""
    found: dict[str, Rating] = {}
    for rating in ratings:
        found.setdefault(rating.criterion.strip().casefold(), rating)
    return found


def _fault(rating: Rating | None, name: str, criterion: Criterion) -> str | None:
    if rating is None:
        return f"no rating for {name}"
    value = rating.rating
    if value is not None and not criterion.low <= value <= criterion.high:
        return f"{name}={value} is off the scale {criterion.low} to {criterion.high}"
    return None


def _scale(name: str, criterion: Criterion) -> Scale:
    return Scale(
        criterion=name,
        description=criterion.description,
        low=criterion.low,
        high=criterion.high,
        labels={str(value): label for value, label in sorted(criterion.labels.items())},
        examples=criterion.examples,
    )


def _comment(turn: DiscussionTurn) -> Comment:
    return Comment(author=turn.actor, text=turn.text)


__all__ = ["Annotate"]
