"""Train, validation and holdout, by question and without leakage.

What is about one subject belongs together: questions of one topic, or of one text up to case and
punctuation, never fall on two sides. The order of groups is a hash of the seed and the group, so
an item added or removed moves no other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from pydantic import Field, model_validator

from signatures.errors import InputError
from signatures.types import Record

LEAST = 2
"""Questions at the least in each part: with fewer there is no interval."""


class Shares(Record):
    """The parts' shares of the questions; the training set takes what the others leave."""

    val: float = Field(default=0.3, gt=0, lt=1)
    holdout: float = Field(default=0.3, gt=0, lt=1)

    @model_validator(mode="after")
    def _room(self) -> Shares:
        if self.val + self.holdout >= 1:
            raise ValueError("val and holdout leave nothing to train on")
        return self


class Split(Record):
    """Item ids of each part, and for each item the group it belongs to."""

    train: list[str]
    val: list[str]
    holdout: list[str]
    groups: dict[str, str]


def split(items: Sequence[Any], shares: Shares, seed: int) -> Split:
    """Divide the items.

    Args:
        items: Each with an ``id``, a ``text`` and perhaps a ``topic``.
        shares: How large the parts are, in items; groups are never cut.
        seed: Of the order of groups.

    Raises:
        InputError: Too few groups for three parts; the least is named.
    """
    groups: dict[str, list[str]] = {}
    for item in items:
        groups.setdefault(group_of(item), []).append(item.id)
    least = 3 * LEAST
    if len(groups) < least:
        raise InputError(
            f"the dataset has {len(groups)} questions on different subjects",
            expected=f"at least {least}: {LEAST} each to train on, to choose by and to hold out",
            remedy="raise dataset.limit, or bring more questions",
        )
    order = sorted(groups, key=lambda name: _hashed(seed, name))
    parts: dict[str, list[str]] = {}
    left = list(order)
    for part in ("holdout", "val"):
        wanted, taken = getattr(shares, part) * len(items), 0
        names: list[str] = []
        # Each part leaves enough groups for the parts after it.
        after = LEAST if part == "val" else 2 * LEAST
        while left and len(left) > after and (len(names) < LEAST or taken < wanted):
            names.append(left.pop(0))
            taken += len(groups[names[-1]])
        parts[part] = names
    parts["train"] = left
    place = {item.id: number for number, item in enumerate(items)}
    ids = {
        part: sorted((i for name in names for i in groups[name]), key=place.__getitem__)
        for part, names in parts.items()
    }
    return Split(**ids, groups={i: name for name, members in groups.items() for i in members})


def group_of(item: Any) -> str:
    """What an item belongs to: its topic, else its own words."""
    topic = getattr(item, "topic", None)
    return str(topic) if topic else " ".join(re.findall(r"\w+", item.text.casefold()))


def _hashed(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()


__all__ = ["LEAST", "Shares", "Split", "group_of", "split"]
