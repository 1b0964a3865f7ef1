"""``python -m bench [name ...]`` runs the benchmarks named, or all that need no data."""

from __future__ import annotations

import sys
from importlib import import_module

ALL = ("startup", "chain", "discuss", "metrics", "throughput", "evaluation", "units", "storm",
       "web", "roundtable", "perplexity")  # fmt: skip


def main() -> None:
    """Run them one after the other, each under its name."""
    for name in sys.argv[1:] or ALL:
        print(f"== {name}: {(import_module(f'bench.{name}').__doc__ or '').splitlines()[0]}")
        import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main()
