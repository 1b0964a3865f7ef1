"""The files of a debate run: debate.md, debate.html, votes.json, result.json, earlier results."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from flows.debate_html import page
from flows.debate_text import debate_text
from flows.run import RESULT_FILE, Run, load
from modules.disk import storage
from signatures.errors import InputError
from signatures.results import DebateResult
from signatures.table import Vote

VOTES_FILE = "votes.json"
_EARLIER = re.compile(r"result-(\d+)\.json")
_VOTES: TypeAdapter[dict[str, Vote]] = TypeAdapter(dict[str, Vote])


def write_files(run: Run, result: DebateResult) -> list[Path]:
    """Write all files, the result last: its presence means the run is finished."""
    return [
        run.write("debate.md", debate_text(result)),
        run.write("debate.html", page(result)),
        run.write(RESULT_FILE, result.model_dump_json(indent=2) + "\n"),
    ]


def reopen(folder: Path) -> None:
    """Let a finished debate go on: its result is kept beside, as ``result-N.json``.

    Raises:
        InputError: The run is no debate.
        StorageError: The disk refused.
    """
    flow, _ = load(folder)
    if flow != "debate":
        raise InputError(f"{folder.name} is a run of moot {flow}", expected="a debate")
    path = folder / RESULT_FILE
    if path.exists():
        with storage(path):
            path.rename(folder / f"result-{len(_results(folder)) + 1}.json")


def earlier(folder: Path) -> DebateResult | None:
    """The last result of a debate that has been taken up again."""
    found = _results(folder)
    return _read(found[-1]) if found else None


def latest(folder: Path) -> DebateResult | None:
    """The newest result there is, with the votes as they stand now."""
    path = folder / RESULT_FILE
    result = _read(path) if path.exists() else earlier(folder)
    return None if result is None else result.model_copy(update={"votes": votes(folder)})


def votes(folder: Path) -> dict[str, Vote]:
    """The votes of a run's readers; none where the file is missing or broken."""
    path = folder / VOTES_FILE
    try:
        return _VOTES.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return {}


def vote(folder: Path, turn: str, value: Vote | None) -> dict[str, Vote]:
    """Set or remove (None) the vote on a turn, and return all votes."""
    kept = {name: v for name, v in votes(folder).items() if name != turn}
    if value is not None:
        kept[turn] = value
    draft, path = folder / f"{VOTES_FILE}.part", folder / VOTES_FILE
    with storage(path):
        draft.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
        draft.replace(path)
    return kept


def _results(folder: Path) -> list[Path]:
    named = [(int(m[1]), p) for p in folder.iterdir() if (m := _EARLIER.fullmatch(p.name))]
    return [path for _, path in sorted(named)]


def _read(path: Path) -> DebateResult:
    return DebateResult.model_validate_json(path.read_bytes())


__all__ = ["earlier", "latest", "reopen", "vote", "votes", "write_files"]
