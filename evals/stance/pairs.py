"""What the stance networks may be trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.stance.corpora import Claim, Sided, argkp, debates, half_of
from evals.stance.leaks import Held
from modules.retrieval.embed import Embedder


@dataclass
class TrainingSet:
    """What may be trained on.

    Args:
        claims: Training claims of Perspectrum, leak-filtered.
        headlines: Arguments of one sentence, leak-filtered.
        texts: Longer arguments of debates that are not held out.
        dropped: What the leak filter took out, by kind.
    """

    claims: list[Claim]
    headlines: list[Sided]
    texts: list[Sided]
    dropped: dict[str, int] = field(default_factory=dict)


def licensed(data: Path, claims: Sequence[Claim], embedder: Embedder) -> TrainingSet:
    """The training set of the project: without half of the key-point propositions, which measure.

    Args:
        data: The folder with ``perspectrum`` and ``argkp``.
        claims: All of Perspectrum.
        embedder: The default one.
    """
    held = Held([claim for claim in claims if claim.split != "train"], embedder)
    names = sorted({row.claim for row in argkp(data / "argkp")})
    unseen = [name for name in names if half_of(name) == "test"]
    return training_set(data, [c for c in claims if c.split == "train"], held, unseen)


def training_set(
    data: Path, claims: Sequence[Claim], held: Held, unseen: Sequence[str]
) -> TrainingSet:
    """The leak-filtered data.

    Args:
        data: The folder with ``perspectrum`` and ``argkp``.
        claims: Perspectrum's training claims.
        held: Dev and test.
        unseen: Key-point propositions kept for measuring.
    """
    dropped = {"perspectrum claims": 0, "perspectrum texts": 0, "debates": 0, "propositions": 0}
    kept: list[Claim] = []
    for claim, leaks in zip(claims, held.claims([c.text for c in claims]), strict=True):
        if leaks:
            dropped["perspectrum claims"] += 1
            continue
        clusters = []
        for cluster in claim.clusters:
            near = held.texts(cluster.texts)
            dropped["perspectrum texts"] += sum(near)
            own = tuple(t for t, leak in zip(cluster.texts, near, strict=True) if not leak)
            clusters.append(cluster._replace(texts=own))
        kept.append(claim._replace(clusters=tuple(clusters)))
    headlines, texts = _debates(data, held, dropped)
    points = argkp(data / "argkp")
    names = sorted({row.claim for row in points})
    leaked = {n for n, leak in zip(names, held.claims(names), strict=True) if leak}
    dropped["propositions"] = len(leaked | set(unseen))
    headlines += [row for row in points if row.claim not in leaked and row.claim not in unseen]
    return TrainingSet(kept, headlines, texts, dropped)


def _debates(data: Path, held: Held, dropped: dict[str, int]) -> tuple[list[Sided], list[Sided]]:
    """Headlines and texts of debates none of which is held out."""
    rows = debates(data / "perspectrum")
    names = sorted({head.claim for head, _ in rows})
    leaked = {name for name, leak in zip(names, held.claims(names), strict=True) if leak}
    near = held.texts([head.text for head, _ in rows])
    leaked |= {head.claim for (head, _), leak in zip(rows, near, strict=True) if leak}
    dropped["debates"] = len(leaked)
    kept = [row for row in rows if row[0].claim not in leaked]
    return [head for head, _ in kept], [text for _, text in kept]
