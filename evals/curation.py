"""What is done with a curated dataset as a whole: figures, topics, sheets, what annotators say."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from evals.agreement import fleiss_kappa
from modules.text import words
from modules.vectors import Embedder
from signatures.curation_results import (
    Agreement,
    CuratedQuestion,
    CurationFigures,
    VerifyResult,
)
from signatures.errors import InputError

TASKS = ("answers_the_question", "holds_what_the_documents_say")
"""What annotators decide on each partial answer (S4 section 3.3): 1 yes, 0 no."""

COLUMNS = ("key", "question", "point_of_view", "explanation", "sources", *TASKS, "remark")
ANNOTATORS = 3
REJECTIONS = 2
"""Annotators who must reject a partial answer, in one task, for it to go (S4 appendix A.4)."""

MOST_TOPICS = 8


def figures(kept: Sequence[CuratedQuestion], embedder: Embedder) -> CurationFigures:
    """Evidence quality and distributions of the questions that stay."""
    means = [m for q in kept if (m := mean_cosine(q)) is not None]
    return CurationFigures(
        cosine=fmean(means) if means else None,
        documents=_counted(len(q.documents) for q in kept),
        views=_counted(len(q.partial_answers) for q in kept),
        topics=dict(Counter(topics(kept, embedder)).most_common()),
    )


def mean_cosine(question: CuratedQuestion) -> float | None:
    """The mean cosine between the question and the chunks of its documents."""
    cosines = [value for document in question.documents for value in document.cosines]
    return fmean(cosines) if cosines else None


def topics(kept: Sequence[CuratedQuestion], embedder: Embedder) -> list[str]:
    """A topic for each question: its own where all have one, else a group named by its words.

    Groups are k-means clusters of the questions' vectors, about the square root of their number,
    started from questions far apart so that equal questions give equal groups. A group is named
    by the two words that tell it best from the others (share inside over share in all).
    """
    if all(q.topic for q in kept):
        return [q.topic for q in kept]
    vectors = np.asarray(embedder.encode([q.question for q in kept]), dtype=np.float64)
    labels = _clusters(vectors, min(MOST_TOPICS, max(1, round(len(kept) ** 0.5))))
    held = [set(words(q.question)) for q in kept]
    everywhere = Counter(word for each in held for word in each)
    names = {}
    for label in sorted(set(labels)):
        inside = Counter(w for each, own in zip(held, labels, strict=True) if own == label
                         for w in each)  # fmt: skip
        ranked = sorted(inside, key=lambda w: (-(inside[w] ** 2) / everywhere[w], w))
        names[label] = ", ".join(ranked[:2]) or "other"
    return [names[label] for label in labels]


def rows(kept: Sequence[CuratedQuestion]) -> list[dict[str, Any]]:
    """The dataset in DebateQA's form; each partial answer also says which sources it rests on."""
    found = []
    for question in kept:
        source = {d.number: d.source for d in question.documents}
        partial = [
            {
                "point_of_view": a.point_of_view,
                "explanation": a.explanation,
                "sources": [source[n] for n in a.documents],
            }
            for a in question.partial_answers
        ]
        found.append(
            {
                "id": question.id,
                "question": question.question,
                "debatable": True,
                "topic": question.topic,
                "partial_answers": partial,
            }
        )
    return found


def sheet(dataset: Sequence[Mapping[str, Any]]) -> str:
    """A CSV for one annotator: a row for each partial answer, decisions still to be filled in.

    A cell that a spreadsheet would take for a formula begins with an apostrophe.
    """
    made = io.StringIO()
    table = csv.writer(made)
    table.writerow(COLUMNS)
    for row in dataset:
        for number, answer in enumerate(row["partial_answers"], start=1):
            texts = (row["question"], answer["point_of_view"], answer["explanation"],
                     "; ".join(answer.get("sources", [])))  # fmt: skip
            table.writerow([f"{row['id']}#{number}", *map(_plain, texts), *[""] * len(TASKS), ""])
    return made.getvalue()


def verified(
    dataset: Sequence[Mapping[str, Any]], filled: Mapping[str, str], *, name: str
) -> tuple[list[dict[str, Any]], VerifyResult]:
    """The dataset without the partial answers that two annotators reject in one task.

    Questions keep their place even when they lose answers, as in S4; one that loses all goes.

    Args:
        dataset: The rows as they were handed out.
        filled: Annotator -> the sheet as it came back.
        name: What the result calls the file that is left.

    Raises:
        InputError: A sheet is not one of this dataset, or holds a decision that is none.
    """
    keys = [
        f"{row['id']}#{n}" for row in dataset for n in range(1, len(row["partial_answers"]) + 1)
    ]
    decided = {who: _decisions(who, text, set(keys)) for who, text in sorted(filled.items())}
    ratings = {
        task: {key: [own.get((key, task)) for own in decided.values()] for key in keys}
        for task in TASKS
    }
    removed = [
        key
        for key in keys
        if any(sum(v == 0 for v in ratings[task][key]) >= REJECTIONS for task in TASKS)
    ]
    unrated = [
        key for key in keys if any(sum(v is not None for v in ratings[t][key]) < 2 for t in TASKS)
    ]
    left = [_without(row, set(removed)) for row in dataset]
    final = [row for row in left if row["partial_answers"]]
    return final, VerifyResult(
        annotators=list(decided),
        agreement=[_agreement(task, list(ratings[task].values())) for task in TASKS],
        partial_answers=sum(len(row["partial_answers"]) for row in final),
        removed=removed,
        unrated=unrated,
        questions=len(final),
        without_answers=[str(row["id"]) for row in left if not row["partial_answers"]],
        dataset=name,
    )


def _agreement(task: str, items: Sequence[Sequence[int | None]]) -> Agreement:
    given = [value for ratings in items for value in ratings if value is not None]
    return Agreement(
        task=task,
        kappa=fleiss_kappa(items),
        items=sum(any(v is not None for v in ratings) for ratings in items),
        accepted=fmean(given) if given else None,
    )


def _decisions(who: str, text: str, known: set[str]) -> dict[tuple[str, str], int]:
    """(key, task) -> the decision, as far as one was made."""
    table = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    if not table.fieldnames or {"key", *TASKS} - set(table.fieldnames):
        raise InputError(
            f"the sheet {who} lacks columns", expected=", ".join(("key", *TASKS)),
            got=", ".join(table.fieldnames or []) or "an empty file",
        )  # fmt: skip
    found: dict[tuple[str, str], int] = {}
    for number, row in enumerate(table, start=2):
        key = (row["key"] or "").strip()
        if key not in known:
            raise InputError(f"the sheet {who}, line {number}: no such partial answer", got=key)
        for task in TASKS:
            value = (row[task] or "").strip()
            if value not in {"", "0", "1"}:
                raise InputError(
                    f"the sheet {who}, line {number}: {task} is no decision",
                    expected="1, 0, or nothing", got=value[:40],
                )  # fmt: skip
            if value:
                found[key, task] = int(value)
    return found


def _without(row: Mapping[str, Any], removed: set[str]) -> dict[str, Any]:
    kept = [
        answer
        for number, answer in enumerate(row["partial_answers"], start=1)
        if f"{row['id']}#{number}" not in removed
    ]
    return {**row, "partial_answers": kept}


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _counted(values: Any) -> dict[str, int]:
    counts = Counter(values)
    return {str(value): counts[value] for value in sorted(counts)}


def _clusters(vectors: np.ndarray, k: int) -> list[int]:
    """k-means by cosine, from the first vector and those farthest from what is there."""
    centres = [vectors[0]]
    while len(centres) < k:
        nearest = np.max(vectors @ np.array(centres).T, axis=1)
        centres.append(vectors[int(np.argmin(np.round(nearest, 6)))])
    found = np.array(centres)
    labels = np.zeros(len(vectors), dtype=int)
    for _ in range(50):
        new = np.argmax(np.round(vectors @ found.T, 6), axis=1)
        if (new == labels).all() and _ > 0:
            break
        labels = new
        for label in range(len(found)):
            own = vectors[labels == label]
            if len(own):
                mean = own.mean(axis=0)
                found[label] = mean / (np.linalg.norm(mean) or 1.0)
    return [int(label) for label in labels]


__all__ = [
    "ANNOTATORS",
    "COLUMNS",
    "TASKS",
    "figures",
    "mean_cosine",
    "rows",
    "sheet",
    "topics",
    "verified",
]
