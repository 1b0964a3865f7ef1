"""Perspectrum's claims as propositions, with their gold perspectives in clusters of wordings."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from evals.datasets import Dataset, Item
from evals.stance.corpora import perspectrum
from signatures.types import Record, Text

Side = Literal["support", "oppose"]
SIDES: dict[int, Side] = {1: "support", -1: "oppose"}


class Wordings(Record):
    """One perspective, all wordings of it, and the side of the claim that it takes."""

    side: Side
    texts: list[Text]


class ClaimItem(Item):
    """A claim with its gold perspectives."""

    clusters: list[Wordings]


class PerspectrumClaims(Dataset):
    """The claims of one split, by id (Chen et al. 2019, CC BY-SA 4.0).

    Args:
        path: A folder with Perspectrum's files.
        split: Which claims; train and dev claims trained and tuned what scores them here.
    """

    path: Path
    split: Literal["train", "dev", "test", "all"] = "test"

    def items(self) -> list[Item]:
        found: list[Item] = []
        texts: set[str] = set()
        for claim in perspectrum(self.path):
            clusters = [
                Wordings(side=SIDES[c.side], texts=sorted(set(c.texts)))
                for c in claim.clusters
                if c.texts
            ]
            wanted = self.split in ("all", claim.split)
            if wanted and clusters and claim.text.casefold() not in texts:
                texts.add(claim.text.casefold())
                found.append(ClaimItem(id=str(claim.id), text=claim.text, clusters=clusters))
        return found[: self.limit]


__all__ = ["ClaimItem", "PerspectrumClaims", "Wordings"]
