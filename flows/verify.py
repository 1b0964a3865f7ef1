"""The plain command ``moot verify``: what annotators made of a curated dataset."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from evals.curation import verified
from flows import run as runs_on_disk
from flows.curate_files import DATASET, jsonl
from flows.environment import artifacts
from modules.disk import storage
from modules.markup import one_line
from signatures.curation_results import VerifyResult
from signatures.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command can be told."""
    parser.add_argument("run", help="the run of moot curate (id or folder), or a dataset.jsonl")
    parser.add_argument("sheet", nargs="+", type=Path, help="filled sheets, annotator-N.csv")
    parser.add_argument("--out", type=Path, help="where the rest goes (verified.jsonl beside it)")


def verify(options: argparse.Namespace) -> int:
    """Read filled sheets, remove what two of them reject, write the rest, print agreement."""
    source = _dataset(options.run)
    try:
        lines = source.read_text(encoding="utf-8").split("\n")
        dataset = [json.loads(line) for line in lines if line.strip()]
        filled = {path.stem: path.read_text(encoding="utf-8-sig") for path in options.sheet}
    except (OSError, ValueError) as error:  # UnicodeDecodeError and JSON's are ValueErrors
        raise InputError("the dataset or a sheet cannot be read", got=str(error)) from error
    if len(filled) < len(options.sheet):
        raise InputError("two sheets have one name", remedy="name them after their annotators")
    out: Path = options.out or source.with_name("verified.jsonl")
    final, result = verified(dataset, filled, name=str(out))
    with storage(out):
        out.write_text(jsonl(final), encoding="utf-8")
    print(result.model_dump_json(indent=2) if options.json else _text(result))
    return 0


def _dataset(name: str) -> Path:
    path = Path(name)
    if not path.exists():
        path = runs_on_disk.find(artifacts() / "runs", name)
    return path / DATASET if path.is_dir() else path


def _text(result: VerifyResult) -> str:
    lines = []
    for one in result.agreement:
        kappa = "undefined" if one.kappa is None else f"{one.kappa:.2f}"
        share = "nothing decided" if one.accepted is None else f"{one.accepted:.0%} accepted"
        name = one.task.replace("_", " ")
        lines.append(f"{name}: Fleiss' kappa {kappa} over {one.items} partial answers, {share}")
    lines.append(
        f"{len(result.removed)} partial answers removed, {result.partial_answers} left on "
        f"{result.questions} questions: {result.dataset}"
    )
    lines += [f"removed: {one_line(key)}" for key in result.removed]
    lines += [f"left without any: {one_line(key)}" for key in result.without_answers]
    if result.unrated:
        lines.append(f"decided by fewer than two: {', '.join(map(one_line, result.unrated))}")
    return "\n".join(lines)


__all__ = ["add_arguments", "verify"]
