"""Ingestion against embedding alone: throughput, and memory by thirds.

Documents are argument texts of the data beside the checkout, and as many more as are needed with
the sentences of two of them mixed. The raw rate is that of ``embedder.encode`` on 2,048
of the same chunks, before and after. Wall seconds tell on a quiet machine only; CPU seconds are
printed beside them. Memory is this process's resident set.

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
from modules.text import sentences

SAMPLE = 2_048
_CHUNKS_PER_DOCUMENT = 1.72


def main() -> None:
    """Print rates, their ratio, and the memory at each third."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--chunks", type=int, default=30_000)
    options = parser.parse_args()
    model = texts.embedder()
    model.encode(["warm"])
    wanted = int(options.chunks / _CHUNKS_PER_DOCUMENT)
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        source = Path(folder) / "documents.jsonl"
        _write(source, options.data, wanted)
        store = EvidenceStore(Path(folder) / "index", model)
        memory: list[float] = []
        whole = _Clock()
        report = ingest([source], store, progress=lambda *_: memory.append(_resident()))
        whole.stop()
        sample = [row["text"] for row in store.rows()[:SAMPLE]]
        disk = sum(f.stat().st_size for f in store.database.path.rglob("*") if f.is_file())
    raw = _Clock()
    model.encode(sample)
    raw.stop()
    rate, alone = report.chunks / whole.wall, len(sample) / raw.wall
    print(f"{report.chunks} chunks of {wanted} documents, {disk / 1e6:.0f} MB on disk")
    print(f"ingestion {rate:.1f} chunks/s, {1000 * whole.cpu / report.chunks:.2f} CPU ms a chunk")
    print(f"embedding {alone:.1f} chunks/s, {1000 * raw.cpu / len(sample):.2f} CPU ms a chunk")
    share = raw.cpu / len(sample) * report.chunks / whole.cpu
    print(f"of raw throughput: {rate / alone:.2f} by the wall clock, {share:.2f} in CPU time")
    thirds = [memory[len(memory) * n // 3 - 1] for n in (1, 2, 3)]
    print("resident after each third:", *(f"{each:.0f} MB" for each in thirds))


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
