"""What retrievers favour when a query names no perspective (S3, sections 2.5 and A.10).

``stances``: of the relevant documents that root queries bring among the first k, the share of each
kind of perspective (S3, Table 3), beside what would be expected if each root's hits fell on its
relevant documents at random, and the share normalised by that.

``places``: for tasks whose documents have a label of their own, such as a country (S3, Figures 3,
5 and 6): how often root queries bring it, how often queries that ask for it find their document,
and how much of what they bring is from there.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from evals.pir.task import Task
from signatures.retrieval_results import PlaceBias, StanceBias

Ints = NDArray[np.int64]

NEUTRAL = ("general", "perspective")
"""Labels that name no side."""


def sides(task: Task) -> tuple[str, ...]:
    """The labels that can be favoured: at least two, or none."""
    found = tuple(label for label in dict.fromkeys(task.labels) if label not in NEUTRAL)
    return found if len(found) > 1 else ()


def stances(retriever: str, task: Task, best: Ints, k: int) -> list[StanceBias]:
    """One row for each side, empty where a task has none.

    Args:
        retriever: Its name in the table.
        task: The task.
        best: ``(n_roots, k or more)``: what each root query brings, best first.
        k: How many count.
    """
    labels = sides(task)
    if not labels:
        return []
    held = _sided(task, labels)
    hits, expected = Counter[str](), Counter[str]()
    for root, own in enumerate(held):
        brought = [own[at] for at in best[root, :k].tolist() if at in own]
        hits.update(brought)
        for label, many in Counter(own.values()).items():
            expected[label] += len(brought) * many / len(own)  # type: ignore[assignment]  # typeshed counts in whole numbers, Counter does not
    total = sum(hits.values())
    lifts = {label: hits[label] / expected[label] for label in labels if expected[label]}
    scale = sum(lifts.values())
    return [
        StanceBias(
            retriever=retriever,
            task=task.name,
            k=k,
            label=label,
            n_hits=hits[label],
            share=100 * hits[label] / total if total else None,
            expected=100 * expected[label] / total if total else None,
            normalized=100 * lifts[label] / scale if scale and label in lifts else None,
        )
        for label in labels
    ]


def _sided(task: Task, labels: tuple[str, ...]) -> list[dict[int, str]]:
    """For each root its relevant documents that answer a query with a side, and which."""
    held: list[dict[int, str]] = [{} for _ in task.root_names]
    for place, label, own in zip(task.root_places, task.labels, task.gold, strict=True):
        if label in labels:
            for at in own:
                held[place].setdefault(at, label)
    return held


def places(
    retriever: str, task: Task, roots: Ints, queries: Ints, found: Ints, k: int
) -> list[PlaceBias]:
    """One row for each label of documents, by name; empty where documents have none.

    Args:
        retriever: Its name in the table.
        task: The task.
        roots: ``(n_roots, k or more)``: what root queries bring.
        queries: ``(n_queries, k or more)``: what queries bring.
        found: ``(n_queries,)``: the place of each query's best gold document.
        k: How many count.
    """
    if not task.document_labels:
        return []
    own = np.asarray([label or "" for label in task.document_labels])
    asked: defaultdict[str, list[int]] = defaultdict(list)
    for at, gold in enumerate(task.gold):
        if task.labels[at] == "location":
            asked[str(own[gold[0]])].append(at)
    brought = Counter(own[roots[:, :k]].ravel().tolist())
    rows = []
    for label in sorted(set(own.tolist()) - {""}):
        wants = asked.get(label, [])
        from_there = own[queries[wants, :k]] == label if wants else None
        rows.append(
            PlaceBias(
                retriever=retriever,
                task=task.name,
                k=k,
                label=label,
                n_documents=int((own == label).sum()),
                brought_by_roots=brought[label],
                n_queries=len(wants),
                recall=100 * float((found[wants] < k).mean()) if wants else None,
                desired=None if from_there is None else 100 * float(from_there.mean()),
            )
        )
    return rows


__all__ = ["places", "sides", "stances"]
