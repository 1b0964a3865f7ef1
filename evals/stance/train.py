"""Train the stance model and its ranker: about five minutes of one core, most of it embedding.

    python -m evals.stance.train --data ../shared/data

Networks and their ranker are written into the project, with a card. ``--out FOLDER`` writes them
elsewhere. ``--full`` trains cross-encoders to stand beside them, ten minutes of one core for each
seed, and writes into artifacts/stance; ``retriever=stance retriever.model=FOLDER`` uses them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.stance import ranking
from evals.stance.corpora import Claim, perspectrum
from evals.stance.leaks import NEAR_CLAIM, NEAR_TEXT
from evals.stance.pairs import licensed
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.embed import Embedder
from modules.retrieval.minilm import SHA256
from modules.stance.model import Readings, StanceModel
from modules.stance.weights import SHIPPED, Platt, Weights, digest
from signatures.errors import MootError

FULL = Path("artifacts/stance")

LICENCES = {
    "Perspectrum v1.0, its debatewise and procon texts": "CC BY-SA 4.0",
    "ArgKP v1": "CDLA-Sharing 1.0",
    "all-MiniLM-L6-v2 (base)": "Apache-2.0",
}


def main() -> int:
    """Train, calibrate and fit; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--full", action="store_true", help="train cross-encoders as well")
    parser.add_argument("--out", type=Path, help="where to write")
    parser.add_argument("--cache", type=Path, default=Path("artifacts/cache/openvino"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args()
    embedder = ConvertedMiniLM(options.cache)
    try:
        if options.full:
            from evals.stance.full import train_full  # imports torch

            train_full(options.data, options.out or FULL, embedder, options.seeds)
        else:
            train(options.data, options.out or SHIPPED, embedder, options.seeds)
    except MootError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def train(data: Path, out: Path, embedder: Embedder, seeds: Sequence[int]) -> None:
    """Networks from Perspectrum's train split and the other data, the rest from its dev split.

    Args:
        data: The folder with ``perspectrum`` and ``argkp``.
        out: Where weights, card and ranker go.
        embedder: The default one.
        seeds: One network each.

    Raises:
        ConfigError: The data is not there.
    """
    claims = perspectrum(data / "perspectrum")
    learned = [claim for claim in claims if claim.split == "train"]
    dev = [claim for claim in claims if claim.split == "dev"]
    out.mkdir(parents=True, exist_ok=True)
    dropped, n_pairs = _networks(data, out, claims, embedder, seeds)
    card = {
        "name": f"stance@{digest(out / 'stance.safetensors')[:8]}",
        "base": SHA256,
        "side": {"network": 1.0, "cues": 0.0, "shift": 0.0},
        "relevance": {"slope": 1.0, "shift": 0.0},
    }
    write_card(out / "card.json", card)  # readings need no calibration, but a model needs a card
    model = StanceModel(embedder, out)
    own, sides = own_pairs(dev)
    read = model.readings(own)
    split = ranking.as_split(dev, embedder)
    found = model.readings(ranking.pairs(split))
    gold = np.concatenate([ranking.right(split, i, 0) for i in range(len(split.claims))])
    network, cues, shift = _side(read, sides)
    same = ranking.same_point(learned, embedder)
    fitted = ranking.fit(split, ranking.by_claim(split, found), same)
    write_card(out / "ranker.json", fitted.model_dump())
    guessed = network * read.network + cues * read.cues + shift > 0
    write_card(
        out / "card.json",
        card
        | {
            "side": {"network": network, "cues": cues, "shift": shift},
            "relevance": relevance(read.cosine, found.cosine[~gold]).model_dump(),
            "task": "(claim, text) -> support, oppose, unclear",
            "seeds": list(seeds),
            "networks": "4 x 384 -> 256 -> 1, float16, over all-MiniLM-L6-v2",
            "training pairs": n_pairs,
            "licences": LICENCES,
            "licence": "CC BY-SA 4.0, as of the data it was fitted to",
            "leak filter": leak_filter(dropped),
            "dev": {"pairs": len(own), "accuracy": round(float((guessed == sides).mean()), 4)},
        },
    )


def _networks(
    data: Path, out: Path, claims: Sequence[Claim], embedder: Embedder, seeds: Sequence[int]
) -> tuple[dict[str, int], int]:
    """Write all seeds' weights; returns what the leak filter dropped, and how much was left."""
    from safetensors.numpy import save

    from evals.stance.fit import fit, rows_of, vectors_of

    kept = licensed(data, claims, embedder)
    rows = rows_of(kept)
    a, b = vectors_of(rows, embedder)
    sides = [row.side for row in rows]
    weights: Weights = {}
    for seed in seeds:
        weights |= fit(a, b, sides, seed=seed)
    (out / "stance.safetensors").write_bytes(save(weights))
    return kept.dropped, len(rows)


def own_pairs(dev: Sequence[Claim]) -> tuple[list[tuple[str, str]], NDArray[np.bool_]]:
    """Every claim with each of its perspectives, and whether that supports it."""
    rows = [
        ((claim.text, text), cluster.side > 0)
        for claim in dev
        for cluster in claim.clusters
        for text in cluster.texts
    ]
    return [pair for pair, _ in rows], np.array([side for _, side in rows])


def _side(read: Readings, sides: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Weights of network and cues, and the intercept, that fit these sides best."""
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # no stubs

    model = LogisticRegression(C=1e4).fit(np.stack([read.network, read.cues], axis=1), sides)
    network, cues = model.coef_[0]
    return float(network), float(cues), float(model.intercept_[0])


def relevance(own: NDArray[np.float64], others: NDArray[np.float64]) -> Platt:
    """From the cosines of a claim's texts and of near ones that are not: the chance to be own.

    Both kinds weigh the same: a text at hand is as often on the claim as beside it.
    """
    from sklearn.linear_model import LogisticRegression

    cosines = np.concatenate([own, others])
    gold = np.arange(len(cosines)) < len(own)
    model = LogisticRegression(C=1e4, class_weight="balanced").fit(cosines[:, None], gold)
    return Platt(slope=float(model.coef_[0, 0]), shift=float(model.intercept_[0]))


def leak_filter(dropped: dict[str, int]) -> dict[str, Any]:
    """What a card says of what was kept out of the training, and how much that was."""
    return {
        "against": "Perspectrum dev and test",
        "cosine of claims": NEAR_CLAIM,
        "cosine of texts": NEAR_TEXT,
        "dropped": dropped,
    }


def write_card(path: Path, value: Any) -> None:
    """As JSON for people."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
