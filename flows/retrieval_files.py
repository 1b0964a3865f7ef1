"""What a retrieval run leaves beside its result: its tables, and a plot of each."""

from __future__ import annotations

from pathlib import Path

from evals.pir.plots import draw
from flows.retrieval_text import retrieval_lines
from flows.run import Run
from modules.disk import storage
from signatures.retrieval_results import RetrievalResult


def write_files(run: Run, result: RetrievalResult) -> list[Path]:
    """Write ``tables.md`` and the plots; returns their paths."""
    files = [run.write("tables.md", "\n".join(retrieval_lines(result, whole=True)) + "\n")]
    for name, figure in draw(result).items():
        path = run.folder / f"{name}.png"
        with storage(path):
            figure.savefig(path, dpi=120)
        files.append(path)
    return files


__all__ = ["write_files"]
