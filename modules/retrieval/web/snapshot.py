"""What a run has searched and fetched, on disk, so that nothing is asked of the web twice.

``searches.jsonl`` has a line for every query answered, ``pages.jsonl`` one for every page with
what became of it, ``index/`` the texts. All of it is the run's own: the web of the day it ran.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from modules.disk import storage

_SEARCHES = "searches.jsonl"
_PAGES = "pages.jsonl"


class Held(NamedTuple):
    """A page as it was taken: ``source`` names it in the index; empty where it was refused."""

    url: str
    source: str
    reason: str = ""


class Snapshot:
    """The folder of one run; one process writes it at a time.

    Args:
        folder: Created by the first write.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._searches: dict[str, list[str]] = {}
        for row in _rows(folder / _SEARCHES):
            self._searches[_key(row["by"], row["query"])] = row["urls"]
        self.pages = {row["url"]: Held(**row) for row in _rows(folder / _PAGES)}

    @property
    def index(self) -> Path:
        """The folder of the table that holds the texts."""
        return self.folder / "index"

    @property
    def searched(self) -> int:
        """How many queries were answered."""
        return len(self._searches)

    def found(self, by: dict[str, Any], query: str) -> list[str] | None:
        """The addresses a query found, best first; None if it was not asked yet."""
        return self._searches.get(_key(by, query))

    def add_search(self, by: dict[str, Any], query: str, urls: list[str]) -> None:
        """Keep what a query found. A query that found nothing is not kept: it is asked again.

        Args:
            by: The provider's identity, and how many results were asked for.
            query: As it was sent.
            urls: Best first.
        """
        if urls:
            _append(self.folder / _SEARCHES, [{"by": by, "query": query, "urls": urls}])
            self._searches[_key(by, query)] = urls

    def add_pages(self, pages: Iterable[Held]) -> None:
        """Keep what became of pages."""
        told = list(pages)
        _append(self.folder / _PAGES, [page._asdict() for page in told])
        self.pages.update((page.url, page) for page in told)


def _key(by: dict[str, Any], query: str) -> str:
    return json.dumps([by, query], sort_keys=True, ensure_ascii=False)


def _append(path: Path, rows: list[dict[str, Any]]) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        torn = path.exists() and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            file.write("\n" * torn + lines)


def _rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a file; one torn by a kill is dropped."""
    found = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


__all__ = ["Held", "Snapshot"]
