"""``python -m evals.pir TASK ROWS.jsonl OUT.json``: a task from its public source's rows."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evals.pir.building import BUILDERS, save
from evals.pir.reading import lines
from signatures.errors import MootError


def main() -> int:
    """Read, build, write; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evals.pir", description=__doc__)
    parser.add_argument("task", choices=sorted(BUILDERS))
    parser.add_argument("rows", type=Path, help="JSON Lines; the fields are in evals.pir.building")
    parser.add_argument("out", type=Path, help="for moot retrieval dataset=pir dataset.path=OUT")
    options = parser.parse_args()
    try:
        task = BUILDERS[options.task](lines(options.rows))
    except MootError as error:
        sys.stderr.write(f"{error.line()}\n")
        return error.exit_code
    except KeyError as error:
        sys.stderr.write(f"a row of {options.rows} has no field {error}\n")
        return 2
    save([task], options.out)
    sys.stdout.write(f"{len(task.queries)} queries, {len(task.documents)} documents\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
