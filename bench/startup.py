"""From an empty artifacts folder to an essay, as whole processes: ingest, first, second, repeated.

Each figure is one run of the command. What is not spent in the flow itself goes to Python's
imports and the start of Prefect's server, which overlap.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FIRST = "We should make all museums free of charge"
SECOND = "Animal testing should be banned"


def main() -> None:
    """Print one line for each command."""
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        root = Path(folder)
        _timed("ingest data/corpus, fresh artifacts", root, "ingest", "data/corpus")
        _timed("first essay", root, "essay", FIRST)
        _timed("second, different essay", root, "essay", SECOND)
        _timed("the second again", root, "essay", SECOND)


def _timed(label: str, root: Path, *words: str) -> None:
    environment = {**os.environ, "MOOT_ARTIFACTS": str(root)}
    started = time.perf_counter()
    command = [sys.executable, "-m", "flows.cli", *words, "output=json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    wall = time.perf_counter() - started
    document: dict[str, Any] = json.loads(done.stdout)
    inside = document["seconds"]
    print(f"{label:<38} {wall:5.1f} s wall, of which {inside:5.1f} s in the flow itself")


if __name__ == "__main__":
    main()
