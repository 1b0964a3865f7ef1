"""Real texts from the data beside the checkout, and their vectors, embedded once.

Vectors are kept under ``artifacts/bench``, named by what was embedded and with what.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.embed import Embedder, Vectors
from modules.text import normalise, sentences

CACHE = Path(os.environ.get("MOOT_ARTIFACTS", "artifacts")) / "bench"
_PART = 1024  # texts between two lines of progress


def embedder() -> ConvertedMiniLM:
    """The default embedder, its converted copy beside the vectors."""
    return ConvertedMiniLM(CACHE.parent / "cache" / "openvino")


def lines(path: Path) -> list[dict[str, str]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def arguments(data: Path, count: int) -> list[str]:
    """``count`` different sentences of debates, in an order that only their texts decide."""
    unique = {normalise(text) for text in _all(data)} - {""}
    ordered = sorted(unique, key=lambda text: hashlib.sha256(text.encode()).digest())
    if len(ordered) < count:
        raise SystemExit(f"{data} holds {len(ordered)} texts, {count} are needed")
    return ordered[:count]


def vectors(texts: Sequence[str], model: Embedder) -> Vectors:
    """``(n,)`` texts to ``(n, dimension)`` unit vectors, from the cache if they are there."""
    content = "\0".join([model.name, *texts])
    path = CACHE / f"{hashlib.sha256(content.encode()).hexdigest()[:16]}.npy"
    if path.exists():
        found: Vectors = np.load(path, allow_pickle=False)
        return found
    parts = []
    for start in range(0, len(texts), _PART):
        parts.append(model.encode(texts[start : start + _PART]))
        print(f"\rembedded {start + len(parts[-1])} of {len(texts)}", end="", flush=True)
    print()
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.concatenate(parts), allow_pickle=False)
    return vectors(texts, model)


def _all(data: Path) -> Iterator[str]:
    perspectrum = data / "perspectrum"
    for row in lines(perspectrum / "evidence_corpus_debatewise_procon.jsonl"):
        yield from (row["claim"], row["perspective"], *sentences(row["text"]))
    for pooled in json.loads((perspectrum / "perspective_pool_v1.0.json").read_text("utf-8")):
        yield pooled["text"]
    for part in ("train", "dev"):
        with (data / "argkp" / f"arguments_{part}.csv").open(encoding="utf-8", newline="") as rows:
            yield from (row["argument"] for row in csv.DictReader(rows))
    for asked in lines(data / "berds" / "questions_dev.jsonl"):
        yield from (asked["question"], *asked["perspectives"])
