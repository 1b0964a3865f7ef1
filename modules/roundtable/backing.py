"""Evidence for turns: each as an argument that sources are found for (S0 section 4.2.4)."""

from __future__ import annotations

from typing import Any

from modules.argument_evidence import ArgumentEvidence
from modules.roundtable.listener import Listener, silent
from modules.roundtable.speaking import cut, laid_out, word_count
from modules.stage import Stage
from modules.text import sentences, tokens
from signatures.evidence import CitedArgument
from signatures.table import Speech, TableTurn
from signatures.types import Citation


class Backing(Stage):
    """Puts evidence to a turn; its wording stays what it was.

    Args:
        cite: The evidence pipeline for one argument, or None for turns without evidence.
        word_limit: The most words of a turn, which holds for the backed turn too.
    """

    def __init__(self, cite: ArgumentEvidence | None, *, word_limit: int) -> None:
        super().__init__(word_limit=word_limit)
        self.cite = cite
        self.tell: Listener = silent

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "cite": self.cite.identity() if self.cite else None}

    def forward(self, *, topic: str, speech: Speech) -> TableTurn:
        """The turn with its evidence.

        Raises:
            ReplyError: A model's replies stayed unusable.
        """
        turn = TableTurn(**speech.model_dump(), spoken=speech.text)
        if self.cite is not None:
            self.tell("searching", turn=speech.id)
            turn = self._cited(turn, self.cite(topic=topic, argument=speech.text))
        self.tell("turn", turn=turn.id, content=turn)
        return turn

    def _cited(self, turn: TableTurn, found: CitedArgument) -> TableTurn:
        text, length = laid_out(found.text), turn.length
        if word_count(text) > self.settings["word_limit"]:
            text, length = cut(text, self.settings["word_limit"]), "cut"
        cited: list[Citation] = [c for c in found.citations if f"[{c.marker}]" in text]
        claims = [s for p in text.split("\n\n") for s in sentences(p) if tokens(s)]
        return turn.model_copy(
            update={
                "text": text,
                "words": word_count(text),
                "length": length,
                "query": found.query,
                "citations": cited,
                "claims": len(claims),
                "held": len({c.sentence for c in cited if c.verdict == "supported"}),
            }
        )


__all__ = ["Backing"]
