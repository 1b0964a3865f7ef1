"""How well the built-in citation check tells what a passage does not bear out.

    python -m bench.citations --data ../shared/data
    python -m bench.citations --data ../shared/data --train modules/citations/model.json --pairs 800
    python -m bench.citations --data ../shared/data --unseen

Pairs of sentence and passage are made by ``bench.claims``, apart from the check's rules. Topics
are split in two by a fixed hash: the model is fitted and its thresholds are set on one half, the
figures are those of the other. Every kind of pair weighs the same, and the supported ones
together as much as the others.
"""

from __future__ import annotations

import argparse
import hashlib
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


MONOTONE = {
    **dict.fromkeys(("cosine", "covered", "covered_passage", "worst_clause"), 1),
    **dict.fromkeys(
        ("strange_numbers", "strange_names", "denied", "negations", "opposed", "absolute",
         "extreme", "unhedged", "turned", "doubted"),
        -1,
    ),
}  # fmt: skip
"""Features that may only raise, or only lower, the probability."""


def fit(rows: Floats, found: list[Pair]) -> dict[str, Any]:
    """Boosted trees and their calibration as plain numbers.

    The calibration, and the card's figures, come from trees fitted to the other four fifths of the
    topics: a tree's own pairs flatter it.
    """
    # It ships no annotations, and comes with sentence-transformers.
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    labels = [pair.supported for pair in found]
    scores = np.zeros(len(found))
    part = np.asarray([hashlib.sha256(pair.topic.encode()).digest()[1] % 5 for pair in found])
    for held in range(5):
        others = [pair for pair, at in zip(found, part, strict=True) if at != held]
        scores[part == held] = boosted(rows[part != held], others).decision_function(
            rows[part == held]
        )
    curve = LogisticRegression(C=1e6)
    curve.fit(scores[:, None], labels, sample_weight=weights(found))
    slope, shift = float(curve.coef_[0, 0]), float(curve.intercept_[0])
    chances = 1 / (1 + np.exp(-slope * scores - shift))
    weak, precision = operating(chances, found, RECALL)
    model = boosted(rows, found)
    content = {
        "features": list(Features._fields),
        "slope": round(slope, 6),
        "shift": round(shift + slope * float(model._baseline_prediction.item()), 6),
        "trees": [_plain(tree[0].nodes) for tree in model._predictors],
    }
    said = SupportModel(content).score([Features(*row) for row in rows])
    told = model.decision_function(rows) - float(model._baseline_prediction.item())
    if not np.allclose(said, told, atol=1e-3):
        raise RuntimeError("the written trees decide otherwise than the fitted ones")
    return content | {
        "fitted": {
            "weak": round(weak, 4),
            "supported": round(sure(chances, found), 4),
            "precision": round(precision, 4),
        }
    }


def boosted(rows: Floats, found: list[Pair]) -> Any:
    """Gradient-boosted trees over the features."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]

    model = HistGradientBoostingClassifier(
        max_iter=150, learning_rate=0.08, max_leaf_nodes=16, min_samples_leaf=40,
        l2_regularization=5.0, monotonic_cst=[MONOTONE.get(f, 0) for f in Features._fields],
    )  # fmt: skip
    return model.fit(rows, [pair.supported for pair in found], sample_weight=weights(found))


def _plain(nodes: Any) -> dict[str, list[float]]:
    """A tree of scikit-learn's as lists; a leaf leads to itself. There is no public way to it."""
    own = np.arange(len(nodes))
    leaf = nodes["is_leaf"].astype(bool)
    return {
        "feature": np.where(leaf, 0, nodes["feature_idx"]).tolist(),
        "limit": np.where(leaf, 0, np.ceil(nodes["num_threshold"] * 1e6) / 1e6).tolist(),
        "below": np.where(leaf, own, nodes["left"]).tolist(),
        "above": np.where(leaf, own, nodes["right"]).tolist(),
        "value": np.where(leaf, np.round(nodes["value"], 5), 0).tolist(),
    }


def train(check: SupportCheck, found: list[Pair], path: Path, made: str) -> None:
    """Fit on the pairs and write the model with its card."""
    rows = np.asarray(
        [c.features for c in check.compared([(stated(p.sentence), p.passage) for p in found])]
    )
    content = fit(rows, found)
    figures = content.pop("fitted")
    card = {
        "what": "probability that a passage bears out a sentence, from features of both",
        "how": "150 boosted trees of 16 leaves over the features, monotone in what is evidence",
        "data": "Perspectrum evidence corpus (CC BY-SA 4.0), IBM key points (CDLA-Sharing 1.0): "
        "the half of their topics that bench.stance.half_of calls dev; no text is kept here",
        "made_by": made,
        "embedder": "all-MiniLM-L6-v2",
        "pairs": dict(Counter(p.kind for p in found)),
        "fitted_half": figures | {"how": "each fifth of its topics by trees of the others"},
        "not_for": "other languages than English, or sentences far longer than 60 words",
    }
    trees = content.pop("trees")
    head = json.dumps({"card": card, **content}, indent=1).removesuffix("\n}")
    rest = ",\n  ".join(json.dumps(tree, separators=(",", ":")) for tree in trees)
    path.write_text(f'{head},\n "trees": [\n  {rest}\n ]\n}}\n', "utf-8")
    print(f"fitted on {len(found)} pairs: {figures}")


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


def unseen(check: SupportCheck, known: list[Pair], found: list[Pair]) -> None:
    """What is caught of each kind by a model fitted without it, at as many false alarms as the
    target allows.
    """
    rows, asked = (
        np.asarray(
            [c.features for c in check.compared([(stated(p.sentence), p.passage) for p in s])]
        )
        for s in (known, found)
    )
    true = np.asarray([pair.supported for pair in found])
    allowed = RECALL * (1 / PRECISION - 1)
    shares = []
    for kind in UNSUPPORTED:
        rest = [at for at, pair in enumerate(known) if pair.kind != kind]
        scores = boosted(rows[rest], [known[at] for at in rest]).decision_function(asked)
        order = np.argsort(scores[true], kind="stable")
        alarms = np.cumsum(weights(found)[true][order])
        limit = scores[true][order][np.searchsorted(alarms / alarms[-1], allowed)]
        here = np.asarray([pair.kind == kind for pair in found])
        shares.append(float(np.mean(scores[here] < limit)))
        print(f"fitted without {kind:20} caught {shares[-1]:.2f}", flush=True)
    print(f"mean {np.mean(shares):.2f}, at false alarms on {allowed:.0%} of the supported")


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
    parser.add_argument("--unseen", action="store_true", help="leave each kind out of the fitting")
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
        if options.unseen:
            known = pairs(options.data, lambda t: half_of(t) == "dev", options.pairs, options.seed)
            unseen(check, known, found)
            return
        if options.train:
            made = f"python -m bench.citations --train --pairs {options.pairs}"
            train(check, found, options.train, f"{made} --seed {options.seed}")
            return
        report(check, found)
        cost(embedder, found)


if __name__ == "__main__":
    main()
