"""The full PIR-Perspectrum task: p-Recall of BM25 and MiniLM, every operation, and their CPU time.

BM25 is compared with rank_bm25's own scores and every operation with a plain loop over documents,
on a sample of queries; the benchmark's time is taken after embedding. ``--stance`` adds
retriever=stance: that is an evaluation on test data, not to be repeated while a model is tuned.

``python -m bench.pir --data ../shared/data``
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from evals.matching import f1, jaccard
from evals.pir import Gold, Task, benchmark, demo, perspectrum
from evals.pir.benchmark import Figures, Settings
from evals.statistics import paired
from modules.lm.extractive import answer
from modules.perspectives import taken_apart
from modules.retrieval.converted import ConvertedMiniLM
from modules.retrieval.exhaustive import ByVectors, ByWords, Encodings, Exhaustive
from modules.retrieval.operations import OPERATIONS, Aspects, Operation, aspects, scores

PAPER = {"aliased": 39.2, "clean": 34.2}
SAMPLE = 12
GOLDS: tuple[Gold, ...] = ("clean", "aliased")

Floats = NDArray[np.float64]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, help="a folder that keeps the vectors")
    parser.add_argument("--stance", action="store_true")
    options = parser.parse_args()
    task = perspectrum(options.data / "perspectrum", "test")
    print(f"{len(task.queries)} queries, {len(task.documents)} documents")
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        cache = options.cache or Path(folder)
        encodings = Encodings(ConvertedMiniLM(cache / "openvino"), cache / "vectors")
        words(task)
        base = vectors(task, encodings)
        if options.stance:
            from modules.stance.retriever import ByStance

            stance(task, ByStance(task.documents, encodings), base)
    extraction(options.data)


def measured(task: Task, ranker: Exhaustive, operations: Sequence[Operation]) -> Figures:
    """The benchmark's tables at 5."""
    settings = Settings(tuple(operations), 1.0, GOLDS, (5,))
    return benchmark.run([task], lambda _: ranker, settings)


def words(task: Task) -> None:
    """BM25, and how far its scores are from rank_bm25's."""
    ranker = ByWords(task.documents)
    told(measured(task, ranker, ["none"]), "BM25")
    model = BM25Okapi([text.split(" ") for text in task.documents])
    found = ranker.scores(benchmark.asked(task), "none", 1.0)[::SAMPLE]
    expected = [model.get_scores(query.split(" ")) for query in task.queries[::SAMPLE]]
    print(f"  largest difference to rank_bm25: {np.abs(found - expected).max():.1e}")


def vectors(task: Task, encodings: Encodings) -> Figures:
    """Every operation, its time, and how far its scores are from a plain loop's."""
    sides = (task.queries, task.roots, task.perspectives)
    at = aspects(*(encodings.queries(texts) for texts in sides))
    documents = encodings.passages(task.documents)
    ranker = ByVectors(task.documents, encodings)
    began, cpu = time.perf_counter(), used()
    found = measured(task, ranker, OPERATIONS)
    print(f"{len(OPERATIONS)} operations: {used() - cpu:.1f} CPU s, "
          f"{time.perf_counter() - began:.1f} s after embedding")  # fmt: skip
    told(found, "MiniLM")
    sample = Aspects(*(part[::97] for part in at))
    for operation in OPERATIONS:
        ours = scores(operation, sample, documents)
        q, r, p = sample
        off = float(np.abs(ours - plain(operation, q, r, p, documents.astype(np.float64))).max())
        if off > 1e-6:
            raise SystemExit(f"{operation} is {off:.1e} off the plain loop")
    print("  every operation equals a plain loop to 1e-6")
    return found


def plain(operation: str, q: Floats, r: Floats, p: Floats, c: Floats) -> Floats:
    """S3's formulas, one query and one document at a time."""

    def cos(x: Floats, y: Floats) -> float:
        return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))

    def one(q: Floats, r: Floats, p: Floats, c: Floats) -> float:
        def off(x: Floats) -> Floats:
            return np.asarray(x - (x @ p) / (p @ p) * p)

        pairs = {
            "none": lambda: cos(q, c), "root": lambda: cos(r, c),
            "add": lambda: cos(r + p, c), "add_plus": lambda: cos(r + p, c + p),
            "concat": lambda: cos(np.r_[r, p], np.r_[c, c]),
            "concat_plus": lambda: cos(np.r_[r, p], np.r_[c, p]),
            "cast": lambda: cos(q - p, c), "cast_plus": lambda: cos(q - p, c - p),
            "dual_sum": lambda: cos(r, c) + cos(p, c),
            "tri_sum": lambda: cos(r, c) + cos(p, c) + cos(q, c),
            "pap": lambda: cos(off(q), c), "pap_plus": lambda: cos(off(q), off(c)),
        }  # fmt: skip
        return pairs[operation]()

    return np.asarray([[one(*each, d) for d in c] for each in zip(q, r, p, strict=True)])


def stance(task: Task, ranker: Exhaustive, base: Figures) -> None:
    """The ranker by stance, and what it gains over MiniLM, paired by root."""
    found = measured(task, ranker, ["none"])
    told(found, "stance")
    ours, theirs = (f.per_root["none", "clean", 5][0].tolist() for f in (found, base))
    gain = paired(ours, theirs)
    if gain.delta is not None and gain.low is not None and gain.high is not None:
        ends = f"[{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]"
        print(f"  stance - MiniLM, clean: {100 * gain.delta:+.1f} {ends}")


def extraction(data: Path) -> None:
    """Perspectives found by grammar alone, by both measures (S3, Table 6)."""
    for task in demo(data / "pir" / "pir_demo_dev.json"):
        said = []
        for query in task.queries:
            found = answer("FindPerspective", {"query": {"text": query}}, seed=0)["perspective"]
            said.append(taken_apart(query, found or "").perspective)
        pairs = list(zip(said, task.perspectives, strict=True))
        means = [100 * float(np.mean([one(*pair) for pair in pairs])) for one in (f1, jaccard)]
        print(f"perspectives found in {task.name}: F1 {means[0]:.1f}, Jaccard {means[1]:.1f}")


def told(figures: Figures, name: str) -> None:
    """One line for each operation."""
    held = {(row.operation, row.gold): row for row in figures.rows}
    for operation in dict.fromkeys(row.operation for row in figures.rows):
        shown = []
        for gold in GOLDS:
            row = held[operation, gold]
            low, high = row.ci or (float("nan"), float("nan"))
            shown.append(f"{gold} {row.p_recall:.1f} [{low:.1f}, {high:.1f}]")
        print(f"{name:<8} {operation:<12} {'   '.join(shown)}")


def used() -> float:
    """CPU seconds of this process."""
    found = resource.getrusage(resource.RUSAGE_SELF)
    return found.ru_utime + found.ru_stime


if __name__ == "__main__":
    main()
