"""The web as a retriever: queries to pages, pages to a table of the run's own, then ranking."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from pydantic import Field, InstanceOf, PrivateAttr

from modules.retrieval.database import parts
from modules.retrieval.embed import Embedder
from modules.retrieval.ingestion import absorb
from modules.retrieval.ranking import DEPTH, Mode
from modules.retrieval.sources import page_at
from modules.retrieval.specs import TRUSTED, RerankSpec, RetrieverSpec
from modules.retrieval.store import EvidenceStore
from modules.retrieval.web.fetch import Fetcher
from modules.retrieval.web.guard import host_of
from modules.retrieval.web.pages import AHEAD, fetched
from modules.retrieval.web.search import SearchSpec
from modules.retrieval.web.settings import FetchSettings
from modules.retrieval.web.snapshot import Held, Snapshot
from modules.retrieval.web.trust import Trust
from signatures.errors import ConfigError, EvidenceError
from signatures.types import Passage

_ASKED_AT_ONCE = 4  # queries under way at a provider


class WebSpec(RetrieverSpec):
    """Search the web, fetch what is trusted, rank it as the corpus is ranked.

    Args:
        search: The provider.
        results: How many pages a query asks for, before the trusted are told from the others.
        mode: This, ``depth``, ``mmr`` and ``rerank`` are as for the corpus: see
            :class:`~modules.retrieval.specs.StoreRetrieverSpec`.
        trust: Which domains may be used.
        fetch: Limits on fetching.
    """

    search: InstanceOf[SearchSpec]
    results: int = Field(default=10, ge=1, le=100)
    mode: Mode = "hybrid"
    depth: int = Field(default=DEPTH, ge=1, le=1000)
    mmr: float | None = Field(default=None, ge=0, le=1)
    rerank: RerankSpec | None = None
    trust: Trust
    fetch: FetchSettings
    _folder: Path | None = PrivateAttr(default=None)

    def for_run(self, folder: Path) -> WebSpec:
        spec = self.model_copy()
        spec._folder = folder / "web"
        return spec

    def trusting(self, only: bool) -> WebSpec:
        allow = (self.trust.allow or TRUSTED) if only else ()
        return self.model_copy(update={"trust": self.trust.model_copy(update={"allow": allow})})

    def open(self, index: Path, embedder: Any) -> WebRetriever:
        """The retriever; the corpus's ``index`` is not read.

        Raises:
            BackendError: The provider's key is missing.
            ConfigError: There is no run to keep the pages in.
        """
        if self._folder is None:
            raise ConfigError(
                "retriever=web cannot be used here: it keeps its pages in a run's folder",
                remedy="use it in moot essay, or ingest the pages: moot ingest urls.txt",
            )
        self.search.check()
        return WebRetriever(self, self._folder, embedder)


class WebRetriever:
    """Passages of pages that a provider finds, all kept under ``folder``.

    A call's passages come from the pages its own queries found. What was searched and fetched
    once is not asked of the web again by the same run, resumed or not; a new run asks anew,
    since the web has changed. An earlier run's pages can be read again as a corpus: its
    ``web/index`` is an index like any other.

    Args:
        spec: Provider and limits.
        folder: Where searches and pages are kept; its parent is named after the run.
        embedder: As for the corpus.
    """

    def __init__(self, spec: WebSpec, folder: Path, embedder: Embedder) -> None:
        self._spec = spec
        self._run = folder.parent.name
        self._snapshot = Snapshot(folder)
        self._store = EvidenceStore(self._snapshot.index, embedder)
        self._fetcher = Fetcher(spec.fetch, spec.trust.trusts)
        self._reranker = spec.rerank.open() if spec.rerank else None
        self._by = {**spec.search.identity(), "results": spec.results}
        self._lock = threading.Lock()

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        """For each query the ``k`` best passages, best first.

        Raises:
            EvidenceError: No query found a page that can be used.
            BackendError: The provider refuses (see :class:`SearchSpec`).
        """
        if not queries:
            return []
        with self._lock:  # one table, one writer
            urls = self._found(queries)
            trusted = [url for url in urls if self._spec.trust.trusts(_host(url))]
            self._take([url for url in trusted if url not in self._snapshot.pages])
            held = [self._snapshot.pages[url] for url in trusted]
            sources = sorted({page.source for page in held if page.source})
            if not sources:
                raise self._nothing(queries, urls, held)
            return self._store.search(
                queries,
                k,
                mode=self._spec.mode,
                filters={"source": sources},
                depth=self._spec.depth,
                mmr=self._spec.mmr,
                reranker=self._reranker,
            )

    def identity(self) -> dict[str, Any]:
        """The run's name stands for what it fetched: its stages are its own."""
        return {
            "retriever": "web",
            "run": self._run,
            "search": self._by,
            "mode": self._spec.mode,
            "depth": self._spec.depth,
            "mmr": self._spec.mmr,
            "reranker": self._reranker.name if self._reranker else None,
            "trust": self._spec.trust.model_dump(mode="json"),
            "embedder": self._store.embedder.name,
        }

    @property
    def corpus_version(self) -> str | None:
        """The name of the run's table as it is now; None while there is none."""
        return self._store.corpus_version() if self._store.exists else None

    def notes(self) -> list[str]:
        """What was searched and fetched, in one line."""
        pages = self._snapshot.pages.values()
        refused = sum(not page.source for page in pages)
        return [
            f"{self._snapshot.searched} web searches by {self._spec.search.name}, "
            f"{len(pages) - refused} pages taken, {refused} refused: "
            "see web/pages.jsonl in the run's folder"
        ]

    def _found(self, queries: Sequence[str]) -> list[str]:
        """The addresses that the queries find, each once, in order."""
        asked = list(dict.fromkeys(queries))
        known = {query: self._snapshot.found(self._by, query) for query in asked}
        new = [query for query, urls in known.items() if urls is None]
        with ThreadPoolExecutor(_ASKED_AT_ONCE) as pool:
            for query, urls in zip(new, pool.map(self._ask, new), strict=True):
                self._snapshot.add_search(self._by, query, urls)
                known[query] = urls
        return list(dict.fromkeys(url for urls in known.values() for url in urls or ()))

    def _ask(self, query: str) -> list[str]:
        hits = self._spec.search.search(query, self._spec.results)
        return list(dict.fromkeys(hit.url for hit in hits))

    def _take(self, urls: Sequence[str]) -> None:
        """Fetch pages into the table, and keep what became of each; a kill loses one part."""
        for part in parts(urls, AHEAD):
            self._take_part(part)

    def _take_part(self, urls: Sequence[str]) -> None:
        pages = (page_at(url, "web") for url in urls)
        report = absorb(fetched(pages, self._fetcher), self._store)
        same = {it.source: it.same_as for it in report.duplicates}
        reasons = {it.source: it.reason for it in report.refused}
        self._snapshot.add_pages(
            Held(url, "" if url in reasons else same.get(url, url), reasons.get(url, ""))
            for url in urls
        )

    def _nothing(
        self, queries: Sequence[str], urls: Sequence[str], held: Sequence[Held]
    ) -> EvidenceError:
        more = f" (and {len(queries) - 1} more)" if len(queries) > 1 else ""
        if not urls:
            got, remedy = "no result", "ask otherwise, or choose another provider: search=..."
        elif not held:
            got = f"{len(urls)} results, none on a trusted domain"
            remedy = "extend retriever.trust.allow, or empty it to trust every domain"
        else:
            got = f"{len(held)} pages, none usable; {held[0].url} {held[0].reason}"
            remedy = f"see {self._snapshot.folder / 'pages.jsonl'}"
        return EvidenceError(
            f"the web search by {self._spec.search.name} brings no evidence on "
            f"{queries[0][:80]!r}{more}",
            got=got,
            remedy=remedy,
        )


def _host(url: str) -> str:
    """The host of an address that a provider gave; empty, and so untrusted, if it has none."""
    try:
        return host_of(httpx.URL(url))
    except (httpx.InvalidURL, UnicodeError):
        return ""


__all__ = ["WebRetriever", "WebSpec"]
