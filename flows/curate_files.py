"""The files of a curated dataset: dataset.jsonl, documents.jsonl, sheets, plots, report.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evals.curation import ANNOTATORS, rows, sheet
from evals.curation_plots import draw
from flows.run import RESULT_FILE, Run
from modules.disk import storage
from modules.markup import item
from signatures.curation_results import CuratedQuestion, CurateResult, CurationFigures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATASET = "dataset.jsonl"


class Files(NamedTuple):
    """Where things were put."""

    dataset: Path
    documents: Path
    sheets: list[Path]
    plots: list[Path]

    def all(self) -> list[Path]:
        """Every file."""
        return [self.dataset, self.documents, *self.sheets, *self.plots]


def write_dataset(
    run: Run,
    found: Sequence[CuratedQuestion],
    kept: Sequence[CuratedQuestion],
    figures: CurationFigures,
) -> Files:
    """Write the dataset, all that was found, a sheet for each annotator, and the plots.

    A sheet that is there already is left: somebody may have begun to fill it in.
    """
    dataset = rows(kept)
    blank = sheet(dataset)
    sheets = [run.folder / "sheets" / f"annotator-{n}.csv" for n in range(1, ANNOTATORS + 1)]
    for path in sheets:
        if not path.exists():
            # The byte order mark makes spreadsheets read it as UTF-8.
            _saved(path, lambda draft: draft.write_text(blank, encoding="utf-8-sig", newline=""))
    plots = [
        _saved(run.folder / "plots" / f"{name}.png", partial(_draw, figure))
        for name, figure in draw(kept, figures).items()
    ]
    return Files(
        dataset=run.write(DATASET, jsonl(dataset)),
        documents=run.write("documents.jsonl", jsonl(q.model_dump(mode="json") for q in found)),
        sheets=sheets,
        plots=plots,
    )


def write_result(run: Run, result: CurateResult) -> list[Path]:
    """Write the report, and the result last: its presence means the run is finished."""
    return [
        run.write("report.md", report(result)),
        run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"),
    ]


def report(result: CurateResult) -> str:
    """What was kept, what was not and why, as Markdown."""
    parts = ["# Curated questions", *told(result)]
    if result.left_out:
        lines = [
            f"- {item(one.question)}: {one.kind}, {item(one.reason)}" for one in result.left_out
        ]
        parts += ["## Left out", "\n".join(lines)]
    plots = [name for name in result.files if name.endswith(".png")]
    if plots:
        parts += ["## Distributions", *(f"![{Path(name).stem}]({name})" for name in plots)]
    return "\n\n".join(parts) + "\n"


def told(result: CurateResult) -> list[str]:
    """The dataset in a few lines."""
    cosine = result.figures.cosine
    lines = [
        f"{result.kept} of {result.questions} questions kept, with {result.partial_answers} "
        f"partial answers; {len(result.left_out)} left out",
        "cosine of a question and the chunks of its documents: "
        + ("undefined" if cosine is None else f"{cosine:.2f} on average"),
    ]
    for name, counts in (
        ("documents", result.figures.documents),
        ("points of view", result.figures.views),
        ("topics", result.figures.topics),
    ):
        if counts:
            shown = ", ".join(f"{item(value)}: {n}" for value, n in counts.items())
            lines.append(f"questions by {name}: {shown}")
    return lines


def jsonl(values: Iterable[Any]) -> str:
    """One JSON object per line."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _draw(figure: Figure, path: Path) -> None:
    figure.savefig(path, format="png", dpi=120, metadata={"Software": None})


def _saved(path: Path, write: Callable[[Path], object]) -> Path:
    """A file written whole or not at all."""
    draft = path.with_name(f".part-{path.name}")
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write(draft)
        draft.replace(path)
    return path


__all__ = ["DATASET", "Files", "jsonl", "report", "told", "write_dataset", "write_result"]
