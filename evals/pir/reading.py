"""Reading tasks: the demo file's format, Perspectrum's own files, and the published hub layout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.pir.task import Places, Task, checked
from signatures.errors import InputError

STANCES = {
    "SUPPORT": ("support", "Find a claim that supports the argument: {}"),
    "UNDERMINE": ("undermine", "Find a claim that opposes the argument: {}"),
}
GENERAL = ("general", "Find a claim relates to the argument: {}")
"""Perspectrum's templates as published, the third with its slip: text is part of the benchmark."""

WORDING = {
    "ambigqa": ("perspective", {}),
    "story": ("analogy", {"entities": "entity", "analogy": "analogy"}),
    "agnews": ("subtopic", {"relates to": "subtopic", "happened in": "location"}),
    "allsides": ("left", {"left": "left", "right": "right", "center": "center"}),
    "perspectrum": (
        "support",
        {"support": "support", "oppose": "undermine", "relates to": "general"},
    ),
    "exfever": (
        "NOT ENOUGH INFO",
        {"supports": "SUPPORT", "refutes": "REFUTE", "no information": "NOT ENOUGH INFO"},
    ),
}
"""Task -> its label unless a perspective's words say otherwise, and which words say what. The hub
files hold no labels; the published conversion reads them off the perspectives like this."""

HAPPENED = "happened in "


def demo(path: Path, names: Sequence[str] | None = None) -> list[Task]:
    """Tasks of a file in the demo's format: ``{task: {corpus, queries, source_queries, ...}}``.

    Args:
        path: The JSON file.
        names: Which tasks; None takes all, in the file's order.

    Raises:
        InputError: The file cannot be read, lacks a task that is wanted, or a task cannot be used.
    """
    held = _json(path)
    if not isinstance(held, dict) or not held:
        raise InputError(f"{path} holds no tasks", expected="a JSON object of tasks by name")
    wanted = list(held) if names is None else list(dict.fromkeys(names))
    missing = [name for name in wanted if name not in held]
    if missing:
        raise InputError(
            f"{path} has no task {missing[0]!r}",
            expected=f"of {', '.join(held)}",
            remedy="set dataset.tasks",
        )
    return [_demo_task(name, held[name], str(path)) for name in wanted]


def _demo_task(name: str, held: Any, source: str) -> Task:
    fields = ("corpus", "queries", "source_queries", "perspectives", "key_ref", "query_labels")
    if not isinstance(held, dict) or any(field not in held for field in fields):
        raise InputError(
            f"the task {name!r} of {source} cannot be used",
            expected=f"an object with {', '.join(fields)}",
        )
    texts = {field: _texts(held[field], f"{name}.{field}", source) for field in fields[:4]}
    labels = _texts(held["query_labels"], f"{name}.query_labels", source)
    task = Task(
        name=name,
        documents=texts["corpus"],
        queries=texts["queries"],
        roots=texts["source_queries"],
        perspectives=texts["perspectives"],
        labels=labels,
        gold=_references(held["key_ref"], len(texts["queries"]), name, source),
        document_labels=tuple(held.get("corpus_labels", ())),
    )
    return placed(checked(task, source))


def _references(held: Any, n_queries: int, name: str, source: str) -> tuple[Places, ...]:
    """``key_ref`` as a tuple: query number (text) -> one index, or a list of them."""
    refusal = f"key_ref of the task {name!r} of {source} cannot be used"
    if not isinstance(held, dict):
        raise InputError(refusal, expected="an object of lists of document indices")
    expected = [str(at) for at in range(n_queries)]
    odd = sorted(set(held) ^ set(expected))
    if odd:
        raise InputError(refusal, expected=f"the keys 0 to {n_queries - 1}", got=odd[0])
    found = []
    for key in expected:
        own = held[key] if isinstance(held[key], list) else [held[key]]
        if any(isinstance(at, bool) or not isinstance(at, int) for at in own):
            raise InputError(refusal, expected="whole numbers", got=f"query {key}: {own[:3]}")
        found.append(tuple(dict.fromkeys(own)))
    return tuple(found)


def perspectrum(folder: Path, split: str) -> Task:
    """The full PIR-Perspectrum task of a split, rebuilt from the data's own files.

    Claims by id; for each, a query per cluster of perspectives that mean the same, then one
    without stance. The test split's are 1,431 queries over 2,773 documents (S3, Table 1).

    Args:
        folder: Holds ``perspectrum_with_answers_v1.0.json``, ``perspective_pool_v1.0.json`` and
            ``dataset_split_v1.0.json``.
        split: ``train``, ``dev`` or ``test``.

    Raises:
        InputError: A file is missing or cannot be read, or no claim is of this split.
    """
    claims = _json(folder / "perspectrum_with_answers_v1.0.json")
    pool = {row["pId"]: row["text"] for row in _json(folder / "perspective_pool_v1.0.json")}
    splits = _json(folder / "dataset_split_v1.0.json")
    chosen = [claim for claim in claims if splits.get(str(claim["cId"])) == split]
    if not chosen:
        known = ", ".join(sorted(set(splits.values())))
        raise InputError(f"{folder} has no claims of the split {split!r}", expected=known)
    documents: list[str] = []
    rows: list[tuple[str, str, str, str, Places]] = []
    for claim in sorted(chosen, key=lambda claim: int(claim["cId"])):
        text = claim["text"]
        own: list[int] = []
        for cluster in claim["perspectives"]:
            label, template = STANCES[cluster["stance_label_3"]]
            places = tuple(range(len(documents), len(documents) + len(cluster["pids"])))
            documents += [pool[pid] for pid in cluster["pids"]]
            own += places
            rows.append(_row(text, label, template, places))
        rows.append(_row(text, *GENERAL, tuple(own)))
    queries, roots, perspectives, labels, gold = zip(*rows, strict=True)
    task = Task(
        name="perspectrum", documents=tuple(documents), queries=queries, roots=roots,
        perspectives=perspectives, labels=labels, gold=gold,
    )  # fmt: skip
    return checked(task, str(folder))


def _row(root: str, label: str, template: str, gold: Places) -> tuple[str, str, str, str, Places]:
    said = template.removeprefix("Find ").removesuffix(": {}")
    # The published perspectives say "that relates", the queries "relates".
    perspective = said.replace("claim relates", "claim that relates")
    return template.format(root), root, perspective, label, gold


def hub(folder: Path, name: str, split: str = "test") -> Task:
    """A task in the published layout: ``queries.jsonl``, ``corpus.jsonl``, ``qrels/SPLIT.jsonl``.

    Args:
        folder: The dataset's folder.
        name: The task, which says how labels are read off perspectives.
        split: Which relevance judgements; only queries that they name are taken.

    Raises:
        InputError: A file cannot be read, an id is there twice or unknown, or the task cannot
            be used.
    """
    documents = _by_id(folder / "corpus.jsonl")
    queries = _by_id(folder / "queries.jsonl")
    places = {key: at for at, key in enumerate(documents)}
    path = folder / "qrels" / f"{split}.jsonl"
    gold: dict[str, dict[int, None]] = {}
    for line, row in enumerate(lines(path), start=1):
        asked, found = str(row.get("query-id")), str(row.get("corpus-id"))
        if asked not in queries or found not in places:
            unknown = asked if asked not in queries else found
            raise InputError(f"line {line} of {path} names an unknown id", got=repr(unknown))
        if float(row.get("score", 1)) > 0:
            gold.setdefault(asked, {})[places[found]] = None
    kept = [key for key in queries if key in gold]
    about = [_meta(queries[key], key, folder) for key in kept]
    task = Task(
        name=name,
        documents=tuple(row["text"] for row in documents.values()),
        queries=tuple(queries[key]["text"] for key in kept),
        roots=tuple(root for root, _ in about),
        perspectives=tuple(perspective for _, perspective in about),
        labels=tuple(label_of(name, perspective) for _, perspective in about),
        gold=tuple(tuple(gold[key]) for key in kept),
    )
    return placed(checked(task, str(folder)))


def label_of(task: str, perspective: str) -> str:
    """The kind of a perspective, read off its words; the last rule that fits wins."""
    label, rules = WORDING.get(task, ("perspective", {}))
    for words, found in rules.items():
        if words in perspective:
            label = found
    return label


def placed(task: Task) -> Task:
    """The task with each document's country, where the queries that want it name one."""
    named: list[str | None] = [None] * len(task.documents)
    for perspective, label, own in zip(task.perspectives, task.labels, task.gold, strict=True):
        if label == "location" and HAPPENED in perspective:
            for at in own:
                named[at] = perspective.split(HAPPENED, 1)[1].strip()
    if not any(named) or task.document_labels:
        return task
    return task.model_copy(update={"document_labels": tuple(named)})


def _meta(row: Mapping[str, Any], key: str, folder: Path) -> tuple[str, str]:
    """A hub query's root and perspective: ``meta`` is an object, or one as text."""
    held = row.get("meta")
    try:
        meta: Any = json.loads(held) if isinstance(held, str) else held
        root, perspective = meta["src_query"], meta["perspective"]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"query {key!r} of {folder} cannot be used",
            expected="meta with src_query and perspective",
        ) from error
    return str(root), str(perspective)


def _by_id(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line, row in enumerate(lines(path), start=1):
        key = row.get("_id")
        if not isinstance(row.get("text"), str) or key is None:
            raise InputError(f"line {line} of {path} cannot be used", expected="_id and text")
        if str(key) in found:
            raise InputError(f"line {line} of {path} repeats the id {key!r}", remedy="mend it")
        found[str(key)] = row
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file.

    Raises:
        InputError: It cannot be read, or a line of it is no JSON object.
    """
    rows = []
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"line {number} of {path} is no JSON") from error
        if not isinstance(row, dict):
            raise InputError(f"line {number} of {path} is no JSON object")
        rows.append(row)
    return rows


def _json(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise InputError(f"{path} is no JSON", got=str(error)) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read",
            got=type(error).__name__,
            remedy="set dataset.path to what dataset=NAME expects",
        ) from error


def _texts(held: Any, what: str, source: str) -> tuple[str, ...]:
    if not isinstance(held, list) or any(not isinstance(text, str) for text in held):
        raise InputError(f"{what} of {source} cannot be used", expected="a list of texts")
    return tuple(held)


__all__ = ["demo", "hub", "label_of", "lines", "perspectrum", "placed"]
