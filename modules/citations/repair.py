"""Sentences that no passage they cite bears out, rewritten once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dspy

from modules.citations.markers import bare, markers, paragraphs
from modules.citations.support import Support
from modules.lm.ask import Ask
from modules.text import sentences, tokens
from signatures.evidence import RepairCitations, UnsupportedSentence
from signatures.types import Draft, Essay, Evidence

Checker = Callable[[Sequence[tuple[str, str]]], list[Support]]


class _Faulty(NamedTuple):
    """A sentence as it stands in the essay, and what stands before it."""

    text: str
    before: str
    cited: list[int]


class SentenceRepair(dspy.Module):
    """Asks for new sentences in one call and puts in those that hold; nothing else changes."""

    def __init__(self) -> None:
        super().__init__()
        self.ask = Ask(RepairCitations)

    def forward(self, *, essay: Essay, draft: Draft, support: Checker) -> tuple[str, list[str]]:
        """The essay's text with the draft's numbering of passages, and a note on what was done.

        A new sentence is taken if a passage it cites now bears it out at least weakly, or if it
        cites nothing. It may cite what the old one cited, and no more.

        Args:
            essay: As checked.
            draft: What it was made of.
            support: The check that new sentences must pass.
        """
        numbers = _numbers(essay, draft)
        text = _renumbered(essay.text, numbers)
        faulty = _faulty(essay)
        if not faulty:
            return text, []
        reply = self.ask(
            sentences=[
                UnsupportedSentence(
                    number=place,
                    before=bare(item.before),
                    sentence=_renumbered(item.text, numbers),
                    passages=[_evidence(draft, numbers[n]) for n in item.cited],
                )
                for place, item in enumerate(faulty, start=1)
            ],
            check=lambda r: _problem(r, len(faulty)),
        )
        new = {r.number: " ".join(r.text.split()) for r in reply.repaired}
        done = 0
        for place, item in enumerate(faulty, start=1):
            allowed = [numbers[n] for n in item.cited]
            if _holds(new.get(place, ""), allowed, draft, support):
                changed = _replaced(text, _renumbered(item.text, numbers), new[place])
                done += changed != text
                text = changed
        return text, [f"{done} of {len(faulty)} unsupported sentences were rewritten"]


def _numbers(essay: Essay, draft: Draft) -> dict[int, int]:
    """The essay's marker numbers -> the draft's."""
    places = {passage.id: n for n, passage in enumerate(draft.passages, start=1)}
    return {c.marker: places[c.chunk_id] for c in essay.citations}


def _renumbered(text: str, numbers: dict[int, int]) -> str:
    return re.sub(r"\[(\d+)\]", lambda m: f"[{numbers[int(m.group(1))]}]", text)


def _faulty(essay: Essay) -> list[_Faulty]:
    """Sentences all of whose citations are unsupported."""
    held = {c.sentence for c in essay.citations if c.verdict != "unsupported"}
    found = []
    for paragraph in paragraphs(essay.text):
        before = ""
        for sentence in sentences(paragraph):
            cited = markers(sentence)
            if cited and tokens(bare(sentence)) and bare(sentence) not in held:
                found.append(_Faulty(sentence, before, cited))
            before = sentence
    return found


def _evidence(draft: Draft, number: int) -> Evidence:
    passage = draft.passages[number - 1]
    return Evidence(number=number, title=passage.title, text=passage.text)


def _holds(text: str, allowed: Sequence[int], draft: Draft, support: Checker) -> bool:
    cited = markers(text)
    if not tokens(bare(text)) or not set(cited) <= set(allowed):
        return False
    verdicts = support([(bare(text), draft.passages[n - 1].text) for n in cited])
    return not cited or any(v.verdict != "unsupported" for v in verdicts)


def _replaced(text: str, old: str, new: str) -> str:
    """The text with its one occurrence of ``old`` replaced, however its blanks are broken."""
    pattern = r"\s+".join(map(re.escape, old.split()))
    return re.sub(pattern, lambda _: new, text) if len(re.findall(pattern, text)) == 1 else text


def _problem(reply: Any, count: int) -> str | None:
    strange = [r.number for r in reply.repaired if not 1 <= r.number <= count]
    return f"sentences {strange}, asked were 1 to {count}" if strange else None


__all__ = ["SentenceRepair"]
