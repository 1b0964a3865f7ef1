"""Who answered what, and how: the argument graph of a debate (S1, Figure 2)."""

from __future__ import annotations

from collections.abc import Sequence

from modules.debate import NAMES
from modules.markup import one_line
from signatures.types import ArgumentEdge, ArgumentGraph, ArgumentNode, Debate, Persona

LABEL = 170
"""The most characters of a turn that its node shows."""


def argument_graph(debate: Debate, personas: Sequence[Persona]) -> ArgumentGraph:
    """A node for each turn, an edge from each that supports or opposes the turn it answers."""
    names = {p.id: one_line(p.title) for p in personas} | NAMES
    known = {t.id for t in debate.turns}
    return ArgumentGraph(
        nodes=[
            ArgumentNode(
                id=t.id,
                round=t.round,
                speaker=t.speaker,
                name=names.get(t.speaker, t.speaker),
                label=_shortened(one_line(t.text)),
            )
            for t in debate.turns
        ],
        edges=[
            ArgumentEdge(source=t.id, target=t.replies_to, relation=t.relation)
            for t in debate.turns
            if t.replies_to is not None and t.replies_to in known and t.relation != "none"
        ],
    )


def _shortened(text: str) -> str:
    """The beginning of the text, cut at a word where it is too long."""
    if len(text) <= LABEL:
        return text
    return text[: LABEL - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


__all__ = ["argument_graph"]
