"""CPU cost of a page: guarded fetching beside a plain client, boilerplate rules, language.

    python -m bench.web

Pages are the starter corpus's HTML files, served locally; the other costs are CPU milliseconds
for each of them, beside what partitioning the same page costs in all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import httpx
from lxml import html

from modules.retrieval.formats.boilerplate import stripped
from modules.retrieval.formats.html import read_html
from modules.retrieval.language import detected
from modules.retrieval.web.fetch import Fetcher
from modules.retrieval.web.settings import FetchSettings
from tests.servers.site import Site

CORPUS = Path(__file__).resolve().parent.parent / "data" / "corpus"
ROUNDS = 3


def cpu(work: Callable[[], object]) -> float:
    """CPU milliseconds of this thread for one call."""
    start = time.thread_time()
    work()
    return 1000 * (time.thread_time() - start)


def each(works: Iterable[Callable[[], object]]) -> float:
    """The mean of the least of a few rounds."""
    least = [min(cpu(work) for _ in range(ROUNDS)) for work in works]
    return sum(least) / len(least)


def main() -> None:
    """Print one line for each cost."""
    raws = {f"/{n}.html": p.read_bytes() for n, p in enumerate(sorted(CORPUS.glob("*/*.html")))}
    pages = [raw.decode() for raw in raws.values()]
    texts = ["\n".join(b.text for b in read_html(raw).blocks) for raw in raws.values()]
    print(f"{len(raws)} pages of {sum(map(len, pages)) // len(pages)} characters, CPU ms a page")
    loading = cpu(lambda: detected(texts[0]))
    with Site(raws) as site, httpx.Client() as plain:
        urls = [site.base_url + path for path in raws]
        fetcher = Fetcher(FetchSettings(allow_private=True, delay_s=0))
        fetcher.page(urls[0])  # robots.txt, certificates
        guarded = each([lambda url=url: fetcher.page(url) for url in urls])  # type: ignore[misc] # mypy cannot infer a lambda with a default
        free = each([lambda url=url: plain.get(url) for url in urls])  # type: ignore[misc] # the same
    print(f"fetched, guarded      {guarded:8.2f}   ({guarded / free:.1f} times a plain client)")
    rules = each([lambda page=page: stripped(html.document_fromstring(page)) for page in pages])  # type: ignore[misc] # the same
    whole = each([lambda raw=raw: read_html(raw) for raw in raws.values()])  # type: ignore[misc] # the same
    print(f"boilerplate           {rules:8.2f}   ({100 * rules / whole:.0f} % of partitioning)")
    told = each([lambda text=text: detected(text) for text in texts])  # type: ignore[misc] # the same
    right = sum(detected(text) == "en" for text in texts)
    print(f"language              {told:8.2f}   ({right} of {len(texts)} found English)")
    print(f"language, first use   {loading:8.0f}")


if __name__ == "__main__":
    main()
