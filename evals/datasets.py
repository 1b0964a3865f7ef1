"""Datasets: what an evaluation runs over, as frozen specs that a yaml names.

A dataset is read whole and checked before anything is spent: rows that cannot be used are named
together, and nothing runs.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from modules.text import normalise
from signatures.errors import InputError
from signatures.types import Record, Text

NAMED = 5
"""Bad rows spelled out in a refusal; the rest is counted."""


class Item(Record):
    """One subject of an evaluation; ``id`` tells it apart within its dataset.

    ``topic`` is what it belongs to, where the dataset says: figures are also told by topic.
    """

    id: Text
    text: Text
    topic: str = ""


class Dataset(BaseModel, ABC):
    """Names a dataset. One of one's own subclasses this and is named in a yaml.

    Args:
        name: As it appears in tables.
        limit: The most items to take, from the first on; None takes all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    limit: int | None = Field(default=None, ge=1)

    @abstractmethod
    def items(self) -> list[Item]:
        """The items, at most ``limit``.

        Raises:
            InputError: It cannot be read, or rows of it cannot be used; they are named.
        """


class PropositionFile(Dataset):
    """Propositions from JSON Lines, or from a ``.json`` file that holds one list.

    Args:
        path: The file.
        field: The field of a row that holds the proposition.
        id_field: The field that holds its id; rows without it are numbered.
    """

    path: Path
    field: str = "proposition"
    id_field: str = "id"

    def items(self) -> list[Item]:
        rows = list(rows_of(self.path))
        found: dict[str, Item] = {}
        bad: list[str] = []
        texts: dict[str, str] = {}
        for place, row in rows:
            item = self._item(place, row)
            if isinstance(item, str):
                bad.append(f"{place}: {item}")
            elif item.id in found:
                bad.append(f"{place}: the id {item.id!r} is there twice")
            elif item.text.casefold() in texts:
                bad.append(f"{place}: the same text as {texts[item.text.casefold()]!r}")
            else:
                found[item.id] = item
                texts[item.text.casefold()] = item.id
        if bad or not found:
            raise rows_refused(self.path, bad, len(rows))
        return list(found.values())[: self.limit]

    def _item(self, place: str, row: Any) -> Item | str:
        """The row as an item, or what is wrong with it."""
        if not isinstance(row, dict):
            return "not a JSON object"
        text = row.get(self.field)
        if not isinstance(text, str):
            return f"no text in {self.field!r}"
        if not normalise(text):
            return f"{self.field!r} is empty"
        key = row.get(self.id_field, place.removeprefix("row "))
        if not isinstance(key, (str, int)) or isinstance(key, bool) or not str(key).strip():
            return f"{self.id_field!r} is neither text nor a number"
        topic = row.get("topic")
        return Item(
            id=str(key), text=normalise(text), topic=topic if isinstance(topic, str) else ""
        )


def digest(items: list[Item]) -> str:
    """A short hash over the items: equal for equal contents, wherever they were read from."""
    known = [item.model_dump(mode="json", exclude={"topic"}) for item in items]
    text = json.dumps([list(values.values()) for values in known], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def rows_of(path: Path) -> Iterator[tuple[str, Any]]:
    """Each row with its place, ``row 1`` on; a line that is no JSON is a row that is None.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the dataset {path} cannot be read",
            got=type(error).__name__,
            remedy="set dataset.path to a JSON Lines file in UTF-8",
        ) from error
    if path.suffix == ".json":
        yield from ((f"row {n}", row) for n, row in enumerate(_listed(path, text), start=1))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"row {number}", _parsed(line)


def _listed(path: Path, text: str) -> list[Any]:
    rows = _parsed(text)
    if not isinstance(rows, list):
        raise InputError(f"the dataset {path} cannot be read", expected="a JSON list of rows")
    return rows


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def rows_refused(path: Path, bad: list[str], total: int) -> InputError:
    """The refusal of a file with ``bad`` rows among ``total``, the first of them spelled out."""
    if not total:
        return InputError(f"the dataset {path} is empty", expected="at least one row")
    return InputError(
        f"{len(bad)} of {total} rows of {path} cannot be used",
        got=spelled_out(bad),
        remedy="mend or remove them",
    )


def spelled_out(bad: Sequence[str]) -> str:
    """The first of many faults, and how many more there are."""
    more = f" and {len(bad) - NAMED} more" if len(bad) > NAMED else ""
    return "; ".join(bad[:NAMED]) + more


__all__ = ["Dataset", "Item", "PropositionFile", "digest", "rows_of", "rows_refused", "spelled_out"]
