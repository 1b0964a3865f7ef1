"""Rows of a meta-evaluation: answers of models, and what people said of them.

A JSON Lines file holds two kinds of rows.

An answer: ``{id, model, generation}`` with, as far as they are there, ``question`` and
``partial_answers`` (else joined by id from ``dataset=``), ``disputed`` (a person's label 0 or 1, or
a list of several people's: the majority counts, a tie is none), ``scores`` (``{measure: value}``,
had elsewhere), ``length`` in tokens, and ``setting`` (``{temperature: 0.7}``, or ``{tokens: 200}``
for what length was asked for): rows with a setting belong to a sweep and to no table.

A preference: ``{id, first, second, preferred}``, two models and ``first``, ``second`` or ``tie``,
with ``annotator`` where there are several.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from evals import rows
from evals.rows import Loaded
from signatures.errors import InputError

OUTCOMES = {"first": 1.0, "tie": 0.5, "second": 0.0}


class Answer(NamedTuple):
    """One model's answer to one question.

    ``name`` tells it apart from all others, for messages and units.
    """

    name: str
    question: str
    model: str
    row: dict[str, Any]
    label: int | None
    length: float | None
    setting: tuple[str, float] | None
    scores: dict[str, float | None]


class Preference(NamedTuple):
    """One person's choice between two models' answers; ``share`` is the first one's of the win."""

    question: str
    annotator: str
    first: str
    second: str
    share: float


class Read(NamedTuple):
    """What a file holds; ``bad`` names rows that are neither."""

    answers: list[Answer]
    preferences: list[Preference]
    bad: list[str]


def read(loaded: Iterable[Loaded]) -> Read:
    """Answers and preferences; what is neither is named.

    Raises:
        InputError: There is no answer.
    """
    found = Read([], [], [])
    seen: set[tuple[str, str, tuple[str, float] | None]] = set()
    for one in loaded:
        if one.row is None:
            found.bad.append(f"{one.id}: {one.problem}")
            continue
        try:
            if "preferred" in one.row:
                found.preferences.append(_preference(one.id, one.row))
                continue
            answer = _answer(one.id, one.row)
        except InputError as error:
            found.bad.append(f"{one.id}: {error.line()}")
            continue
        place = (answer.question, answer.model, answer.setting)
        if place in seen:
            found.bad.append(f"{one.id}: a second answer of {answer.model}")
            continue
        seen.add(place)
        found.answers.append(answer)
    if not found.answers:
        raise InputError(
            "the file holds no answer",
            expected="rows of {id, model, generation}",
            got=found.bad[0] if found.bad else None,
        )
    return found


def _answer(name: str, row: dict[str, Any]) -> Answer:
    model = _named(row, "model")
    rows.text(row)
    setting = _setting(row.get("setting"))
    told = "" if setting is None else f" {setting[0]}={setting[1]:g}"
    return Answer(
        name=f"{name} {model}{told}",
        question=name,
        model=model,
        row=row,
        label=_label(row.get("disputed")),
        length=_number("length", row.get("length")),
        setting=setting,
        scores=_scores(row.get("scores")),
    )


def _preference(name: str, row: dict[str, Any]) -> Preference:
    first, second = _named(row, "first"), _named(row, "second")
    if first == second:
        raise InputError("a model is compared with itself", got=first)
    preferred = row["preferred"]
    if preferred not in OUTCOMES:
        raise InputError("preferred is unknown", expected=", ".join(OUTCOMES), got=repr(preferred))
    annotator = str(row.get("annotator", "annotator"))
    return Preference(name, annotator, first, second, OUTCOMES[preferred])


def _named(row: dict[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"the row has no {field}", expected="a model's name")
    return value


def _label(value: Any) -> int | None:
    """The majority of the labels given; None where none was given or as many say 0 as 1."""
    given = value if isinstance(value, list) else [] if value is None else [value]
    if any(one not in (0, 1) for one in given):
        raise InputError("disputed is no label", expected="0, 1 or a list of them", got=repr(value))
    ones = sum(given)
    return None if 2 * ones == len(given) else int(2 * ones > len(given))


def _setting(value: Any) -> tuple[str, float] | None:
    if value is None or value == {}:
        return None
    if isinstance(value, dict) and len(value) == 1:
        ((name, at),) = value.items()
        number = _number("setting", at)
        if number is not None:
            return str(name), number
    raise InputError("setting is no setting", expected="{name: number}", got=repr(value)[:80])


def _scores(value: Any) -> dict[str, float | None]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError("scores is no object", expected="{measure: value}")
    return {str(name): _number(f"score {name}", one) for name, one in value.items()}


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{name} is no number", got=repr(value)[:40])
    return float(value)


__all__ = ["Answer", "Preference", "Read", "read"]
