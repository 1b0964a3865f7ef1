"""Discussions from tables: CSV, and Convokit-like JSON Lines.

Each row is a comment, or one rating of a comment. Columns go by several names, see ``NAMES``;
``discussion`` and ``text`` are needed. Comments of a discussion stand in the order of their
timestamps where all have one that is a number, else in the file's.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from signatures.moderation import (
    Actor,
    ActorRole,
    Annotation,
    Conditions,
    Criterion,
    Discussion,
    DiscussionTurn,
)

SUFFIXES = (".csv", ".jsonl")

NAMES: dict[str, tuple[str, ...]] = {
    "discussion": ("discussion_id", "conversation_id", "conv_id", "root"),
    "text": ("text", "message", "comment"),
    "comment": ("comment_id", "utterance_id", "id"),
    "actor": ("actor", "speaker", "user"),
    "role": ("role",),
    "time": ("timestamp",),
    "topic": ("topic",),
    "policy": ("policy",),
    "moderated": ("moderated",),
    "annotator": ("annotator",),
    "criterion": ("criterion",),
    "value": ("rating", "value"),
}
"""What is read from a row -> the names it may go by, in a row or in its ``meta``."""

_TRUE, _FALSE = {"true", "1", "yes"}, {"false", "0", "no"}


class Table(NamedTuple):
    """A file's rows as discussions and annotations, and how many rows could not be used."""

    discussions: list[Discussion]
    annotations: list[Annotation]
    rows: int
    refused: int
    reason: str | None


class _Row(NamedTuple):
    number: int
    fields: dict[str, Any]


def table(file: Path, criteria: Mapping[str, Criterion]) -> Table:
    """The discussions of a table, and the ratings that its rows hold.

    Raises:
        ValueError: It is no table of this kind.
    """
    good, bad = [], []
    for number, raw in enumerate(_rows(file), start=1):
        fields = _fields(raw)
        lacking = [n for n in ("discussion", "text") if fields.get(n) is None]
        if lacking:
            bad.append(f"row {number} has no {NAMES[lacking[0]][0]}")
        else:
            good.append(_Row(number, fields))
    if not good:
        raise ValueError(bad[0] if bad else "no row")
    grouped: dict[str, list[_Row]] = defaultdict(list)
    for row in good:
        grouped[str(row.fields["discussion"])].append(row)
    discussions, ratings = [], []
    for id_, rows in grouped.items():
        one, found = _discussion(id_, rows, str(file), criteria)
        discussions.append(one)
        ratings += found
    reason = f"{bad[0]}" if bad else None
    return Table(discussions, ratings, len(good) + len(bad), len(bad), reason)


def _rows(file: Path) -> Iterable[Any]:
    if file.suffix.lower() == ".csv":
        try:
            with file.open(encoding="utf-8-sig", newline="") as lines:
                return list(csv.DictReader(lines))
        except csv.Error as error:
            raise ValueError(str(error)) from error
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                found.append(None)
    return found


def _fields(raw: Any) -> dict[str, Any]:
    """What a row says, under our names; an empty cell says nothing, an empty text is a text."""
    if not isinstance(raw, dict):
        return {}
    meta = raw.get("meta")
    known = {**(meta if isinstance(meta, dict) else {}), **raw}
    found = {}
    for name, aliases in NAMES.items():
        for alias in aliases:
            value = known.get(alias)
            if isinstance(value, dict):
                value = value.get("id")
            if value is not None and (value != "" or name == "text"):
                found[name] = value
                break
    return found


def _discussion(
    id_: str, rows: list[_Row], source: str, criteria: Mapping[str, Criterion]
) -> tuple[Discussion, list[Annotation]]:
    first = _ordered(rows)
    turns, places = [], {}
    for place, (key, row) in enumerate(first.items(), start=1):
        turn = _turn(f"t{place}", row.fields)
        turns.append(turn)
        places[key] = turn.id
    ratings = [
        _annotation(id_, places[_key(row)], row.fields, criteria)
        for row in rows
        if "annotator" in row.fields
    ]
    actors = {t.actor: t.role for t in turns if t.actor}
    held = Discussion(
        id=id_,
        context="",
        actors=[Actor(name=name, role=role or "user") for name, role in actors.items()],
        turns=turns,
        ended="imported",
        conditions=_conditions(rows, turns),
        source=source,
    )
    return held, ratings


def _ordered(rows: list[_Row]) -> dict[object, _Row]:
    """The first row of each comment, in the order the comments were made."""
    first: dict[object, _Row] = {}
    for row in rows:
        first.setdefault(_key(row), row)
    times = {key: _number(row.fields.get("time")) for key, row in first.items()}
    if any(time is None for time in times.values()):
        return first
    return dict(sorted(first.items(), key=lambda pair: (times[pair[0]] or 0.0, pair[1].number)))


def _key(row: _Row) -> object:
    """What tells a comment from others: its id; without one, every row is a comment."""
    return str(row.fields["comment"]) if "comment" in row.fields else row.number


def _turn(id_: str, fields: dict[str, Any]) -> DiscussionTurn:
    text = str(fields["text"])
    role = _role(fields)
    said = bool(text.strip())
    return DiscussionTurn(
        id=id_,
        round=1,
        actor=str(fields.get("actor", "")),
        role=role,
        action=("reply" if role == "moderator" else "comment") if said else "silent",
        text=text if said else "",
        reason=None if said else "the table has no text here",
    )


def _role(fields: dict[str, Any]) -> ActorRole | None:
    told = str(fields.get("role", "")).strip().casefold()
    if told in {"moderator", "mod", "facilitator"}:
        return "moderator"
    return "user" if told or fields.get("actor") is not None else None


def _conditions(rows: list[_Row], turns: list[DiscussionTurn]) -> Conditions:
    def said(name: str) -> str:
        return next((str(r.fields[name]) for r in rows if name in r.fields), "")

    told = said("moderated").strip().casefold()
    moderated = True if told in _TRUE else False if told in _FALSE else None
    if moderated is None and any("role" in r.fields for r in rows):
        moderated = any(t.role == "moderator" for t in turns)
    topic, policy = said("topic"), said("policy")
    pair = f"{topic}|{policy}" if topic else ""
    return Conditions(topic=topic, policy=policy, moderated=moderated, pair=pair)


def _annotation(
    discussion: str, turn: str, fields: dict[str, Any], criteria: Mapping[str, Criterion]
) -> Annotation:
    name = str(fields.get("criterion", sorted(criteria)[0])).strip().casefold()
    value, shown = _number(fields.get("value")), str(fields.get("value", ""))[:80]
    criterion = criteria.get(name)
    reason = None
    if value is None or value != int(value):
        reason = f"no whole number: {shown!r}"
    elif criterion is not None and not criterion.low <= value <= criterion.high:
        reason = f"off the scale {criterion.low} to {criterion.high}: {shown}"
    return Annotation(
        discussion_id=discussion,
        turn_id=turn,
        annotator=str(fields["annotator"]),
        criterion=name,
        value=None if reason is not None or value is None else int(value),
        outcome="rated" if reason is None else "failed",
        reason=reason,
    )


def _number(value: object) -> float | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None


__all__ = ["NAMES", "SUFFIXES", "Table", "table"]
