"""Rows: texts to score, from files and from results, and what is read from one.

A row is a JSON object. Its fields go by one of several names:

- what the text is about: ``proposition``, ``question``, ``input`` or ``topic``;
- one text: ``generation``, ``essay`` or ``answer``; several for one input: ``outputs``;
- what it rests on: ``passages[{id,text}]``; what it should say: ``reference``, or
  ``partial_answers[{point_of_view,explanation}]``;
- who wrote it: ``writer``, a model's identity; an essay's side: ``stance`` or ``goal``.

A field that is missing or cannot be used raises :class:`~signatures.errors.InputError`, which
makes the row a bad one: counted and named, never scored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from evals.contract import Row
from signatures.errors import InputError
from signatures.types import EssayStance, Passage

FILES = ("outputs.jsonl", "result.json")
"""What is read of a run's folder: an evaluation's texts, else an essay."""

SUBJECT = ("proposition", "question", "input", "topic")
TEXT = ("generation", "essay", "answer")


class Loaded(NamedTuple):
    """A row of a file; ``problem`` says why it is none, where ``row`` is None."""

    id: str
    row: dict[str, Any] | None
    problem: str = ""


def load(path: Path) -> list[Loaded]:
    """The rows of a ``.jsonl`` file, or of a ``.json`` file with one result or a list of rows.

    Of a folder of a run, its texts are read (:data:`FILES`). A row without an id is called after
    its line; a line that is no JSON object is a bad row.

    Raises:
        InputError: There is no such file, it is not text, or it holds no row at all.
    """
    if path.is_dir():
        path = next((path / name for name in FILES if (path / name).exists()), path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(
            f"{path} cannot be read", expected="a .jsonl file, or a result.json", got=why
        ) from error
    found = _whole(path, text) if path.suffix.lower() == ".json" else _lines(text)
    if not found:
        raise InputError(f"{path} holds no row", expected="one JSON object per line")
    return found


def subject(row: Row) -> str:
    """What the row's texts are about."""
    return _text(row, SUBJECT)


def text(row: Row) -> str:
    """The row's one text."""
    return _text(row, TEXT)


def outputs(row: Row, least: int = 2) -> list[str]:
    """The row's texts, at least ``least`` of them, none blank."""
    found = row.get("outputs")
    if found is None:
        raise InputError("the row has no outputs", expected="a list of texts")
    if not isinstance(found, list):
        raise InputError("outputs is no list", got=type(found).__name__)
    for number, value in enumerate(found, start=1):
        _usable(f"output {number}", value)
    if len(found) < least:
        raise InputError("too few outputs", expected=f"at least {least}", got=str(len(found)))
    return found


def texts(row: Row) -> list[str]:
    """All texts of the row: its outputs, or its one text."""
    return outputs(row, least=1) if "outputs" in row else [text(row)]


def goal(row: Row) -> EssayStance:
    """What the row's texts were to do with the proposition; S1 refutes, and so does a row that
    does not say.
    """
    value = row.get("stance", row.get("goal", "refute"))
    if value not in get_args(EssayStance):
        raise InputError(
            "the row's stance is unknown", expected="refute or support", got=repr(value)[:40]
        )
    side: EssayStance = value
    return side


def passages(row: Row) -> list[Passage]:
    """What the row's text rests on, in its order."""
    found = row.get("passages")
    if not isinstance(found, list) or not found:
        raise InputError("the row has no passages", expected="a list of {id, text}")
    return [_passage(number, value) for number, value in enumerate(found, start=1)]


def reference(row: Row) -> str | None:
    """What the row's text should say, or None where the row does not tell."""
    if row.get("reference") is not None:
        return _usable("reference", row["reference"])
    partial = row.get("partial_answers")
    if partial is None:
        return None
    try:
        said = [_usable("a partial answer", answer["explanation"]) for answer in partial]
    except (TypeError, KeyError):
        raise InputError(
            "partial_answers cannot be read", expected="a list of {point_of_view, explanation}"
        ) from None
    return "\n".join(said) or None


class PartialAnswer(NamedTuple):
    """One point of view on the row's question, and the case for it (S4)."""

    point_of_view: str
    explanation: str


def partial_answers(row: Row) -> list[PartialAnswer]:
    """What can be said on the row's question, at least one point of view."""
    found = row.get("partial_answers")
    if not isinstance(found, list) or not found:
        raise InputError(
            "the row has no partial_answers",
            expected="a list of {point_of_view, explanation}",
            remedy="give the dataset that has them, joined by id: dataset=debateqa",
        )
    answers = []
    for number, value in enumerate(found, start=1):
        if not isinstance(value, Mapping):
            raise InputError(f"partial answer {number} is no object")
        point, case = (
            _usable(f"{name} of partial answer {number}", value.get(name))
            for name in PartialAnswer._fields
        )
        answers.append(PartialAnswer(point, case))
    return answers


def cluster(row: Row, fallback: str) -> str:
    """What the row belongs to: rows on one subject are not independent of one another."""
    found = next((row[name] for name in SUBJECT if isinstance(row.get(name), str)), None)
    return fallback if found is None else " ".join(found.split())


def _whole(path: Path, text: str) -> list[Loaded]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path} is not valid JSON", got=str(error)) from error
    if isinstance(content, list):
        return [_loaded(f"row {n}", value) for n, value in enumerate(content, start=1)]
    return [_loaded(path.stem, content)]


def _lines(text: str) -> list[Loaded]:
    found = []
    # Not splitlines: JSON strings may hold U+2028 and its kin, which end no line of JSONL.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append(_loaded(f"line {number}", json.loads(line)))
        except (ValueError, RecursionError) as error:
            found.append(Loaded(f"line {number}", None, f"not valid JSON: {error}"))
    return found


def _loaded(name: str, content: Any) -> Loaded:
    if not isinstance(content, dict):
        return Loaded(name, None, f"no JSON object, but a {type(content).__name__}")
    row = dict(content)
    run = row.get("run")
    if isinstance(run, Mapping):  # the document of one of our flows
        row.setdefault("id", run.get("id"))
        models = run.get("models")
        row.setdefault("writer", models.get("writer") if isinstance(models, Mapping) else None)
    given = row.get("id")
    known = isinstance(given, (str, int)) and str(given).strip()
    return Loaded(str(given) if known else name, row)


def _text(row: Row, names: tuple[str, ...]) -> str:
    for name in names:
        if row.get(name) is not None:
            return _usable(name, row[name])
    raise InputError(f"the row has no {names[0]}", expected=f"one of {', '.join(names)}")


def _usable(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} is not a text", got=type(value).__name__)
    if not value.strip():
        raise InputError(f"{name} is blank")
    return value


def _passage(number: int, value: Any) -> Passage:
    if not isinstance(value, Mapping):
        raise InputError(f"passage {number} is no object", expected="{id, text}")
    name = str(value.get("id") or number)
    return Passage(
        id=name,
        text=_usable(f"the text of passage {number}", value.get("text")),
        source=str(value.get("source") or name),
        title=str(value.get("title") or ""),
    )


__all__ = [
    "Loaded",
    "PartialAnswer",
    "cluster",
    "goal",
    "load",
    "outputs",
    "partial_answers",
    "passages",
    "reference",
    "subject",
    "text",
    "texts",
]
