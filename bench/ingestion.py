"""Ingestion against embedding alone: throughput, and how memory grows.

Documents are argument texts of the data beside the checkout, and as many more as are needed with
the sentences of two of them mixed. The raw rate is that of ``embedder.encode`` on 2,048 of the same
chunks, in batches as large as the ingestion's, in the same process: once before it and once after.
Wall seconds tell on a quiet machine only; CPU seconds are printed beside them. Memory is this
process's resident set; what it grows by is told from 5,000 chunks on, when models and caches are
there.

``python -m bench.ingestion --data ../shared/data --chunks 30000``
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import texts
from modules.retrieval import EvidenceStore, ingest
from modules.retrieval.chunk import chunk
from modules.retrieval.database import parts
from modules.retrieval.embed import Embedder
from modules.retrieval.ingestion import BATCH
from modules.retrieval.partition import load, partition
from modules.retrieval.sources import discover
from modules.retrieval.types import Candidate
from modules.text import sentences

SAMPLE = 2_048
SETTLED = 5_000
"""Chunks from which memory is followed."""

_CHUNKS_PER_DOCUMENT = 1.72
_EVERY = 50  # documents between two looks at memory


def main() -> None:
    """Print rates, their ratio, and what memory grows by."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--chunks", type=int, default=30_000)
    options = parser.parse_args()
    model = texts.embedder()
    wanted = int(options.chunks / _CHUNKS_PER_DOCUMENT)
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        source = Path(folder) / "documents.jsonl"
        _write(source, options.data, wanted)
        sample = _sample(source, model)
        model.encode(sample[:BATCH])  # loads, and meets texts of every length
        store = EvidenceStore(Path(folder) / "index", model)
        memory: list[float] = []

        def look(number: int, _source: str) -> None:
            if number % _EVERY == 0:
                memory.append(_resident())

        before, whole = _raw(model, sample), _Clock()
        report = ingest([source], store, progress=look)
        whole.stop()
        after = _raw(model, sample)
        disk = sum(f.stat().st_size for f in store.database.path.rglob("*") if f.is_file())
    count = 2 * len(sample)
    rate, alone = report.chunks / whole.wall, count / (before.wall + after.wall)
    cost, least = whole.cpu / report.chunks, (before.cpu + after.cpu) / count
    print(f"{report.chunks} chunks of {wanted} documents, {disk / 1e6:.0f} MB on disk")
    print(f"ingestion {rate:.1f} chunks/s, {1000 * cost:.2f} CPU ms a chunk")
    print(f"embedding {alone:.1f} chunks/s, {1000 * least:.2f} CPU ms a chunk "
          f"({1000 * before.cpu / len(sample):.2f} before, {1000 * after.cpu / len(sample):.2f} "
          "after)")  # fmt: skip
    print(
        f"of raw throughput: {rate / alone:.2f} by the wall clock, {least / cost:.2f} in CPU time"
    )
    thirds = [memory[len(memory) * n // 3 - 1] for n in (1, 2, 3)]
    print("resident after each third:", *(f"{each:.0f} MB" for each in thirds))
    settled = memory[int(SETTLED / report.chunks * len(memory)) :]
    if settled:
        # Means of tenths: what comes and goes within a batch is no growth.
        tenth = max(len(settled) // 10, 1)
        first, last = (sum(some) / tenth for some in (settled[:tenth], settled[-tenth:]))
        print(f"from {SETTLED} chunks on: {first:.0f} -> {last:.0f} MB, {last / first - 1:+.1%}")


def _sample(source: Path, model: Embedder) -> list[str]:
    """The texts of the first chunks."""
    found: list[str] = []
    candidates = (item for item in discover([source]) if isinstance(item, Candidate))
    for candidate in candidates:
        document = partition(candidate, load(candidate))
        found += [piece.text for piece in chunk(document, model.token_count, model.window)]
        if len(found) >= SAMPLE:
            break
    return found[:SAMPLE]


def _raw(model: Embedder, sample: list[str]) -> _Clock:
    clock = _Clock()
    for part in parts(sample, BATCH):
        model.encode(part)
    clock.stop()
    return clock


class _Clock:
    """Wall and CPU seconds from its making to :meth:`stop`."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def stop(self) -> None:
        """Turn instants into durations."""
        self.wall = time.perf_counter() - self.wall
        self.cpu = time.process_time() - self.cpu


def _write(path: Path, data: Path, count: int) -> None:
    """``count`` documents as JSONL: the real ones first, then mixtures of two."""
    rows: list[dict[str, Any]] = list(
        texts.lines(data / "perspectrum" / "evidence_corpus_debatewise_procon.jsonl")
    )
    cut = [sentences(row["text"]) for row in rows]
    chance = random.Random(0)
    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            if number < len(rows):
                text = rows[number]["text"]
            else:
                one, two = chance.sample(cut, 2)
                mixed = chance.sample(one + two, (len(one) + len(two) + 1) // 2)
                text = " ".join(mixed)
            out.write(json.dumps({"id": f"{number:06d}", "text": text}) + "\n")


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
