"""Tasks built from the public sources of the benchmark (S3, section 2.2 and appendix A.2).

Each builder takes rows as the source publishes them and gives a task in which every root query
has at least two perspectives with gold documents of their own; rows that cannot give that are
left out. The published benchmark's own choices (sampling, GPT-4's entity stories) cannot be
repeated from the paper, so figures on rebuilt tasks are comparable with each other, not with S3's;
Perspectrum alone is rebuilt exactly (:func:`evals.pir.reading.perspectrum`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.pir.task import Places, Task, checked
from signatures.errors import InputError

Row = Mapping[str, Any]


class _Growing:
    """A task while it is built."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.documents: list[str] = []
        self.labels_of: list[str | None] = []
        self._rows: list[tuple[str, str, str, str, Places]] = []

    def document(self, text: str, label: str | None = None) -> int:
        """Add a document; returns its index."""
        self.documents.append(text)
        self.labels_of.append(label)
        return len(self.documents) - 1

    def ask(self, query: str, root: str, perspective: str, label: str, gold: Sequence[int]) -> None:
        """Add a query."""
        self._rows.append((query, root, perspective, label, tuple(gold)))

    def task(self) -> Task:
        """The task.

        Raises:
            InputError: No row of the source gave two perspectives on one root.
        """
        if not self._rows:
            raise InputError(
                f"no {self._name} task can be built",
                expected="rows that share a root query and differ in perspective",
            )
        queries, roots, perspectives, labels, gold = zip(*self._rows, strict=True)
        named = tuple(self.labels_of) if any(self.labels_of) else ()
        task = Task(
            name=self._name, documents=tuple(self.documents), queries=queries, roots=roots,
            perspectives=perspectives, labels=labels, gold=gold, document_labels=named,
        )  # fmt: skip
        return checked(task, "the source's rows")


def agnews(rows: Iterable[Row]) -> Task:
    """News by topic and place, from attributed synthetic news (AttrPrompt's AGNews).

    A root is an article. One query wants the same place and style on another topic, one the same
    topic and style from another place; each has one document.

    Args:
        rows: ``{text, location, subtopic, style}``.
    """
    held = [row for row in rows if all(row.get(key) for key in ("text", "location", "subtopic"))]
    growing = _Growing("agnews")
    places = [growing.document(str(row["text"]), str(row["location"])) for row in held]
    by_place, by_topic = defaultdict(list), defaultdict(list)
    for at, row in zip(places, held, strict=True):
        by_place[row.get("style"), row["location"]].append(at)
        by_topic[row.get("style"), row["subtopic"]].append(at)
    used: set[int] = set()
    for at, row in zip(places, held, strict=True):
        style = row.get("style")
        topic = _other(by_place[style, row["location"]], at, used, held, "subtopic")
        place = _other(by_topic[style, row["subtopic"]], at, used, held, "location")
        if at in used or topic is None or place is None:
            continue
        used |= {at, topic, place}
        root = str(row["text"])
        said = f"a news article relates to {held[topic]['subtopic']}"
        query = f"Find {said} and similar the following news: {root}"
        growing.ask(query, root, said, "subtopic", [topic])
        said = f"a news article happened in {held[place]['location']}"
        query = f"Find {said} and similar to the following news: {root}"
        growing.ask(query, root, said, "location", [place])
    return growing.task()


def _other(
    among: Sequence[int], at: int, used: set[int], rows: Sequence[Row], differs: str
) -> int | None:
    """The first unused row of these that differs from ``at`` in one attribute."""
    fits = (o for o in among if o not in used and rows[o][differs] != rows[at][differs])
    return next(fits, None)


_LIKENESS = (
    ("analogy", "is an analogy to", "target"),
    ("entity", "has similar entities with", "entity_story"),
)


def story(rows: Iterable[Row], most: int = 1000) -> Task:
    """Stories by analogy and by entities (StoryAnalogy).

    The pairs with the highest analogy and lowest entity scores (the difference decides; ties keep
    the source's order). S3 has GPT-4 write the stories with the same entities; they are read from
    ``entity_story``, and a row without one is left out.

    Args:
        rows: ``{source, target, analogy, entity, entity_story}``: two stories, their two scores
            as numbers, and a story with the first one's entities.
        most: How many pairs.
    """
    held = [row for row in rows if row.get("entity_story")]
    held.sort(key=lambda row: float(row["entity"]) - float(row["analogy"]))
    growing = _Growing("story")
    for row in held[:most]:
        root = str(row["source"])
        for label, verb, field in _LIKENESS:
            said = f"a story that {verb}"
            own = growing.document(str(row[field]))
            growing.ask(f"Find {said}: {root}", root, said, label, [own])
    return growing.task()


def ambigqa(rows: Iterable[Row]) -> Task:
    """Ambiguous questions by their readings (AmbigQA with evidence).

    A root is the question as asked, each reading a query. The perspective is the reading's words
    that the question lacks; operations that subtract use query - root (``by_difference``).

    Args:
        rows: ``{question, readings: [{question, evidence}]}``.
    """
    growing = _Growing("ambigqa")
    for row in rows:
        root = str(row["question"])
        readings = [one for one in row.get("readings", ()) if one.get("evidence")]
        if len({str(one["evidence"]) for one in readings}) < 2:
            continue
        for one in readings:
            query = str(one["question"])
            own = growing.document(str(one["evidence"]))
            growing.ask(query, root, added(root, query) or query, "perspective", [own])
    return growing.task()


def added(root: str, query: str) -> str:
    """The words of the query that the root lacks, in their order."""
    known = {word.strip("?.,").casefold() for word in root.split()}
    return " ".join(
        word.strip("?.,") for word in query.split() if word.strip("?.,").casefold() not in known
    )


_WINGS = {
    "left": "find a news article from the left wing on the topic: {}",
    "right": "find a news article from the right wing on the topic: {}",
    "center": "find a news article that is neutral on the topic: {}",
}


def allsides(rows: Iterable[Row], most: int = 2) -> Task:
    """News by political side (AllSides).

    For each topic with all three sides, as many articles of each, at most ``most``: the corpus is
    balanced, so that a share of hits shows a bias.

    Args:
        rows: ``{topic, bias, text}``, ``bias`` one of left, center, right, or 0, 1, 2.
        most: Articles of each side and topic.
    """
    names = {"0": "left", "1": "center", "2": "right"}
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        side = str(row["bias"]).casefold()
        found[str(row["topic"])][names.get(side, side)].append(str(row["text"]))
    growing = _Growing("allsides")
    for topic, sides in found.items():
        many = min(most, *(len(sides[side]) for side in _WINGS))
        for side, template in _WINGS.items():
            for text in sides[side][:many]:
                said = f"a news article biased towards: {side}"
                own = growing.document(text)
                growing.ask(template.format(topic), topic, said, side, [own])
    return growing.task()


_EVIDENCE = {
    "SUPPORT": "supports",
    "REFUTE": "refutes",
    "NOT ENOUGH INFO": "has no information about",
}


def exfever(rows: Iterable[Row]) -> Task:
    """Claims by what an explanation does to them (Ex-FEVER).

    A root is an explanation; claims that it supports, refutes or leaves open are the documents.
    Roots with claims of one kind alone are left out.

    Args:
        rows: ``{explanation, claim, label}``.
    """
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        label = str(row["label"]).upper().rstrip("S")
        if label in _EVIDENCE:
            found[str(row["explanation"])][label].append(str(row["claim"]))
    growing = _Growing("exfever")
    for root, kinds in found.items():
        if len(kinds) < 2:
            continue
        for label, verb in _EVIDENCE.items():
            said = f"a claim that this sentence {verb}"
            for claim in kinds.get(label, ()):
                own = growing.document(claim)
                growing.ask(f"Find {said}: {root}", root, said, label, [own])
    return growing.task()


BUILDERS: dict[str, Callable[[Iterable[Row]], Task]] = {
    "agnews": agnews,
    "allsides": allsides,
    "ambigqa": ambigqa,
    "exfever": exfever,
    "story": story,
}
"""Task -> how it is built."""


def save(tasks: Iterable[Task], path: Path) -> None:
    """Write tasks in the demo's format, for ``dataset=pir dataset.path=FILE``."""
    held = {
        task.name: {
            "corpus": task.documents,
            "queries": task.queries,
            "source_queries": task.roots,
            "perspectives": task.perspectives,
            "query_labels": task.labels,
            "key_ref": {str(at): own for at, own in enumerate(task.gold)},
            **({"corpus_labels": task.document_labels} if task.document_labels else {}),
        }
        for task in tasks
    }
    path.write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")


__all__ = ["BUILDERS", "added", "agnews", "allsides", "ambigqa", "exfever", "save", "story"]
