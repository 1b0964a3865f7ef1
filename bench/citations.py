"""How well the built-in citation check tells what a passage does not bear out.

    python -m bench.citations --data ../shared/data
    python -m bench.citations --data ../shared/data --train modules/citations/model.json

Pairs of sentence and passage are made by ``bench.claims``, apart from the check's rules. Topics
are split in two by a fixed hash: the model is fitted and its thresholds are set on one half, the
figures are those of the other. Every kind of pair weighs the same, and the supported ones
together as much as the others.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.claims import SUPPORTED, UNSUPPORTED, Pair, pairs
from bench.stance import half_of
from modules.citations.features import Features
from modules.citations.support import SupportCheck, SupportModel, fitted
from modules.citations.verbatim import stated
from modules.essay import CitationSettings
from modules.retrieval.converted import ConvertedMiniLM

RECALL, PRECISION = 0.8, 0.9
PLAIN = ("other topic", "negated", "number")
"""The kinds that any check must catch; the others are harder."""
Floats = NDArray[np.float64]


def weights(found: list[Pair]) -> Floats:
    """Equal shares for all kinds of one label, and for both labels; the mean is 1."""
    counts = Counter(pair.kind for pair in found)
    kinds = {
        True: sum(k in counts for k in SUPPORTED),
        False: sum(k in counts for k in UNSUPPORTED),
    }
    shares = [1 / counts[p.kind] / kinds[p.supported] for p in found]
    return np.asarray(shares) * len(found) / 2


def operating(chances: Floats, found: list[Pair], recall: float) -> tuple[float, float]:
    """The probability below which ``recall`` of the unsupported lie, and the precision there."""
    false = np.asarray([not pair.supported for pair in found])
    order = np.argsort(chances, kind="stable")
    hit = np.cumsum((weights(found) * false)[order])
    wrong = np.cumsum((weights(found) * ~false)[order])
    at = int(np.searchsorted(hit / hit[-1], recall))
    return float(chances[order][at]), float(hit[at] / (hit[at] + wrong[at]))


def sure(chances: Floats, found: list[Pair]) -> float:
    """The least probability from which ``PRECISION`` of the sentences are supported."""
    true = np.asarray([pair.supported for pair in found])
    order = np.argsort(-chances, kind="stable")
    right = np.cumsum((weights(found) * true)[order])
    every = np.cumsum(weights(found)[order])
    good = np.flatnonzero(right / every >= PRECISION)
    return float(chances[order][good[-1]])


def fit(rows: Floats, found: list[Pair]) -> dict[str, Any]:
    """A logistic regression over the features and their products, as plain numbers."""
    # It ships no annotations, and comes with sentence-transformers.
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
    from sklearn.preprocessing import (  # type: ignore[import-untyped]
        PolynomialFeatures,
        StandardScaler,
    )

    first = StandardScaler().fit(rows)
    powers = PolynomialFeatures(2, include_bias=False)
    terms = powers.fit_transform(first.transform(rows))
    second = StandardScaler().fit(terms)
    model = LogisticRegression(C=0.3, max_iter=4000)
    labels = [pair.supported for pair in found]
    model.fit(second.transform(terms), labels, sample_weight=weights(found))
    slopes = model.coef_[0] / second.scale_
    size = rows.shape[1]
    products = np.zeros((size, size))
    for slope, exponents in zip(slopes[size:], powers.powers_[size:], strict=True):
        i, j = np.repeat(np.arange(size), exponents)
        products[i, j] = slope
    return {
        "features": list(Features._fields),
        "mean": np.round(first.mean_, 6).tolist(),
        "scale": np.round(first.scale_, 6).tolist(),
        "bias": round(float(model.intercept_[0] - slopes @ second.mean_), 6),
        "linear": np.round(slopes[:size], 6).tolist(),
        "products": np.round(products, 6).tolist(),
    }


def train(check: SupportCheck, found: list[Pair], path: Path, made: str) -> None:
    """Fit on the pairs and write the model with its card."""
    rows = np.asarray(
        [c.features for c in check.compared([(stated(p.sentence), p.passage) for p in found])]
    )
    content = fit(rows, found)
    chances = SupportModel(content).probability([Features(*row) for row in rows])
    weak, precision = operating(chances, found, RECALL)
    backed = sure(chances, found)
    card = {
        "what": "probability that a passage bears out a sentence, from features of both",
        "how": "logistic regression (L2, C=0.3) over the features and their products",
        "data": "Perspectrum evidence corpus (CC BY-SA 4.0), IBM key points (CDLA-Sharing 1.0): "
        "the half of their topics that bench.stance.half_of calls dev; no text is kept here",
        "made_by": made,
        "embedder": "all-MiniLM-L6-v2",
        "pairs": dict(Counter(p.kind for p in found)),
        "fitted_half": {"weak": weak, "supported": backed, "precision": round(precision, 4)},
        "not_for": "other languages than English, or sentences far longer than 60 words",
    }
    path.write_text(json.dumps({"card": card, **content}, indent=1) + "\n", "utf-8")
    print(f"fitted on {len(found)} pairs; weak from {weak:.3f}, supported from {backed:.3f}; "
          f"precision {precision:.3f}")  # fmt: skip


def report(check: SupportCheck, found: list[Pair]) -> None:
    """The figures of the verdicts as a user meets them, and the table by kind."""
    asked = [(stated(p.sentence), p.passage) for p in found]
    chances = fitted().probability([c.features for c in check.compared(asked)])
    _at_recall("all kinds", chances, found)
    plain = [i for i, pair in enumerate(found) if pair.supported or pair.kind in PLAIN]
    _at_recall(", ".join(PLAIN), chances[plain], [found[i] for i in plain])
    verdicts = np.asarray([s.verdict for s in check(asked)])
    weight = weights(found)
    false = np.asarray([not pair.supported for pair in found])
    said = verdicts == "unsupported"
    hit, wrong = weight[said & false].sum(), weight[said & ~false].sum()
    print(f'verdict "unsupported" as configured: precision {hit / (hit + wrong):.3f}, '
          f"recall {hit / weight[false].sum():.3f}")  # fmt: skip
    backed = verdicts == "supported"
    right = weight[backed & ~false].sum()
    print(f'verdict "supported": precision {right / weight[backed].sum():.3f}, '
          f"recall {right / weight[~false].sum():.3f}")  # fmt: skip
    alarms = wrong / weight[~false].sum()
    print(
        f"\n{'kind':20}{'pairs':>6}{'supported':>11}{'weak':>7}{'unsupported':>13}{'precision':>11}"
    )
    for kind in (*SUPPORTED, *UNSUPPORTED):
        here = np.asarray([p.kind == kind for p in found])
        shares = [float(np.mean(verdicts[here] == v)) for v in ("supported", "weak", "unsupported")]
        against = "" if kind in SUPPORTED else f"{shares[2] / (shares[2] + alarms):11.2f}"
        print(
            f"{kind:20}{here.sum():6d}{shares[0]:11.2f}{shares[1]:7.2f}{shares[2]:13.2f}{against}"
        )
    print("(precision: of the verdict, with as many supported sentences as of this kind)")


def _at_recall(kinds: str, chances: Floats, found: list[Pair]) -> None:
    _, precision = operating(chances, found, RECALL)
    print(f"{kinds}: at {RECALL:.0%} recall of the unsupported: precision {precision:.3f}")


def cost(embedder: Any, found: list[Pair]) -> None:
    """CPU of checking twenty citations: of copied and of reworded sentences."""
    usual = CitationSettings()
    for kind in ("copied", "reworded"):
        asked = [(p.sentence, p.passage) for p in found if p.kind == kind][:20]
        for ahead in (False, True):
            check = SupportCheck(embedder, supported=usual.supported, weak=usual.weak)
            if ahead:
                check.prepare(passage for _, passage in asked)
            start, wall = time.process_time(), time.perf_counter()
            check(asked)
            spent, passed = time.process_time() - start, time.perf_counter() - wall
            how = "passages prepared" if ahead else "nothing prepared"
            print(f"20 {kind} sentences, {how}: {1000 * spent:.0f} ms CPU, {1000 * passed:.0f} ms")


def main() -> None:
    """Print the table, or fit the model first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--train", type=Path, metavar="FILE")
    parser.add_argument("--pairs", type=int, default=300, help="of each kind, at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not (options.data / "perspectrum").is_dir() or not (options.data / "argkp").is_dir():
        print(f"bench/citations.py: {options.data} lacks perspectrum/ or argkp/; "
              "pass --data FOLDER", file=sys.stderr)  # fmt: skip
        raise SystemExit(2)
    usual = CitationSettings()
    with tempfile.TemporaryDirectory() as cache:
        embedder = ConvertedMiniLM(Path(cache))
        check = SupportCheck(embedder, supported=usual.supported, weak=usual.weak)
        half = "dev" if options.train else "test"
        found = pairs(options.data, lambda t: half_of(t) == half, options.pairs, options.seed)
        if options.train:
            made = f"python -m bench.citations --train --pairs {options.pairs}"
            train(check, found, options.train, f"{made} --seed {options.seed}")
            return
        report(check, found)
        cost(embedder, found)


if __name__ == "__main__":
    main()
