"""An evaluator whose readings are kept on disk, for work that is taken up again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from modules.disk import storage
from modules.lm.ledger import Ledger
from modules.lm.once import once
from modules.perplexity.types import Evaluator, Reading


class KeptEvaluator:
    """Reads each prompt once, whichever process asks.

    Args:
        evaluator: Who reads.
        folder: Where readings are kept, a file each.
        ledger: Where a reading that is there already counts as one from a cache; None where the
            evaluator is asked without being counted, as a model in this process is.
    """

    def __init__(self, evaluator: Evaluator, folder: Path, ledger: Ledger | None = None) -> None:
        self._evaluator = evaluator
        self._folder = folder
        self._ledger = ledger

    @property
    def name(self) -> str:
        """The evaluator's own."""
        return self._evaluator.name

    def warm(self) -> None:
        """As the evaluator."""
        self._evaluator.warm()

    def read(self, text: str, continuations: Sequence[str]) -> Reading:
        """As the evaluator."""
        path = self._place(text, continuations)
        with once("reading", str(path)):
            return self._read(path, text, continuations)

    def _read(self, path: Path, text: str, continuations: Sequence[str]) -> Reading:
        kept = _kept(path)
        if kept is not None:
            if self._ledger is not None:
                self._ledger.record("cached", role="evaluator", model=self.name)
            return kept
        found = self._evaluator.read(text, continuations)
        with storage(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(".part")
            draft.write_text(found.model_dump_json(), encoding="utf-8")
            draft.replace(path)
        return found

    def head(self, text: str, tokens: int) -> str:
        """As the evaluator."""
        return self._evaluator.head(text, tokens)

    def count(self, text: str) -> int | None:
        """As the evaluator."""
        return self._evaluator.count(text)

    def released(self, text: str, continuations: Sequence[str]) -> list[float]:
        """As the evaluator; not kept."""
        return self._evaluator.released(text, continuations)

    def _place(self, text: str, continuations: Sequence[str]) -> Path:
        content = json.dumps([self.name, text, list(continuations)], ensure_ascii=False)
        name = hashlib.sha256(content.encode()).hexdigest()
        return self._folder / name[:2] / f"{name}.json"


def _kept(path: Path) -> Reading | None:
    try:
        return Reading.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValidationError):  # nothing there, or of another version
        return None


__all__ = ["KeptEvaluator"]
