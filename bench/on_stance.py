"""How many passages found for a side of a proposition argue that side, by retriever.

    moot ingest data/corpus
    python -m bench.on_stance

Over the starter corpus, for and against each topic's proposition. Whether a text argues for its
proposition was told by reading each text's argument and conclusion; texts that weigh both sides
without a verdict count for neither.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evals.stance.ranking import interval
from modules.lm.extractive.stance import negate
from modules.retrieval.aiming import aimed, search_aims
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.specs import RetrieverSpec, StoreRetrieverSpec
from modules.retrieval.store import EvidenceStore
from modules.stance.model import stance_model
from modules.stance.retriever import StanceRetrieverSpec
from signatures.types import Passage

PROPOSITIONS = {
    "age-limit-for-office": "People over 80 should not be allowed to hold public office",
    "animal-testing": "Animal testing should be banned",
    "electronic-voting": "Electronic and internet voting should be allowed in state elections",
    "four-day-week": "Employers should adopt a four-day working week",
    "free-museums": "We should make all museums free of charge",
    "minimum-wage": "The minimum wage should be raised",
    "nuclear-power": "Countries should expand nuclear power",
    "school-uniforms": "Students should have to wear school uniforms",
    "social-media-under-sixteen": "Children under sixteen should be banned from social media",
    "space-colonization": "Humans should colonize space",
    "universal-basic-income": "Governments should introduce a universal basic income",
    "vaping": "Vaping products should be banned",
}

SIDES = {
    "age-limit-for-office": "+-+-+-+0-",
    "animal-testing": "-++-+-+-0",
    "electronic-voting": "-++0-+-+-",
    "four-day-week": "-+-+-0+-",
    "free-museums": "-++-0--++",
    "minimum-wage": "+-+0-+-+",
    "nuclear-power": "+-0+--++",
    "school-uniforms": "+--+0--+",
    "social-media-under-sixteen": "-++-+-+0",
    "space-colonization": "-++-0+-+",
    "universal-basic-income": "0--++-+-+",
    "vaping": "-+-++--0",
}
"""Topic -> of each numbered text, whether it argues for the proposition, against it, or neither."""

RETRIEVERS: dict[str, RetrieverSpec] = {
    "dense": StoreRetrieverSpec(mode="dense"),
    "hybrid": StoreRetrieverSpec(),
    "stance, weight 1": StanceRetrieverSpec(weight=1.0),
    "stance, weight 3": StanceRetrieverSpec(weight=3.0),
    "stance (weight 10)": StanceRetrieverSpec(),
}


def side_of(passage: Passage) -> int:
    """1, -1, or 0; 0 also for a text of no topic here."""
    name = passage.source.rpartition("/")[2]
    sides = SIDES.get(_topic(passage.source), "")
    place = int(name[:2]) - 1 if name[:2].isdigit() else len(sides)
    return {"+": 1, "-": -1}.get(sides[place], 0) if place < len(sides) else 0


def _topic(source: str) -> str:
    return source.rpartition("/")[0].rpartition("/")[2]


def share(passages: Sequence[Passage], side: int) -> float:
    """Of the passages that take a side, the share on this one; nan if none does."""
    taken = [side_of(passage) for passage in passages if side_of(passage)]
    return float(np.mean([own == side for own in taken])) if taken else float("nan")


def readers(index: Path, embedder: ConvertedMiniLM) -> None:
    """How often cues alone, and the whole model, take the side of a passage's text."""
    rows = EvidenceStore(index, embedder).rows()
    known = [Passage(id="-", text=row["text"], source=row["source"], title="") for row in rows]
    known = [p for p in known if side_of(p)]
    pairs = [(PROPOSITIONS[_topic(p.source)], p.text) for p in known]
    sides = np.array([side_of(p) for p in known])
    model = stance_model(embedder)
    scores = {
        "cues": model.readings(pairs).cues,
        "stance model": np.array([odds.polarity for odds in model.read(pairs)]),
    }
    for name, score in scores.items():
        right = np.where(score == 0, 0.5, np.sign(score) == sides)
        surest = np.argsort(-np.abs(score), kind="stable")[: len(right) // 4]
        print(
            f"{name:20}{100 * right.mean():6.1f} % of {len(right)} passages read aright, "
            f"{100 * right[surest].mean():.1f} % of the surest quarter"
        )


def main() -> None:
    """Print a line for each retriever."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--index", type=Path, default=Path("artifacts/index"))
    parser.add_argument("--cache", type=Path, default=Path("artifacts/cache/openvino"))
    parser.add_argument("--k", type=int, default=5)
    options = parser.parse_args()
    embedder = ConvertedMiniLM(options.cache)
    readers(options.index, embedder)
    aims, sides = [], []
    for proposition in PROPOSITIONS.values():
        for claim, side in ((proposition, 1), (negate(proposition), -1)):
            aims.append(aimed(proposition, claim))
            sides.append(side)
    print(f"{len(aims)} searches, {options.k} passages each: % on the asked side, 95 % over topics")
    for name, spec in RETRIEVERS.items():
        found = search_aims(spec.open(options.index, embedder), aims, options.k)
        values = np.array([share(own, side) for own, side in zip(found, sides, strict=True)])
        per_topic = values.reshape(-1, 2).mean(axis=1)
        mean, low, high = interval(per_topic)
        against, supporting = 100 * np.nanmean(values[1::2]), 100 * np.nanmean(values[0::2])
        print(
            f"{name:20}{mean:6.1f} [{low:.1f}, {high:.1f}]"
            f"   for {supporting:5.1f}   against {against:5.1f}"
        )


if __name__ == "__main__":
    main()
