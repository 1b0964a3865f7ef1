"""Many pages at once: addresses to documents, in order, each with its reason where refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import groupby

import httpx

from modules.retrieval.database import parts
from modules.retrieval.types import Candidate
from modules.retrieval.web.fetch import Fetcher
from signatures.errors import MootError
from signatures.results import Refused

AHEAD = 32
"""Pages fetched together, and held in memory."""


def fetched(
    found: Iterable[Candidate | Refused], fetcher: Fetcher
) -> Iterator[Candidate | Refused]:
    """``found`` in order, with the pages that were still to be fetched fetched or refused."""
    for remote, run in groupby(found, key=lambda it: isinstance(it, Candidate) and it.remote):
        if not remote:
            yield from run
            continue
        pages = (item for item in run if isinstance(item, Candidate))
        for part in parts(pages, AHEAD):
            yield from _together(part, fetcher)


def _together(pages: Sequence[Candidate], fetcher: Fetcher) -> list[Candidate | Refused]:
    """Hosts at once, each host's pages one after the other."""
    hosts: defaultdict[str, list[int]] = defaultdict(list)
    for index, page in enumerate(pages):
        hosts[_host(page.origin.url)].append(index)
    done: dict[int, Candidate | Refused] = {}

    def visit(indices: list[int]) -> None:
        for index in indices:
            done[index] = _fetched(pages[index], fetcher)

    with ThreadPoolExecutor(fetcher.settings.concurrency) as pool:
        list(pool.map(visit, hosts.values()))
    return [done[index] for index in range(len(pages))]


def _fetched(page: Candidate, fetcher: Fetcher) -> Candidate | Refused:
    origin = page.origin
    try:
        found = fetcher.page(origin.url)
    except MootError as error:
        return Refused(source=origin.source, reason=error.line())
    # The boundary: what a foreign server sends can break a library in ways nobody foresaw.
    except Exception as error:
        reason = f"cannot be fetched: {type(error).__name__}: {error}".split("\n", 1)[0]
        return Refused(source=origin.source, reason=reason[:300])
    return replace(page, raw=found.raw, origin=replace(origin, kind=found.kind, url=found.url))


def _host(url: str) -> str:
    try:
        return httpx.URL(url).host
    except httpx.InvalidURL:
        return ""  # refused in its turn


__all__ = ["AHEAD", "fetched"]
