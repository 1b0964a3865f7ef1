"""Nearest neighbours at 30,000 and 100,000 vectors: build, latency, recall against exact search.

The vectors are real texts' (sentences of debates, see ``bench.texts``); from 30,000 on, mixtures
of two of them. Queries are 200 other texts. First the evidence store as it is configured, through
its own dense path; then raw LanceDB under several indexes, asking for 50 as the store does.
Recall@10 is against an exact search in numpy. ``--threshold`` measures instead how long a store
of growing size takes to open and to search when it is held in memory, and when it is indexed:
what :data:`modules.retrieval.upkeep.FLAT` was chosen by.

``python -m bench.ann --data ../shared/data``
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import texts
from modules.retrieval import EvidenceStore, upkeep
from modules.retrieval.embed import Vectors, unit
from modules.retrieval.types import Chunk, Origin

REAL, QUERIES, K, DEPTH = 30_000, 200, 10, 50
_PART = 5_000


class Given:
    """An embedder of texts that are numbers of vectors."""

    name, dimension, window = "given", 384, 256

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def encode(self, numbers: Sequence[str]) -> Vectors:
        """``(n,)`` numbers to ``(n, 384)`` vectors."""
        return self._vectors[[int(number) for number in numbers]]

    def token_count(self, numbers: Sequence[str]) -> list[int]:
        """One and the special tokens."""
        return [3] * len(numbers)

    def warm(self) -> None:
        """Nothing to load."""


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[REAL, 100_000])
    parser.add_argument("--threshold", action="store_true")
    options = parser.parse_args()
    real = texts.vectors(texts.arguments(options.data, REAL + QUERIES), texts.embedder())
    queries = real[REAL:]
    if options.threshold:
        for size in (5_000, 10_000, 20_000, 30_000, 50_000):
            _threshold(mixed(real[:REAL], size), queries)
        return
    for size in options.sizes:
        _table(mixed(real[:REAL], size), queries)


def mixed(real: Vectors, size: int) -> Vectors:
    """``(size, 384)``: the real vectors, and as many mixtures of two as are needed."""
    random = np.random.default_rng(0)
    extra = max(size - len(real), 0)
    pairs = random.integers(0, len(real), (extra, 2))
    share = random.uniform(0.3, 0.7, (extra, 1))
    mixtures = unit(real[pairs[:, 0]] * share + real[pairs[:, 1]] * (1 - share))
    return np.concatenate([real, mixtures])[:size]


def _table(vectors: Vectors, queries: Vectors) -> None:
    exact = _exact(vectors, queries)
    print(f"{len(vectors)} vectors{'':21} build s   p50 ms   p95 ms   recall@{K}")
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        store, seconds = _stored(vectors, queries, Path(folder))
        names = [str(len(vectors) + at) for at in range(len(queries))]
        _line("the store, dense", seconds, names, exact, partial(_searched, store))
        table = store.database.open("chunks")
        for name, config, how in _choices():
            started = time.perf_counter()
            if config is not None:
                table.create_index("vector", config=config, replace=True, name="vector_idx")
            seconds = time.perf_counter() - started
            _line(f"raw {name}", seconds, list(queries), exact, _raw(table, how))


def _choices() -> list[tuple[str, Any, dict[str, int]]]:
    """Name, index, and what its queries are told; without an index, all vectors are looked at."""
    from lancedb.index import HnswFlat, HnswSq, IvfFlat, IvfPq

    return [
        ("flat", None, {"bypass_vector_index": 0}),
        ("HNSW-SQ", HnswSq("cosine", num_partitions=1), {}),
        ("HNSW-SQ, refined", None, {"ef": 200, "refine_factor": 1}),
        (
            "HNSW-SQ 150, refined",
            HnswSq("cosine", num_partitions=1, ef_construction=150),
            {"ef": 200, "refine_factor": 1},
        ),
        ("HNSW-flat", HnswFlat("cosine", num_partitions=1), {"ef": 200}),
        ("IVF-flat, 20 probes", IvfFlat("cosine"), {"nprobes": 20}),
        (
            "IVF-PQ, 20 probes, refined",
            IvfPq("cosine", num_sub_vectors=48),
            {"nprobes": 20, "refine_factor": 10},
        ),
    ]


def _raw(table: Any, how: dict[str, int]) -> Callable[[Vectors], list[int]]:
    def search(vector: Vectors) -> list[int]:
        query = table.search(vector, vector_column_name="vector").distance_type("cosine")
        for name, value in how.items():
            query = getattr(query, name)(*([value] if value else []))
        found = query.select(["id", "_distance"]).limit(DEPTH).to_arrow()
        return [int(key) for key in found.column("id").to_pylist()[:K]]

    return search


def _searched(store: EvidenceStore, text: str) -> list[int]:
    return [int(found.id) for found in store.search([text], K, mode="dense")[0]]


def _stored(vectors: Vectors, queries: Vectors, folder: Path) -> tuple[EvidenceStore, float]:
    """A store of the vectors, pinned, and the seconds its indexes took."""
    store = EvidenceStore(folder, Given(np.concatenate([vectors, queries])))
    chunks = [
        Chunk(f"{at:08d}", str(at), Origin(f"{at}.md"), "", 0, "doc") for at in range(len(vectors))
    ]
    for start in range(0, len(chunks), _PART):
        store.put(store.prepare(chunks[start : start + _PART]))
    started = time.perf_counter()
    store.finish()
    return store.pinned(), time.perf_counter() - started


def _line(
    name: str,
    seconds: float,
    asked: list[Any],
    exact: NDArray[np.int64],
    search: Callable[[Any], list[int]],
) -> None:
    for query in asked[:5]:
        search(query)
    times, hits = [], 0
    for query, best in zip(asked, exact, strict=True):
        started = time.perf_counter()
        found = search(query)
        times.append(time.perf_counter() - started)
        hits += len(set(found) & set(best.tolist()))
    low, high = np.percentile(times, [50, 95]) * 1000
    print(f"{name:36} {seconds:7.1f} {low:8.1f} {high:8.1f} {hits / exact.size:10.4f}", flush=True)


def _threshold(vectors: Vectors, queries: Vectors) -> None:
    for name, flat in (("held", 10**9), ("indexed", 0)):
        upkeep.FLAT = flat
        with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
            store, seconds = _stored(vectors, queries, Path(folder))
            started = time.perf_counter()
            fresh = EvidenceStore(folder, store.embedder).pinned()
            opening = (time.perf_counter() - started) * 1000
            names = [str(len(vectors) + at) for at in range(len(queries))]
            label = f"{len(vectors):6} {name:8} opened in {opening:4.0f} ms"
            _line(label, seconds, names, _exact(vectors, queries), partial(_searched, fresh))


def _exact(vectors: Vectors, queries: Vectors) -> NDArray[np.int64]:
    """``(queries, 10)`` indices of the nearest."""
    return np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :K]


if __name__ == "__main__":
    main()
