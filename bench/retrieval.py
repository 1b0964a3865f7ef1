"""Retrieval quality on Perspectrum: claims -> argument documents, nDCG@10 and Recall@10.

The store is built as ingestion builds it: documents cut into chunks, chunks embedded and indexed
for full text. A search asks for 30 chunks; a document ranks where its best chunk does. Relevant
are the documents that argue for or against the claim. What fusion and diversity were tuned on
(the train claims) is not what is reported (the dev claims). Figures are compared claim by claim
with trec_eval's own code (package pytrec_eval-terrier); intervals are 95 % bootstrap intervals
over claims. ``--train`` prints the same table for the train claims.

``python -m bench.retrieval --data ../shared/data``
"""

from __future__ import annotations

import argparse
import hashlib
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import texts
from evals.statistics import interval, paired
from modules.retrieval import EvidenceStore
from modules.retrieval.chunk import chunk
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.embed import Embedder, Vectors
from modules.retrieval.types import Block, Chunk, Document, Origin

K = 10
CHUNKS = 30
RUNS: dict[str, dict[str, Any]] = {
    "BM25": {"mode": "fulltext"},
    "dense": {"mode": "dense"},
    "hybrid": {"mode": "hybrid"},
    "hybrid by rank": {"mode": "hybrid", "fusion": "rank"},
    "hybrid, MMR 0.9": {"mode": "hybrid", "mmr": 0.9},
    "hybrid, MMR 0.7": {"mode": "hybrid", "mmr": 0.7},
    "hybrid, MMR 0.5": {"mode": "hybrid", "mmr": 0.5},
}

Run = dict[str, list[str]]
"""Claim -> document ids, best first."""


class Known:
    """The default embedder with vectors that are known already."""

    def __init__(self, model: Embedder, known: dict[str, Vectors]) -> None:
        self._model = model
        self._known = known
        self.name, self.dimension, self.window = model.name, model.dimension, model.window
        self.token_count, self.warm = model.token_count, model.warm

    def encode(self, asked: Sequence[str]) -> Vectors:
        """``(n,)`` texts to ``(n, dimension)`` unit vectors."""
        new = [text for text in dict.fromkeys(asked) if text not in self._known]
        if new:
            self._known.update(zip(new, self._model.encode(new), strict=True))
        return np.stack([self._known[text] for text in asked])


def main() -> None:
    """Print one line for each way to search."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--train", action="store_true")
    options = parser.parse_args()
    data = options.data / "perspectrum"
    claims = gold(data, "train" if options.train else "dev")
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        store = filled(data, Path(folder))
        print(f"{len(claims)} claims, {store.count()} chunks")
        found = {name: searched(store, list(claims), how) for name, how in RUNS.items()}
    scores = {name: scored(claims, run) for name, run in found.items()}
    checked(claims, found, scores)
    report(scores)


def gold(data: Path, split: str) -> dict[str, set[str]]:
    """Claim -> the documents that argue for or against it."""
    rows: list[Any] = texts.lines(data / "claim_to_documents.jsonl")
    return {
        row["claim"]: {*row["rel"]["for"], *row["rel"]["against"]}
        for row in rows
        if row["split"] == split
    }


def filled(data: Path, folder: Path) -> EvidenceStore:
    """An index of all documents; a document's text alone, its claim and headline left out."""
    model = texts.embedder()
    pieces = [
        piece
        for row in texts.lines(data / "evidence_corpus_debatewise_procon.jsonl")
        for piece in _chunks(row["doc_id"], row["text"], model)
    ]
    wanted = sorted({piece.text for piece in pieces})
    known = dict(zip(wanted, texts.vectors(wanted, model), strict=True))
    store = EvidenceStore(folder, Known(model, known))
    store.upsert(pieces)
    return store.pinned()


def searched(store: EvidenceStore, claims: list[str], how: dict[str, Any]) -> Run:
    """The documents found for each claim."""
    holders: dict[str, list[str]] = {row["id"]: sorted(row["sources"]) for row in store.rows()}
    found = store.search(claims, CHUNKS, **how)
    return {
        claim: list(dict.fromkeys(doc for passage in each for doc in holders[passage.id]))
        for claim, each in zip(claims, found, strict=True)
    }


def scored(claims: dict[str, set[str]], run: Run) -> dict[str, list[float]]:
    """nDCG@10 with gains of 1, and Recall@10, claim by claim."""
    gains = [[doc in wanted for doc in run[claim][:K]] for claim, wanted in claims.items()]
    sizes = [len(wanted) for wanted in claims.values()]
    return {
        "nDCG": [
            _gain(gain) / _gain([True] * min(size, K))
            for gain, size in zip(gains, sizes, strict=True)
        ],
        "Recall": [sum(gain) / size for gain, size in zip(gains, sizes, strict=True)],
    }


def checked(
    claims: dict[str, set[str]], found: dict[str, Run], scores: dict[str, dict[str, list[float]]]
) -> None:
    """Compare every figure with trec_eval's."""
    import pytrec_eval

    numbers = {claim: str(at) for at, claim in enumerate(claims)}
    judged = {numbers[claim]: dict.fromkeys(wanted, 1) for claim, wanted in claims.items()}
    judge = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10", "recall.10"})
    worst = 0.0
    for name, run in found.items():
        ranked = {
            numbers[claim]: {doc: float(-at) for at, doc in enumerate(docs)}
            for claim, docs in run.items()
        }
        theirs = judge.evaluate(ranked)
        for at in numbers.values():
            ours = (scores[name]["nDCG"][int(at)], scores[name]["Recall"][int(at)])
            told = (theirs[at]["ndcg_cut_10"], theirs[at]["recall_10"])
            worst = max(worst, *(abs(a - b) for a, b in zip(ours, told, strict=True)))
    print(f"largest difference from trec_eval, any claim and figure: {worst:.1e}")
    if worst > 1e-6:
        raise SystemExit("the figures are not trec_eval's")


def report(scores: dict[str, dict[str, list[float]]]) -> None:
    """Print means, intervals, and what hybrid gains over the better of its halves."""
    for name, figures in scores.items():
        print(f"{name:18}", *(_told(label, values) for label, values in figures.items()))
    for label in ("nDCG", "Recall"):
        better = max(("BM25", "dense"), key=lambda half: float(np.mean(scores[half][label])))
        gain = paired(scores["hybrid"][label], scores[better][label])
        print(
            f"hybrid - {better}, {label}@{K}: {gain.delta:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
        )


def _told(label: str, values: list[float]) -> str:
    ends = interval(values)
    return f"  {label}@{K} {np.mean(values):.3f} [{ends.low:.3f}, {ends.high:.3f}]"


def _gain(found: Sequence[bool]) -> float:
    return sum(1 / math.log2(rank + 1) for rank, hit in enumerate(found, 1) if hit)


def _chunks(name: str, text: str, model: ConvertedMiniLM) -> list[Chunk]:
    digest = hashlib.sha256(text.encode()).hexdigest()
    document = Document(Origin(name, lang="en"), (Block(text),), digest)
    return chunk(document, model.token_count, model.window)


if __name__ == "__main__":
    main()
