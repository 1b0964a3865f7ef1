"""What happens in a debate, line by line in ``events.jsonl``, so that whoever looks can follow.

The file is a view of the work, never its source: a debate is resumed from its stages and its
calls. It is appended to by one process at a time, the one that holds the run's lock.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic_core import to_jsonable_python

from modules.disk import storage
from signatures.errors import MootError
from signatures.table import Closing, Recommendation, RoundNote, TableTurn
from signatures.types import Persona

EVENTS_FILE = "events.jsonl"


class EventLog:
    """Appends events to a run's file; a :class:`modules.roundtable.Listener`.

    Args:
        folder: The run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS_FILE
        self._lock = threading.Lock()
        self._texts: dict[str, str] = {}
        if self._path.exists() and not self._path.read_bytes().endswith(b"\n"):
            self._write("\n")  # a line torn by a kill ends here

    def __call__(self, event: str, **values: Any) -> None:
        """Append one event; a turn's growing text is written as what is new of it."""
        with self._lock:
            if event == "text":
                values = self._grown(values["turn"], values["text"])
            line = {"event": event, "at": round(time.time(), 3), **to_jsonable_python(values)}
            text = json.dumps(line, ensure_ascii=False)
            self._write(text.encode("utf-8", "replace").decode() + "\n")

    def __enter__(self) -> EventLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Say why this invocation ended, if it did not get through."""
        if error is not None:
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        if isinstance(error, MootError):
            self("failed", **error.as_json())
        else:
            kind = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            self(kind, type=type(error).__name__, message=str(error)[:500], remedy=None)

    def _write(self, text: str) -> None:
        with storage(self._path), self._path.open("a", encoding="utf-8") as file:
            file.write(text)

    def _grown(self, turn: str, text: str) -> dict[str, Any]:
        before = self._texts.get(turn, "")
        pairs = enumerate(zip(before, text, strict=False))
        kept = next((i for i, (a, b) in pairs if a != b), min(len(before), len(text)))
        self._texts[turn] = text
        return {"turn": turn, "from": kept, "text": text[kept:]}


@dataclass
class LiveTurn:
    """A turn while it comes about: partial text first, then spoken, then with its evidence."""

    id: str
    round: int
    speaker: str
    text: str = ""
    state: str = "speaking"
    content: TableTurn | None = None


@dataclass
class Scene:
    """All that the events of a run add up to."""

    topic: str = ""
    wanted: int = 0
    personas: list[Persona] = field(default_factory=list)
    turns: dict[str, LiveTurn] = field(default_factory=dict)
    moderation: dict[int, RoundNote] = field(default_factory=dict)
    closing: Closing | None = None
    recommendation: Recommendation | None = None
    status: str = "new"
    error: dict[str, Any] | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Let one event happen; kinds that are not known are passed over."""
        handler = getattr(self, f"_{event['event']}", None)
        if handler is not None:
            handler(event)

    def rounds(self) -> dict[int, list[LiveTurn]]:
        """The turns of each round, in the order of their numbers."""
        found: dict[int, list[LiveTurn]] = {}
        for turn in sorted(self.turns.values(), key=lambda t: int(t.id[1:])):
            found.setdefault(turn.round, []).append(turn)
        return dict(sorted(found.items()))

    def _started(self, e: dict[str, Any]) -> None:
        self.topic, self.wanted = e["topic"], e["rounds"]
        self.status, self.error = "running", None
        self.closing = self.recommendation = None
        # What an invocation that died had begun will be begun anew.
        self.turns = {key: t for key, t in self.turns.items() if t.content is not None}

    def _personas(self, e: dict[str, Any]) -> None:
        self.personas = [Persona.model_validate(p) for p in e["personas"]]

    def _speaking(self, e: dict[str, Any]) -> None:
        self.turns[e["turn"]] = LiveTurn(e["turn"], e["round"], e["speaker"])

    def _text(self, e: dict[str, Any]) -> None:
        if (turn := self.turns.get(e["turn"])) is not None:
            turn.text = turn.text[: e["from"]] + e["text"]

    def _spoken(self, e: dict[str, Any]) -> None:
        if (turn := self.turns.get(e["turn"])) is not None:
            turn.text, turn.state = e["speech"]["text"], "spoken"

    def _turn(self, e: dict[str, Any]) -> None:
        content = TableTurn.model_validate(e["content"])
        self.turns[content.id] = LiveTurn(
            content.id, content.round, content.speaker, content.text, "done", content
        )

    def _moderator(self, e: dict[str, Any]) -> None:
        note = RoundNote.model_validate(e["content"])
        self.moderation[note.round] = note

    def _closing(self, e: dict[str, Any]) -> None:
        self.closing = Closing.model_validate(e["content"])

    def _recommendation(self, e: dict[str, Any]) -> None:
        found = e["content"]
        self.recommendation = None if found is None else Recommendation.model_validate(found)

    def _finished(self, e: dict[str, Any]) -> None:
        self.status = "finished"

    def _failed(self, e: dict[str, Any]) -> None:
        self.status, self.error = "failed", e

    def _interrupted(self, e: dict[str, Any]) -> None:
        self.status, self.error = "interrupted", e


def scene(folder: Path) -> Scene:
    """What a run's events add up to so far; a line that is being written is left for later."""
    found = Scene()
    path = folder / EVENTS_FILE
    if path.exists():
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                continue  # torn by a kill; the next invocation's events stand after it
            found.take(event)
    return found


__all__ = ["EVENTS_FILE", "EventLog", "LiveTurn", "Scene", "scene"]
