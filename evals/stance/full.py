"""Train the full stance model: cross-encoders beside the shipped networks, and a ranker with both.

Its ranker reads no cues, so that nothing in it was tuned on texts beside Perspectrum's test.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evals.stance import cross_fit, ranking
from evals.stance.corpora import Sided, perspectrum
from evals.stance.neighbours import Beside, neighbours
from evals.stance.pairs import licensed
from evals.stance.train import LICENCES, leak_filter, own_pairs, write_card
from modules.retrieval.embed import Embedder
from modules.retrieval.minilm import SHA256, tokenizer, verified
from modules.stance.cross import FROZEN, Pairs, about, pretrained, save
from modules.stance.model import StanceModel
from modules.stance.weights import SHIPPED, digest

FEATURES = (
    *ranking.NEAR, "network", "smooth_network",
    "cross", "smooth_cross", "relevance", "smooth_relevance",
)  # fmt: skip

Say = Callable[[str], None]


def train_full(
    data: Path, out: Path, embedder: Embedder, seeds: Sequence[int], *,
    epochs: int = cross_fit.EPOCHS, say: Say = print,
) -> None:  # fmt: skip
    """Cross-encoders from the training data, calibration and ranker from Perspectrum's dev split.

    A seed whose file is there, and was trained in this way on these data, is not trained again:
    what was broken off goes on with the next seed.

    Args:
        data: The folder with ``perspectrum`` and ``argkp``.
        out: Where weights, card and ranker go.
        embedder: The default one.
        seeds: One cross-encoder each.
        epochs: Passes over the data.
        say: Told how it goes.

    Raises:
        ConfigError: The data is not there.
    """
    claims = perspectrum(data / "perspectrum")
    kept = licensed(data, claims, embedder)
    beside, sided = neighbours(kept, embedder)
    recipe = _recipe(beside, sided, epochs)
    out.mkdir(parents=True, exist_ok=True)
    files = [_cross(out, seed, beside, sided, recipe, epochs, say) for seed in sorted(seeds)]
    shutil.copyfile(SHIPPED / "stance.safetensors", out / "stance.safetensors")
    shipped = json.loads((SHIPPED / "card.json").read_text("utf-8"))
    crossed = {path.name: digest(path) for path in files}
    card = {
        "name": f"stance-full@{_short(crossed)}",
        "base": SHA256,
        "side": shipped["side"],
        "relevance": shipped["relevance"],
        "cross": crossed,
    }
    write_card(out / "card.json", card)  # readings need no calibration, but a model needs a card
    dev = [claim for claim in claims if claim.split == "dev"]
    split = ranking.as_split(dev, embedder)
    model = StanceModel(embedder, out)
    own, sides = own_pairs(dev)
    read = model.readings(own)
    weights, accuracy = _side(np.stack([read.network, read.cues, read.cross], axis=1), sides)
    found = ranking.by_claim(split, model.readings(ranking.pairs(split)))
    same = ranking.same_point(kept.claims, embedder)
    fitted = ranking.fit(split, found, same, features=FEATURES)
    write_card(out / "ranker.json", fitted.model_dump())
    alone = float(np.mean((read.cross > 0) == sides))
    told: dict[str, Any] = {
        "side": dict(zip(("network", "cues", "cross", "shift"), weights, strict=True)),
        "task": "(claim, text) -> support, oppose, unclear; and how near a text is to the claim",
        "seeds": sorted(seeds),
        "networks": shipped["name"],
        "cross-encoders": f"all-MiniLM-L6-v2, all but embeddings and {FROZEN} lower layers trained",
        "recipe": recipe,
        "command": f"python -m evals.stance.train --full --seeds {' '.join(map(str, seeds))}",
        "training pairs": {
            "claims": len(beside),
            "with texts beside them": sum(len(each.own) for each in beside),
            "for sides alone": len(sided),
        },
        "licences": LICENCES,
        "licence": "CC BY-SA 4.0, as of the data it was fitted to",
        "leak filter": leak_filter(kept.dropped),
        "dev": {
            "pairs": len(own),
            "accuracy": round(accuracy, 4),
            "accuracy of the cross-encoders alone": round(alone, 4),
        },
        "ranker": "reads no cues; regressions fitted on dev",
        "limits": shipped["limits"],
        "cues": shipped["cues"] + " They count in readings of a side, not in the ranker.",
    }
    write_card(out / "card.json", card | told)
    say(f"{out}: side right on {100 * accuracy:.1f} % of {len(own)} dev pairs")


def _cross(
    out: Path, seed: int, beside: Sequence[Beside], sided: Sequence[Sided], recipe: str,
    epochs: int, say: Say,
) -> Path:  # fmt: skip
    """The file of one seed's cross-encoder, trained unless it is there."""
    path = out / f"cross-{seed}.safetensors"
    if path.exists() and about(path).get("recipe") == recipe:
        say(f"{path}: is there")
        return path
    torch.manual_seed(seed)
    model = pretrained()
    pairs = Pairs(tokenizer(verified()))
    cross_fit.fit(model, pairs, beside, sided, seed=seed, epochs=epochs, say=say)
    save(model, path, {"recipe": recipe, "seed": str(seed)})
    return path


def _recipe(beside: Sequence[Beside], sided: Sequence[Sided], epochs: int) -> str:
    """Identifies the data and the way of training."""
    how = [
        epochs, FROZEN, cross_fit.BATCH, cross_fit.RATE, cross_fit.HEAD_RATE, cross_fit.DECAY,
        cross_fit.WARM, cross_fit.SMOOTHING, cross_fit.DENIED,
    ]  # fmt: skip
    return _short([how, beside, sided])


def _short(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:8]


def _side(rows: np.ndarray, sides: np.ndarray) -> tuple[list[float], float]:
    """Weights of network, cues and cross-encoders with the intercept, and how often they agree."""
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # no stubs

    model = LogisticRegression(C=1e4).fit(rows, sides)
    return [*model.coef_[0].tolist(), float(model.intercept_[0])], float(model.score(rows, sides))
