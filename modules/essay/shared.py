"""Evidence for methods that are compared: everybody chooses among the same passages.

With ``recall.shared`` no stage searches anew: what a persona or a part of a plan is given is
chosen among the passages found for the proposition itself, nearest first. A method then differs
from another by what it does with the evidence, not by how often it searched.
"""

from __future__ import annotations

from collections.abc import Sequence

from modules.citations import Embedder
from modules.evidence import queries_of
from modules.stage import Stage
from signatures.types import PartEvidence, Passage, Plan, Pool


class _Choosing(Stage):
    """A stage that chooses ``k`` of the given passages for each query.

    Args:
        embedder: Says which passages are near a query.
        k: Passages per query.
    """

    def __init__(self, embedder: Embedder, *, k: int) -> None:
        super().__init__(k=k, embedder=embedder.name)
        self.embedder = embedder

    def _choose(self, queries: Sequence[str], given: Sequence[Passage]) -> list[list[Passage]]:
        """For each query its nearest passages, best first; ties keep the given order."""
        if not given or not queries:
            return [[] for _ in queries]
        texts = [f"{p.title}\n{p.text}" for p in given]
        rows = self.embedder.encode([*queries, *texts])
        near = rows[: len(queries)] @ rows[len(queries) :].T
        found = []
        for cosines in near:
            order = sorted(range(len(given)), key=lambda i: (-round(float(cosines[i]), 6), i))
            found.append([given[i] for i in order[: self.settings["k"]]])
        return found


class SharedPersonaEvidence(_Choosing):
    """Passages for each persona's claim among those on the subject."""

    def forward(self, *, pool: Pool, background: list[Passage]) -> dict[str, list[Passage]]:
        """Persona id -> passages, best first."""
        found = self._choose([p.claim for p in pool.personas], background)
        return {p.id: each for p, each in zip(pool.personas, found, strict=True)}


class SharedPlanEvidence(_Choosing):
    """Passages for each part of a plan among those on the subject."""

    def forward(self, *, plan: Plan, background: list[Passage]) -> list[PartEvidence]:
        """One entry per part, in the plan's order."""
        asked = queries_of(plan)
        found = self._choose([query for _, query in asked], background)
        return [
            PartEvidence(part=part, passages=passages)
            for (part, _), passages in zip(asked, found, strict=True)
        ]


__all__ = ["SharedPersonaEvidence", "SharedPlanEvidence"]
