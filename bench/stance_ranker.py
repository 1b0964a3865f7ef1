"""The stance ranker against MiniLM and its own parts, on all of PIR-Perspectrum's test split.

    python -m bench.stance_ranker --data ../shared/data [--model artifacts/stance]

Rankers are fitted on dev, here and now; test is read once for each system. Intervals are 95 %
percentile bootstraps over claims, differences to MiniLM paired by claim. ``--model`` adds the full
model, and each of its cross-encoders alone; ``--split dev`` measures on dev instead, each claim by
a ranker fitted on the others, and is what choices are made by. Last come the tasks of the PIR demo
file, whose Perspectrum is test data.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.pir import Task, benchmark, demo
from evals.pir.benchmark import Settings
from evals.stance import ranking
from evals.stance.corpora import perspectrum
from evals.stance.full import FEATURES
from evals.stance.ranking import NEAR, READ, Ranked, Split
from evals.statistics import paired
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.embed import Embedder
from modules.retrieval.exhaustive import ByVectors, Encodings, Exhaustive
from modules.stance.cross import CrossEncoders
from modules.stance.model import Readings, stance_model
from modules.stance.ranking import Fitted, Side
from modules.stance.retriever import StanceRetrieverSpec
from modules.stance.weights import SHIPPED, Platt

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


FULL = {
    "full": FEATURES,
    "full, cues as well": (*FEATURES, "cues", "smooth_cues"),
    "cross-encoders alone": tuple(n for n in FEATURES if "network" not in n),
}
FOLDS = 10

Blocks = Sequence[Readings]


def crossed(split: Split, folder: Path) -> NDArray[np.float64]:
    """``(n_models, n, 2)``: what each cross-encoder says of the split's pairs."""
    files = sorted(folder.glob("cross-*.safetensors"))
    return CrossEncoders(files).logits(ranking.pairs(split))


def kept(folder: Path) -> Platt:
    """How a trained ranker tells one point from two: learned from train, not from dev."""
    return Fitted.model_validate_json((folder / "ranker.json").read_text("utf-8")).same


def variants(split: Split, plain: Readings, logits: NDArray[np.float64]) -> dict[str, Blocks]:
    """The readings with all cross-encoders' mean, and with each one's."""

    def having(which: NDArray[np.float64]) -> Blocks:
        return ranking.by_claim(split, plain._replace(cross=which[:, 0], relevance=which[:, 1]))

    each = {f"full, seed {at} alone": having(one) for at, one in enumerate(logits)}
    return {"full": having(logits.mean(axis=0)), **each}


def fitted_on(
    dev: Split, read: Blocks, test: tuple[Split, Blocks] | None, same: Platt,
    features: Sequence[str],
) -> Ranked:  # fmt: skip
    """What the ranker finds on test; without test on dev, each claim by a ranker of the others."""
    if test is not None:
        return ranking.ranked(test[0], test[1], ranking.fit(dev, read, same, features=features))
    every = range(len(dev.claims))
    found: Ranked = [{} for _ in every]
    for fold in range(FOLDS):
        own, others = ([i for i in every if (i % FOLDS == fold) == kind] for kind in (True, False))
        fitted = ranking.fit(dev, read, same, others, features)
        for row, best in zip(own, ranking.ranked(dev, read, fitted, rows=own), strict=True):
            found[row] = best
    return found


def cell(values: NDArray[np.float64]) -> str:
    """Mean and interval."""
    mean, low, high = ranking.interval(values)
    return f"{mean:5.1f} [{low:5.1f}, {high:5.1f}]"


def demo_tasks(path: Path, encodings: Encodings, model: Path) -> None:
    """Whether a task of the demo file got worse, paired by root query."""
    settings = Settings(("none",), 1.0, ("clean",), (5,))

    def per_root(task: Task, ranker: Exhaustive) -> list[float]:
        found = benchmark.run([task], lambda _: ranker, settings)
        values: list[float] = found.per_root["none", "clean", 5][0].tolist()
        return values

    for task in demo(path):
        spec = StanceRetrieverSpec(model=None if model == SHIPPED else model)
        ours = per_root(task, spec.exhaustive(task.documents, encodings))
        theirs = per_root(task, ByVectors(task.documents, encodings))
        gain = paired(ours, theirs)
        ends = (
            "" if gain.low is None or gain.high is None
            else f" [{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]"
        )  # fmt: skip
        means = [100 * float(np.nanmean(values)) for values in (ours, theirs)]
        print(f"{task.name:22}{means[0]:5.1f}, MiniLM {means[1]:5.1f}: "
              f"{100 * (gain.delta or 0):+.1f}{ends}")  # fmt: skip


def main() -> None:
    """Print a line for each system."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path("artifacts/cache/openvino"))
    parser.add_argument("--model", type=Path, help="a folder of evals.stance.train --full")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    options = parser.parse_args()
    begun = time.process_time()
    embedder = ConvertedMiniLM(options.cache)
    claims = perspectrum(options.data / "perspectrum")
    dev, measured = ([c for c in claims if c.split == s] for s in ("dev", options.split))
    splits = [ranking.as_split(dev, embedder)]
    if options.split == "test":
        splits.append(ranking.as_split(measured, embedder))
    model = stance_model(embedder)
    plain = [model.readings(ranking.pairs(s)) for s in splits]
    read: list[dict[str, Blocks]] = [
        {"": ranking.by_claim(s, p)} for s, p in zip(splits, plain, strict=True)
    ]
    wanted = {name: ("", features) for name, features in PARTS.items()}
    if options.model:
        for at, split in enumerate(splits):
            read[at] |= variants(split, plain[at], crossed(split, options.model))
        wanted |= {name: ("full", features) for name, features in FULL.items()}
        wanted |= {name: (name, FEATURES) for name in read[0] if name.startswith("full, seed")}
    found = {"MiniLM": dense(splits[-1], embedder)}
    for name, (kind, features) in wanted.items():
        same = kept(options.model if kind else SHIPPED)
        test = (splits[1], read[1][kind]) if len(splits) > 1 else None
        found[name] = fitted_on(splits[0], read[0][kind], test, same, features)
    told(splits[-1], found, options.split)
    if options.split == "test":
        print("PIR demo file, p-Recall@5, clean gold, difference paired by root query")
        encodings = Encodings(embedder)
        demo_tasks(options.data / "pir" / "pir_demo_dev.json", encodings, options.model or SHIPPED)
    print(f"{time.process_time() - begun:.0f} CPU s")


def told(split: Split, found: dict[str, Ranked], name: str) -> None:
    """The table."""
    queries = sum(len(own) + 1 for own in split.gold)
    print(
        f"{name}: {len(split.claims)} claims, {queries} queries, {len(split.pool.texts)} "
        "documents, clean gold"
    )
    print(f"{'':24}{'p-Recall@5':22}{'against MiniLM':22}{'stance precision@5':22}")
    base = ranking.recall_by_root(split, found["MiniLM"])
    for system, ranked in found.items():
        recall = ranking.recall_by_root(split, ranked)
        right = ranking.sides_by_root(split, ranked)
        print(f"{system:24}{cell(recall):22}{cell(recall - base):22}{cell(right):22}")


if __name__ == "__main__":
    main()
