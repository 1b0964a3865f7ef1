"""The files of discussions and their ratings: datasets, tables, plots, transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.moderation import Figures, comment_id, side_of
from evals.moderation_plots import draw
from flows.moderation_report import report_text, transcripts_text
from flows.run import Run
from modules.disk import storage
from signatures.moderation import Annotation, Annotator, Criterion, Discussion

Rows = list[dict[str, Any]]


def write_files(
    run: Run,
    discussions: Sequence[Discussion],
    annotations: Sequence[Annotation],
    annotators: Sequence[Annotator],
    figures: Figures,
    criteria: Mapping[str, Criterion],
) -> list[Path]:
    """Write everything but the result into the run's folder.

    ``datasets`` holds three linked tables, each as JSON Lines and Parquet: ``discussions`` (one row
    for each turn, key ``comment_id``), ``annotations`` (key ``annotation_id``, foreign key
    ``comment_id``) and ``controversial`` (key ``id``, foreign key ``comment_id``).
    """
    files = []
    tables = {
        "discussions": (turn_rows(discussions), TURNS),
        "annotations": (annotation_rows(annotations, annotators), ANNOTATIONS),
        "controversial": (
            [c.model_dump(mode="json") for c in figures.analysis.controversial], COMMENTS,
        ),
    }  # fmt: skip
    for name, (rows, schema) in tables.items():
        files += _dataset(run, name, rows, schema)
    for name, figure in draw(criteria, figures.analysis, figures.comments).items():
        files.append(_saved(run.folder / "plots" / f"{name}.png", figure.savefig))
    files.append(run.write("transcripts.md", transcripts_text(discussions)))
    if annotations:
        files.append(run.write("report.md", report_text(figures, criteria)))
    return files


def turn_rows(discussions: Sequence[Discussion]) -> Rows:
    """One row for each turn, with what is known of its discussion."""
    rows = []
    for d in discussions:
        people = {a.name: a for a in d.actors}
        for place, turn in enumerate(d.turns, start=1):
            actor = people.get(turn.actor)
            rows.append(
                {
                    "comment_id": comment_id(d.id, turn.id),
                    "discussion_id": d.id,
                    **turn.model_dump(mode="json", exclude={"id"}),
                    "turn_id": turn.id,
                    "position": place,
                    "attributes": actor.attributes if actor is not None else [],
                    "side": side_of(d),
                    **d.conditions.model_dump(mode="json", exclude={"moderated"}),
                    "context": d.context,
                    "ended": d.ended,
                    "source": d.source,
                }
            )
    return rows


def annotation_rows(annotations: Sequence[Annotation], annotators: Sequence[Annotator]) -> Rows:
    """One row for each annotation, with its key, its comment's, and who the annotator is."""
    people = {a.name: a.attributes for a in annotators}
    rows = []
    for a in annotations:
        comment = comment_id(a.discussion_id, a.turn_id)
        key = f"{comment}/{a.annotator}/{a.criterion}"
        who = {"attributes": people.get(a.annotator, [])}
        row = {"annotation_id": key, "comment_id": comment, **a.model_dump(mode="json"), **who}
        rows.append(row)
    return rows


TURNS = {
    "comment_id": "string", "discussion_id": "string", "round": "int64", "actor": "string",
    "role": "string", "action": "string", "text": "string", "target": "string", "reason": "string",
    "turn_id": "string", "position": "int64", "attributes": "list", "side": "string",
    "topic": "string", "policy": "string", "seed": "int64", "pair": "string", "context": "string",
    "ended": "string", "source": "string",
}  # fmt: skip
ANNOTATIONS = {
    "annotation_id": "string", "comment_id": "string", "discussion_id": "string",
    "turn_id": "string", "annotator": "string", "criterion": "string", "value": "int64",
    "outcome": "string", "reason": "string", "attributes": "list",
}  # fmt: skip
COMMENTS = {
    "id": "string", "comment_id": "string", "discussion_id": "string", "turn_id": "string",
    "criterion": "string", "side": "string", "role": "string", "turn": "int64", "ratings": "ints",
    "histogram": "ints", "mean": "double", "ndfu": "double", "n": "int64",
}  # fmt: skip
"""Column -> type; every column may be null, and empty tables keep theirs."""


def _dataset(run: Run, name: str, rows: Rows, schema: Mapping[str, str]) -> list[Path]:
    import pyarrow as pa
    from pyarrow import parquet

    types = {
        "string": pa.string(), "int64": pa.int64(), "double": pa.float64(),
        "list": pa.list_(pa.string()), "ints": pa.list_(pa.int64()),
    }  # fmt: skip
    fields = pa.schema([(column, types[kind]) for column, kind in schema.items()])
    table = pa.Table.from_pylist(rows, schema=fields)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    folder = run.folder / "datasets"
    return [
        _saved(folder / f"{name}.jsonl", lambda path: path.write_text(lines, encoding="utf-8")),
        _saved(folder / f"{name}.parquet", lambda path: parquet.write_table(table, path)),
    ]


def _saved(path: Path, write: Callable[[Path], object]) -> Path:
    """A file written whole or not at all."""
    draft = path.with_name(f".part-{path.name}")
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write(draft)
        draft.replace(path)
    return path


__all__ = ["annotation_rows", "turn_rows", "write_files"]
