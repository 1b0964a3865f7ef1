"""Discussions and ratings from files: every row of every file is taken, or refused with a reason.

Read are the thesis' logs, tables (:mod:`modules.discussion_tables`) and results of our own runs;
a folder is read with all below it. Annotations find their comment by its place in the discussion,
never by its text alone, since texts repeat.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from modules.discussion_files import AnnotatorFile, DiscussionFile, fault
from modules.discussion_logs import (
    AnnotationLog,
    DiscussionLog,
    annotator_of,
    discussion,
    ratings,
    silence,
    unlogged,
)
from modules.discussion_tables import SUFFIXES, Table, table
from signatures.errors import InputError
from signatures.moderation import Account, Annotation, Criterion, Discussion

RESULT = "result.json"
"""What a run leaves; all other files of its folder are made from it."""

_DISCUSSIONS = TypeAdapter(list[Discussion])
_ANNOTATIONS = TypeAdapter(list[Annotation])


@dataclass
class Imported:
    """Everything that was read, and what became of each file."""

    criteria: Mapping[str, Criterion]
    discussions: dict[str, Discussion] = field(default_factory=dict)
    annotations: list[Annotation] = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    _keys: set[tuple[str, str, str, str]] = field(default_factory=set)

    def held(self, found: Sequence[Discussion], source: str, rows: int, refused: int = 0,
             reason: str | None = None) -> None:  # fmt: skip
        """Take discussions; one whose id is there already is refused."""
        for one in found:
            if one.id in self.discussions:
                refused += len(one.turns)
                reason = f"the id {one.id} is {self.discussions[one.id].source}'s"
            else:
                self.discussions[one.id] = one
        self.accounts.append(
            Account(
                source=source, kind="discussion", rows=rows, taken=rows - refused,
                refused=refused, reason=reason,
            )
        )  # fmt: skip

    def rated(self, found: Sequence[Annotation], source: str, rows: int,
              reason: str | None = None) -> None:  # fmt: skip
        """Take annotations; those of one annotator who rated twice are told apart."""
        taken = [self._distinct(one) for one in found]
        self.annotations += taken
        rated = sum(one.outcome == "rated" for one in taken)
        self.accounts.append(
            Account(
                source=source, kind="annotation", rows=rows, taken=len(taken),
                refused=rows - len(taken), rated=rated, missing=len(taken) - rated, reason=reason,
            )
        )  # fmt: skip

    def skipped(self, source: str, reason: str) -> None:
        """Note a file that holds neither discussions nor ratings."""
        self.accounts.append(Account(source=source, kind="skipped", rows=0, taken=0, reason=reason))

    def _distinct(self, one: Annotation) -> Annotation:
        name, again = one.annotator, 1
        while (one.discussion_id, one.turn_id, name, one.criterion) in self._keys:
            again += 1
            name = f"{one.annotator} #{again}"
        self._keys.add((one.discussion_id, one.turn_id, name, one.criterion))
        return one if again == 1 else one.model_copy(update={"annotator": name})


def imported(path: Path, criteria: Mapping[str, Criterion]) -> Imported:
    """Everything at or below a path.

    Args:
        path: A file; a run's folder; or a folder of logs.
        criteria: The scales of ratings that the files bring along.

    Raises:
        InputError: There is nothing to read, or the one file that is named cannot be used.
    """
    files = _files(path)
    found = Imported(criteria)
    logs: list[tuple[Path, AnnotationLog]] = []
    for file in files:
        try:
            logs += _read(file, found)
        except (ValueError, InputError) as error:
            if path.is_file():
                raise InputError(f"{file} cannot be used", got=_first_line(error)) from error
            found.skipped(str(file), _first_line(error))
    for file, log in logs:
        _annotation_log(file, log, found)
    if not found.discussions:
        raise InputError(
            f"{path} holds no discussion",
            expected="logs in the thesis' JSON, .csv, Convokit-like .jsonl, or a discuss run",
            got=f"{len(files)} other files",
        )
    return found


def _files(path: Path) -> list[Path]:
    if (path / RESULT).is_file():
        return [path / RESULT]
    if path.is_file():
        return [path]
    wanted = {".json", *SUFFIXES}
    found = sorted(p for p in path.rglob("*") if p.suffix.lower() in wanted and p.is_file())
    if not found:
        what = "holds no .json, .jsonl or .csv file" if path.is_dir() else "does not exist"
        raise InputError(f"{path} {what}", expected="discussions, or a run of moot discuss")
    return found


def _read(file: Path, found: Imported) -> list[tuple[Path, AnnotationLog]]:
    """Take what a file holds; annotation logs wait until all discussions are known."""
    if file.suffix.lower() in SUFFIXES:
        _table(file, table(file, found.criteria), found)
        return []
    content: Any = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ValueError("no JSON object")
    if "conv_id" in content:
        return [(file, _checked(AnnotationLog, content))]
    if "discussions" in content:
        _result(file, content, found)
    elif "logs" in content:
        log = _checked(DiscussionLog, content)
        one = discussion(log, str(file), file.parent.name)
        found.held([one], str(file), len(log.logs))
    elif "context" in content or "attributes" in content:
        kind = DiscussionFile if "context" in content else AnnotatorFile
        _checked(kind, content)
        found.skipped(str(file), "a configuration: moot discuss and annotators.path read it")
    else:
        raise ValueError("neither a discussion nor ratings")
    return []


def _table(file: Path, read: Table, found: Imported) -> None:
    found.held(read.discussions, str(file), read.rows, read.refused, read.reason)
    if read.annotations:
        found.rated(read.annotations, str(file), len(read.annotations))


def _result(file: Path, content: dict[str, Any], found: Imported) -> None:
    held = _DISCUSSIONS.validate_python(content["discussions"])
    found.held(held, str(file), sum(len(d.turns) for d in held))
    rated = _ANNOTATIONS.validate_python(content.get("annotations", []))
    if rated:
        found.rated(rated, str(file), len(rated))


def _annotation_log(file: Path, log: AnnotationLog, found: Imported) -> None:
    """Take a log's ratings; a discussion without a log of its own is known by its texts alone."""
    if log.conv_id not in found.discussions:
        found.discussions[log.conv_id] = unlogged(log, str(file))
    places = _places(log, found.discussions[log.conv_id])
    kept = [row for row, place in zip(log.logs, places, strict=True) if place is not None]
    turns = [place for place in places if place is not None]
    rated = ratings(log.model_copy(update={"logs": kept}), annotator_of(log), turns, found.criteria)
    lost = len(places) - len(turns)
    reason = f"{lost} comments are not in the discussion's log" if lost else None
    found.rated(rated, str(file), len(log.logs), reason)


def _places(log: AnnotationLog, one: Discussion) -> list[str | None]:
    """For each row the turn it rates: the next one with the same text."""
    places: list[str | None] = []
    at = 0
    for text, _ in log.logs:
        match = next(
            (
                place
                for place in range(at, len(one.turns))
                if one.turns[place].text.strip() == text.strip()
                or (not one.turns[place].text and silence(text))
            ),
            None,
        )
        places.append(None if match is None else one.turns[match].id)
        at = at if match is None else match + 1
    return places


def _checked(kind: Any, content: dict[str, Any]) -> Any:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise ValueError(fault(error)) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


__all__ = ["Imported", "imported"]
