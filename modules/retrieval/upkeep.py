"""What the index needs after writing: compaction, full text, and a vector index once it is large.

Run by the writer, under its lock. Measured by ``python -m bench.ann``.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from modules.retrieval import rows

if TYPE_CHECKING:
    from lancedb.table import Table

FLAT = 20_000
"""Chunks up to which an index is held in memory, texts included, and searched exactly, in 2 ms.

From some 60,000 on that takes as long as the vector index; but opening is then half a second and
150 MB, too much for a command that searches a few times.
"""

EF = 100
"""Candidates the vector index looks at for one query."""

SLACK = 2_000
"""Rows that may stand beside the vector index: they take 4 ms of a search."""

_NAME = "vector_idx"
_FRAGMENTS = 100
_FOREVER = timedelta(days=36_500)


def keep_up(table: Table) -> None:
    """Bring a changed table's files and indexes up to date.

    Full text is always built anew, because BM25 scores from parts added over time depend on the
    order in which they came. The vector index is built anew once more rows than a flat scan is
    good for are not in it; until then they are searched beside it.
    """
    from lancedb.index import FTS, BTree

    # Each compaction writes the whole table again, and tagged versions keep the old files: rare.
    if table.stats()["fragment_stats"]["num_small_fragments"] >= _FRAGMENTS:
        # By default LanceDB deletes what is a week old, and fails on versions that carry a tag.
        table.optimize(cleanup_older_than=_FOREVER)
    # One worker: parts would differ with the number of cores.
    table.create_index(rows.WORDS, config=FTS(num_workers=1), replace=True)
    if table.count_rows() > FLAT and _outside(table) > SLACK:
        graph(table, "vector", _NAME)
        table.create_index("id", config=BTree(), replace=True)


def graph(table: Table, column: str, name: str | None = None) -> None:
    """Build a column's vector index anew."""
    from lancedb.index import HnswSq

    config = HnswSq("cosine", num_partitions=1)
    table.create_index(column, config=config, replace=True, name=name or f"{column}_idx")


def _outside(table: Table) -> int:
    """How many rows the vector index does not hold."""
    stats = table.index_stats(_NAME)
    return int(table.count_rows() if stats is None else stats.num_unindexed_rows)
