"""The plain commands of human evaluation: ``moot sheet`` and ``moot ranks``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pydantic import ValidationError

from evals.human import Key, Ranking, gather, ranking, sheets
from evals.rows import load
from flows import run as runs_on_disk
from flows.environment import artifacts
from modules.disk import storage
from modules.markup import one_line
from signatures.errors import InputError


def add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """What the command ``name`` can be told."""
    if name == "sheet":
        parser.add_argument("folder", type=Path, help="a new folder for the judges' sheets")
        parser.add_argument("source", nargs="+", help="a run (id or folder), .jsonl or result.json")
        parser.add_argument("--judges", type=int, default=3, help="how many sheets (3)")
        parser.add_argument("--items", type=int, help="how many propositions are drawn (all)")
        parser.add_argument("--aspects", default="persuasiveness,overall", help="what to rank by")
        parser.add_argument("--seed", type=int, default=0, help="of the draw and the shuffling")
        parser.add_argument("--key", type=Path, help="where the key goes (FOLDER.key.json)")
    else:
        parser.add_argument("key", type=Path, help="the key that `moot sheet` wrote")
        parser.add_argument("sheet", nargs="+", type=Path, help="filled sheets, judge-N.csv")
        parser.add_argument(
            "--rule",
            choices=("example", "text"),
            default="example",
            help="a rank's score: example = n - rank + 1 (default), text = n - rank",
        )


def sheet(options: argparse.Namespace) -> int:
    """Write blind sheets for the judges, and their key beside the folder."""
    folder: Path = options.folder
    key_file: Path = options.key or folder.with_name(folder.name + ".key.json")
    if options.judges < 1 or (options.items is not None and options.items < 1):
        raise InputError("nobody to judge, or nothing", expected="--judges and --items from 1 on")
    for path in (folder, key_file):
        if path.exists():
            raise InputError(f"{path} is there already", remedy="name a new one")
    texts = gather([row for source in options.source for row in load(_source(source))])
    aspects = [name.strip() for name in options.aspects.split(",") if name.strip()]
    made, key = sheets(
        texts, judges=options.judges, items=options.items, aspects=aspects, seed=options.seed
    )
    with storage(folder):
        folder.mkdir(parents=True)
        for judge, text in made.items():
            # The byte order mark makes spreadsheets read it as UTF-8.
            (folder / f"{judge}.csv").write_text(text, encoding="utf-8-sig", newline="")
        key_file.write_text(key.model_dump_json(indent=2) + "\n", encoding="utf-8")
    shown = {"sheets": [str(folder / f"{judge}.csv") for judge in made], "key": str(key_file)}
    if options.json:
        print(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        print(f"{len(key.items)} propositions for {len(made)} judges in {folder}/judge-N.csv")
        print(f"rank each text by {' and by '.join(aspects)}: 1 = best, equal ranks are ties")
        print(f"the key, which judges must not see: {key_file}")
    return 0


def ranks(options: argparse.Namespace) -> int:
    """Read filled sheets, and print each system's score and how often it came first."""
    try:
        key = Key.model_validate_json(options.key.read_text(encoding="utf-8"))
        filled = {path.stem: path.read_text(encoding="utf-8") for path in options.sheet}
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        got = type(error).__name__ if isinstance(error, ValidationError) else str(error)
        raise InputError("the key or a sheet cannot be read", got=got) from error
    found = ranking(filled, key, rule=options.rule)
    print(found.model_dump_json(indent=2) if options.json else _text(found))
    return 0


def _source(name: str) -> Path:
    path = Path(name)
    return path if path.exists() else runs_on_disk.find(artifacts() / "runs", name)


def _text(found: Ranking) -> str:
    lines = [f"score = {found.rule}; n counts judgements, intervals are clustered by proposition"]
    aspect = None
    for row in found.standings:
        if row.aspect != aspect:
            aspect = row.aspect
            lines += ["", f"{aspect:<40} {'score':>6} {'95 %':>14} {'first':>7} {'n':>4}"]
        ends = "-" if row.ci is None else f"[{row.ci[0]:.2f}, {row.ci[1]:.2f}]"
        name = one_line(row.system)[:40]
        lines.append(f"{name:<40} {row.score:>6.2f} {ends:>14} {row.first:>7.1%} {row.n:>4}")
    lines += ["", *(f"not used: {one_line(line)}" for line in found.unused)]
    return "\n".join(lines).rstrip()


__all__ = ["add_arguments", "ranks", "sheet"]
