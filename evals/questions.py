"""Questions with partial answers (S4): our own, DebateQA's, and lists of perspectives.

A partial answer is a point of view on the question with the case for it. A file is read whole and
checked; rows that cannot be used are named together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from evals.datasets import Dataset, Item, rows_of, rows_refused
from evals.published import Published
from modules.text import normalise
from signatures.types import Record, Text


class PartialAnswer(Record):
    """One point of view on a question, and the case for it."""

    point_of_view: Text
    explanation: Text


class Question(Item):
    """A question; ``debatable`` is None where the dataset does not say."""

    debatable: bool | None = None
    partial_answers: list[PartialAnswer] = Field(default_factory=list)


class QuestionFile(Dataset):
    """Questions from JSON Lines, or from a ``.json`` file that holds one list.

    A partial answer may be a lone sentence, as in BERDS: it is then both the point of view and
    the case for it.

    Args:
        path: The file; None where it is ``published``.
        published: Where the file can be had, for use without a ``path``.
        field: The field of a row that holds the question.
        id_field: The field that holds its id, or several that make one up; rows without it are
            numbered.
        partial_field: The field that holds its partial answers.
        topic_field: The field that holds its topic, if there is one.
        debatable: What all its questions are; None: what a row says, if anything.
        only: Which of them to take.
    """

    path: Path | None = None
    published: Published | None = None
    field: str = "question"
    id_field: str | tuple[str, ...] = "id"
    partial_field: str = "partial_answers"
    topic_field: str = "topic"
    debatable: bool | None = None
    only: Literal["all", "debatable", "factual"] = "all"

    def items(self) -> list[Item]:
        path = self._file()
        rows = list(rows_of(path))
        found: dict[str, Question] = {}
        texts: dict[str, str] = {}
        bad: list[str] = []
        for place, row in rows:
            question = self._question(place, row)
            if isinstance(question, str):
                bad.append(f"{place}: {question}")
            elif question.id in found:
                bad.append(f"{place}: the id {question.id!r} is there twice")
            elif (key := question.text.casefold()) in texts:
                bad.append(f"{place}: the same text as {texts[key]!r}")
            else:
                found[question.id] = question
                texts[key] = question.id
        if bad or not found:
            raise rows_refused(path, bad, len(rows))
        wanted: list[Item] = [q for q in found.values() if self._wanted(q)]
        return wanted[: self.limit]

    def _file(self) -> Path:
        if self.path is not None:
            return self.path
        if self.published is not None:
            return self.published.path()
        raise rows_refused(Path("dataset.path"), ["no path is given"], 1)

    def _wanted(self, question: Question) -> bool:
        return self.only == "all" or question.debatable is (self.only == "debatable")

    def _question(self, place: str, row: Any) -> Question | str:
        """The row as a question, or what is wrong with it."""
        if not isinstance(row, dict):
            return "not a JSON object"
        text = row.get(self.field)
        if not isinstance(text, str):
            return f"no text in {self.field!r}"
        if not normalise(text):
            return f"{self.field!r} is empty"
        fields = [self.id_field] if isinstance(self.id_field, str) else self.id_field
        keys = [row[name] for name in fields if name in row] or [place.removeprefix("row ")]
        if not all(_names(k) for k in keys):
            return f"{', '.join(fields)} is neither text nor a number"
        debatable = row.get("debatable", self.debatable)
        if debatable is not None and not isinstance(debatable, bool):
            return "'debatable' is neither true nor false"
        partial = _partial(row.get(self.partial_field, []))
        if isinstance(partial, str):
            return f"{self.partial_field!r} {partial}"
        topic = row.get(self.topic_field)
        return Question(
            id="-".join(str(key).strip() for key in keys),
            text=normalise(text),
            topic=topic if isinstance(topic, str) else "",
            debatable=debatable,
            partial_answers=partial,
        )


def _names(value: Any) -> bool:
    """Whether it can be part of an id."""
    return (
        isinstance(value, (str, int)) and not isinstance(value, bool) and bool(str(value).strip())
    )


def _partial(value: Any) -> list[PartialAnswer] | str:
    """The partial answers of a row, or what is wrong with them."""
    if not isinstance(value, list):
        return "is no list"
    found: list[PartialAnswer] = []
    for number, one in enumerate(value, start=1):
        if isinstance(one, str):
            one = {"point_of_view": one, "explanation": one}
        if not isinstance(one, dict):
            return f"has at {number} neither a text nor an object"
        point, case = (_stripped(one.get(n)) for n in ("point_of_view", "explanation"))
        if not point or not case:
            return f"has at {number} no point_of_view or no explanation"
        answer = PartialAnswer(point_of_view=point, explanation=case)
        if answer.point_of_view in {known.point_of_view for known in found}:
            return f"has at {number} a point of view that is there already"
        found.append(answer)
    return found


def _stripped(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


__all__ = ["PartialAnswer", "Question", "QuestionFile"]
