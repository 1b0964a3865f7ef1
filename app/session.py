"""A debate as the page knows it: a run folder, its scene, and the seats being arranged."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app import jobs
from app.documents import Own
from flows import run as runs
from flows.compose import composed
from flows.config import typed
from flows.configs import CONFIGS
from flows.debate_files import latest, reopen
from flows.environment import artifacts
from flows.uploads import INDEX, give_to
from signatures.errors import InputError
from signatures.table import PersonaInput
from signatures.types import Persona

SEATS_FILE = "seats.json"
_SEATS: TypeAdapter[list[PersonaInput]] = TypeAdapter(list[PersonaInput])


def begin(flow: str, subject: str, overrides: dict[str, Any], own: Own | None = None) -> Path:
    """A new run, under way.

    Args:
        flow: Which flow.
        subject: Its subject.
        overrides: Dotted key, or group, -> value.
        own: The reader's own documents, which become the run's.

    Raises:
        MootError: The subject or an option cannot be used.
    """
    folder = artifacts() / "runs" / flow / runs.new_id(subject)
    if own is not None:
        where = "paths.index" if own.alone else "retriever.also"
        overrides = {**overrides, where: str(folder / INDEX)}
    plain = composed(flow, subject, overrides)
    typed(CONFIGS[flow], plain)
    if own is not None:
        give_to(own.documents, folder)
    jobs.start(flow, plain, folder)
    return folder


def begin_debate(topic: str, overrides: dict[str, Any], own: Own | None = None) -> Path:
    """A new debate, whose personas are being created; its rounds wait for the reader.

    Raises:
        MootError: The topic or an option cannot be used.
    """
    # Seats alone are no experiment; the first round is.
    return begin("debate", topic, {**overrides, "debate.rounds": 0, "tracking": "none"}, own)


def go_on(folder: Path, *, rounds: int, more: int = 0) -> None:
    """Take the debate up again with the personas now seated.

    Args:
        folder: The run.
        rounds: How many rounds there are to be in all.
        more: How many further personas are to be created.

    Raises:
        MootError: A persona cannot be used, or the run cannot be taken up.
    """
    if jobs.running(folder):
        return
    flow, plain = runs.load(folder)
    plain["debate"] = {**plain["debate"], "rounds": rounds, "more": more}
    plain["tracking"] = (
        composed("debate", plain["subject"], {})["tracking"] if rounds else plain["tracking"]
    )
    plain["personas"] = [p.model_dump(mode="json") for p in seats(folder)]
    reopen(folder)
    jobs.start(flow, plain, folder)


def resume(folder: Path) -> None:
    """Finish what was begun, as ``moot resume`` does."""
    flow, plain = runs.load(folder)
    jobs.start(flow, plain, folder)


def seats(folder: Path) -> list[PersonaInput]:
    """Who sits at the table from now on, as arranged so far."""
    path, done = folder / SEATS_FILE, folder / runs.RESULT_FILE
    # A result says who sat there at its end; an arrangement made before it is no longer one.
    if path.exists() and not (done.exists() and done.stat().st_mtime_ns > path.stat().st_mtime_ns):
        with suppress(OSError, ValidationError):
            return _SEATS.validate_json(path.read_bytes())
    result = latest(folder) if folder.exists() else None
    return [] if result is None else [_input(p) for p in result.personas if p.selected]


def arrange(folder: Path, seated: list[PersonaInput]) -> None:
    """Keep an arrangement of the seats."""
    draft = folder / f"{SEATS_FILE}.part"
    draft.write_text(json.dumps([p.model_dump() for p in seated], ensure_ascii=False, indent=2))
    draft.replace(folder / SEATS_FILE)


def find(name: str) -> Path:
    """The run of a link.

    Raises:
        InputError: There is none.
    """
    found = [p for p in runs.every(artifacts() / "runs") if p.name == name]
    if not found:
        raise InputError(
            "there is no such run", got=name[:80], remedy="see Runs for those there are"
        )
    return found[0]


def next_id(folder: Path, seated: list[PersonaInput]) -> str:
    """An id that no persona of the debate has had."""
    result = latest(folder)
    taken = {p.id for p in seated} | {p.id for p in (result.personas if result else [])}
    return next(name for name in (f"p{n}" for n in range(1, 10_000)) if name not in taken)


def _input(persona: Persona) -> PersonaInput:
    return PersonaInput(**persona.model_dump(include=set(PersonaInput.model_fields)))


__all__ = [
    "arrange", "begin", "begin_debate", "find", "go_on", "next_id", "resume", "seats",
]  # fmt: skip
