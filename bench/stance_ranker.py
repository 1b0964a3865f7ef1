"""The stance ranker against MiniLM and its own parts, on all of PIR-Perspectrum's test split.

    python -m bench.stance_ranker --data ../shared/data

Rankers are fitted on dev, here and now; test is read once for each system. Intervals are 95 %
percentile bootstraps over claims, differences to MiniLM paired by claim.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.stance import ranking
from evals.stance.corpora import perspectrum
from evals.stance.ranking import NEAR, READ, Ranked, Split
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.embed import Embedder
from modules.stance.model import Readings, stance_model
from modules.stance.ranking import Side
from modules.stance.weights import Platt

TEMPLATES: dict[Side, str] = {
    1: "Find a claim that supports the argument: {}",
    -1: "Find a claim that opposes the argument: {}",
    0: "Find a claim relates to the argument: {}",
}
PARTS = {
    "no stance reading": NEAR,
    "cues alone": (*NEAR, "cues", "smooth_cues"),
    "networks alone": (*NEAR, "network", "smooth_network"),
    "stance (as shipped)": (*NEAR, *READ),
}


def dense(split: Split, embedder: Embedder) -> Ranked:
    """MiniLM on the benchmark's own queries."""
    asked = {
        side: embedder.encode([text.format(claim) for claim in split.claims])
        for side, text in TEMPLATES.items()
    }
    return ranking.by_vectors(split, lambda row, side: split.pool.vectors @ asked[side][row])


def systems(
    dev: Split, test: Split, read: tuple[Sequence[Readings], Sequence[Readings]],
    same: Platt, embedder: Embedder,
) -> dict[str, Ranked]:  # fmt: skip
    """What each system finds on test."""
    found = {"MiniLM": dense(test, embedder)}
    for name, features in PARTS.items():
        fitted = ranking.fit(dev, read[0], same, features=features)
        found[name] = ranking.ranked(test, read[1], fitted)
    return found


def cell(values: NDArray[np.float64]) -> str:
    """Mean and interval."""
    mean, low, high = ranking.interval(values)
    return f"{mean:5.1f} [{low:5.1f}, {high:5.1f}]"


def main() -> None:
    """Print a line for each system."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path("artifacts/cache/openvino"))
    options = parser.parse_args()
    begun = time.process_time()
    embedder = ConvertedMiniLM(options.cache)
    claims = perspectrum(options.data / "perspectrum")
    train, dev, test = ([c for c in claims if c.split == s] for s in ("train", "dev", "test"))
    splits = ranking.as_split(dev, embedder), ranking.as_split(test, embedder)
    model = stance_model(embedder)
    blocks = [ranking.by_claim(s, model.readings(ranking.pairs(s))) for s in splits]
    same = ranking.same_point(train, embedder)
    found = systems(*splits, (blocks[0], blocks[1]), same, embedder)
    queries = sum(len(own) + 1 for own in splits[1].gold)
    print(
        f"{len(test)} claims, {queries} queries, {len(splits[1].pool.texts)} documents, clean gold"
    )
    print(f"{'':22}{'p-Recall@5':22}{'against MiniLM':22}{'stance precision@5':22}")
    base = ranking.recall_by_root(splits[1], found["MiniLM"])
    for name, ranked in found.items():
        recall = ranking.recall_by_root(splits[1], ranked)
        right = ranking.precision_by_root(splits[1], ranked)
        print(f"{name:22}{cell(recall):22}{cell(recall - base):22}{cell(right):22}")
    print(f"{time.process_time() - begun:.0f} CPU s")


if __name__ == "__main__":
    main()
