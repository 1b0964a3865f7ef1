"""Evidence stages: what is retrieved for a subject, for each persona, for each part of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from modules.stage import Stage
from signatures.errors import EvidenceError
from signatures.types import Evidence, PartEvidence, Passage, Plan, Pool


class Retriever(Protocol):
    """Finds passages. ``identity`` changes whenever the same query could find others."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """For each query the ``k`` best passages, best first."""
        ...

    def identity(self) -> dict[str, Any]: ...


class NoEvidence:
    """The retriever of ``evidence=none``: finds nothing, on purpose."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        return [[] for _ in queries]

    def identity(self) -> dict[str, Any]:
        return {"retriever": "none"}


class EvidenceStage(Stage):
    """A stage over a retriever; what the retriever can find is part of its identity."""

    def __init__(self, retriever: Retriever, **settings: Any) -> None:
        super().__init__(**settings)
        self.retriever = retriever

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "retriever": self.retriever.identity()}


class Background(EvidenceStage):
    """Passages about the subject itself.

    Args:
        retriever: Where to look.
        k: How many passages to fetch.
        min_similarity: The cosine that at least one passage must reach, else there is nothing
            on the subject.
    """

    def __init__(self, retriever: Retriever, *, k: int, min_similarity: float) -> None:
        super().__init__(retriever, k=k, min_similarity=min_similarity)

    def forward(self, *, subject: str) -> list[Passage]:
        """The passages, best first.

        Raises:
            EvidenceError: The retriever searches, and nothing in it is on the subject.
        """
        passages = self.retriever.search([subject], self.settings["k"])[0]
        if isinstance(self.retriever, NoEvidence):
            return passages
        best = max((p.similarity or 0.0 for p in passages), default=0.0)
        if best < self.settings["min_similarity"]:
            raise EvidenceError(
                f"the corpus holds no evidence on {_short(subject)!r}",
                expected=f"a passage with similarity {self.settings['min_similarity']:g} or more",
                got=f"{best:.2f}" if passages else "no passage",
                remedy="ingest documents about it (moot ingest PATH), or set evidence=none "
                "with a real backend",
            )
        return passages


class PersonaEvidence(EvidenceStage):
    """Passages for each persona's own claim, in one batch.

    Args:
        retriever: Where to look.
        k: Passages per persona.
    """

    def __init__(self, retriever: Retriever, *, k: int) -> None:
        super().__init__(retriever, k=k)

    def forward(self, *, pool: Pool) -> dict[str, list[Passage]]:
        """Persona id -> passages, best first."""
        claims = [p.claim for p in pool.personas]
        found = self.retriever.search(claims, self.settings["k"])
        return {p.id: passages for p, passages in zip(pool.personas, found, strict=True)}


class PlanEvidence(EvidenceStage):
    """Passages for each part of a plan: the acknowledgment first where there is one.

    Args:
        retriever: Where to look.
        k: Passages per part.
    """

    def __init__(self, retriever: Retriever, *, k: int) -> None:
        super().__init__(retriever, k=k)

    def forward(self, *, plan: Plan) -> list[PartEvidence]:
        """One entry per part, in the plan's order."""
        parts = [] if plan.acknowledgment is None else [plan.acknowledgment]
        queries = list(parts)
        for point in plan.points:
            parts.append(point.point)
            queries.append(" ".join([point.point, *point.subpoints]))
        found = self.retriever.search(queries, self.settings["k"])
        return [
            PartEvidence(part=part, passages=passages)
            for part, passages in zip(parts, found, strict=True)
        ]


def numbered(passages: Sequence[Passage]) -> list[Evidence]:
    """Passages as an LM sees them, numbered from 1 in the given order."""
    return [
        Evidence(number=number, title=p.title, text=p.text)
        for number, p in enumerate(passages, start=1)
    ]


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


__all__ = [
    "Background",
    "EvidenceStage",
    "NoEvidence",
    "PersonaEvidence",
    "PlanEvidence",
    "Retriever",
    "numbered",
]
