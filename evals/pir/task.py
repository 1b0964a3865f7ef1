"""A task of perspective-aware retrieval: queries, their roots and perspectives, documents, gold.

S3, section 2.2: each query is a root query with a perspective ("find a claim that opposes the
argument: ..."), and each root has several. Documents are kept as they are, in their order:
duplicates stay, and equal scores are ordered by index.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Literal

from pydantic import ConfigDict, Field

from signatures.errors import InputError
from signatures.types import Record, Text

Gold = Literal["clean", "aliased"]
"""``clean``: each query's own documents. ``aliased``: the first query of each root has those of all
queries of its root, as the released notebook computes it by sharing one list."""

Places = tuple[int, ...]

NAMED = 5
"""Faults spelled out in a refusal; the rest is counted."""


class Task(Record):
    """One task; all of ``queries``, ``roots``, ``perspectives``, ``labels``, ``gold`` run parallel.

    Args:
        name: As it appears in tables.
        documents: The texts, as given.
        queries: A root query with its perspective, as a user would write it.
        roots: The same without the perspective.
        perspectives: The perspective's own words.
        labels: The kind of perspective, such as ``support`` or ``left``.
        gold: The indices of the documents that answer each query, without repeats.
        document_labels: What is known of each document itself, such as its country; or nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    name: Text
    documents: tuple[str, ...] = Field(repr=False)
    queries: tuple[str, ...] = Field(repr=False)
    roots: tuple[str, ...] = Field(repr=False)
    perspectives: tuple[str, ...] = Field(repr=False)
    labels: tuple[str, ...] = Field(repr=False)
    gold: tuple[Places, ...] = Field(repr=False)
    document_labels: tuple[str | None, ...] = Field(default=(), repr=False)

    @property
    def by_difference(self) -> bool:
        """Whether a perspective's vector is query - root: AmbigQA's are no texts of their own."""
        return self.name == "ambigqa"

    @cached_property
    def root_names(self) -> tuple[str, ...]:
        """The distinct roots, in order of first appearance."""
        return tuple(dict.fromkeys(self.roots))

    @cached_property
    def root_places(self) -> Places:
        """For each query the place of its root in :attr:`root_names`."""
        places = {root: at for at, root in enumerate(self.root_names)}
        return tuple(places[root] for root in self.roots)

    @cached_property
    def root_gold(self) -> tuple[Places, ...]:
        """For each distinct root the documents of all its queries."""
        found: list[dict[int, None]] = [{} for _ in self.root_names]
        for place, own in zip(self.root_places, self.gold, strict=True):
            found[place] |= dict.fromkeys(own)
        return tuple(tuple(each) for each in found)

    @cached_property
    def single_roots(self) -> tuple[str, ...]:
        """Roots with one query: nothing can be compared there."""
        sizes = Counter(self.roots)
        return tuple(root for root in self.root_names if sizes[root] == 1)

    def gold_of(self, kind: Gold) -> tuple[Places, ...]:
        """The documents of each query by this reading."""
        if kind == "clean":
            return self.gold
        seen: set[int] = set()
        aliased: list[Places] = []
        for place, own in zip(self.root_places, self.gold, strict=True):
            aliased.append(own if place in seen else self.root_gold[place])
            seen.add(place)
        return tuple(aliased)


def checked(task: Task, source: str) -> Task:
    """The task, if it can be run.

    A root with a single query is allowed: :mod:`evals.pir.measures` says how it counts.

    Args:
        task: As read.
        source: Where from, for the message.

    Raises:
        InputError: It has no documents or queries, a part is too short or long, a gold index lies
            outside the corpus or is missing, or no root has two perspectives.
    """
    faults = _faults(task)
    if faults:
        more = f" and {len(faults) - NAMED} more" if len(faults) > NAMED else ""
        raise InputError(
            f"the task {task.name!r} of {source} cannot be used",
            got="; ".join(faults[:NAMED]) + more,
            remedy="mend the file",
        )
    return task


def _faults(task: Task) -> list[str]:
    if not task.documents:
        return ["the corpus is empty"]
    if not task.queries:
        return ["there are no queries"]
    lengths = {
        name: len(getattr(task, name)) for name in ("roots", "perspectives", "labels", "gold")
    }
    uneven = [f"{n} {name}" for name, n in lengths.items() if n != len(task.queries)]
    if uneven:
        return [f"{len(task.queries)} queries, but {', '.join(uneven)}"]
    if task.document_labels and len(task.document_labels) != len(task.documents):
        return [f"{len(task.documents)} documents, but {len(task.document_labels)} labels of them"]
    faults = [f"query {at} is blank" for at, query in enumerate(task.queries) if not query.strip()]
    for at, own in enumerate(task.gold):
        outside = [place for place in own if not 0 <= place < len(task.documents)]
        if outside:
            faults.append(
                f"query {at}: gold {outside[0]} of a corpus of {len(task.documents)} documents"
            )
        if not own:
            faults.append(f"query {at} has no gold document")
    if not faults and len(task.single_roots) == len(task.root_names):
        faults.append("every root query has one perspective alone: nothing can be compared")
    return faults


__all__ = ["Gold", "Places", "Task", "checked"]
