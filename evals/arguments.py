"""Arguments on questions: each partial answer of a dataset of questions is one."""

from __future__ import annotations

from pydantic import Field

from evals.datasets import Item
from evals.questions import Question, QuestionFile
from signatures.types import Text


class Argument(Item):
    """An argument, ``text``, on ``subject``, what is being debated."""

    subject: Text


class ArgumentFile(QuestionFile):
    """The cases that partial answers make, one argument each; ``limit`` counts arguments.

    Arguments on one question belong together, whatever topic the question has: ``topic`` is the
    question's, else the question itself.

    Args:
        each: The most arguments on one question; None takes all.
    """

    each: int | None = Field(default=None, ge=1)

    def items(self) -> list[Item]:
        whole = self.model_copy(update={"limit": None})
        questions = [item for item in QuestionFile.items(whole) if isinstance(item, Question)]
        found: list[Item] = [
            Argument(
                id=f"{question.id}/{number}",
                text=partial.explanation,
                topic=question.topic or question.text,
                subject=question.text,
            )
            for question in questions
            for number, partial in enumerate(question.partial_answers[: self.each], start=1)
        ]
        return found[: self.limit]


__all__ = ["Argument", "ArgumentFile"]
