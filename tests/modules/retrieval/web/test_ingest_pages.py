"""Addresses and lists of addresses into the index."""

from pathlib import Path

import pytest

from modules.retrieval import EvidenceStore, ingest
from modules.retrieval.web.fetch import Fetcher
from modules.retrieval.web.settings import FetchSettings
from signatures.errors import InputError
from tests.servers.site import Answer, Site, article, redirect

FEES = article("Museum fees", "Entry fees keep families out of public museums; free doors help.")
DATED = (
    '<html><head><title>Museen</title><meta name="date" content="2021-05-06"></head><body>'
    "<p>Ohne Eintrittsgeld hängen die Museen vom Haushalt des Staates ab.</p></body></html>"
)
BOMB = b"<p>" + b"<div>" * 50_000


def local() -> Fetcher:
    return Fetcher(FetchSettings(allow_private=True, delay_s=0, timeout_s=5))


def test_a_page_by_its_address(store: EvidenceStore) -> None:
    with Site({"/de": Answer(DATED.encode()), "/to-de": redirect("/de")}) as site:
        report = ingest([f"{site.base_url}/to-de"], store, fetcher=local())
        [taken] = report.taken
        assert (taken.source, taken.title) == (f"{site.base_url}/to-de", "Museen")
        [row] = store.rows()
        assert (row["url"], row["domain"]) == (f"{site.base_url}/de", "127.0.0.1")
        assert (row["date"], row["lang"], row["kind"]) == ("2021-05-06", "de", "html")


def test_a_list_reports_each_page(tmp_path: Path, store: EvidenceStore) -> None:
    pages: dict[str, Answer | bytes | str] = {
        "/fees": FEES,
        "/de": DATED,
        "/again": FEES,
        "/deep": BOMB,
        "/image": Answer(b"\x89PNG", type="image/png"),
        "/lies.pdf": Answer(b"<html><p>no pdf", type="application/pdf"),
        "/empty": "<html><script>draw()</script></html>",
    }
    with Site(pages) as site:
        asked = [site.base_url + path for path in (*pages, "/missing")]
        (tmp_path / "urls.txt").write_text("\n".join(["# museums", *asked]))
        report = ingest([tmp_path / "urls.txt"], store, fetcher=local())
        assert [taken.source for taken in report.taken] == asked[:2]
        assert [(d.source, d.same_as) for d in report.duplicates] == [(asked[2], asked[0])]
        reasons = {it.source.removeprefix(site.base_url): it.reason for it in report.refused}
        for path, said in {
            "/deep": "too deeply",
            "/image": "type image/png",
            "/lies.pdf": "named .pdf but holds HTML",
            "/empty": "no text",
            "/missing": "404",
        }.items():
            assert said in reasons.pop(path)
        assert reasons == {}
        before = report.corpus_version
        again = ingest([tmp_path / "urls.txt"], store, fetcher=local())
        assert again.corpus_version == before


def test_pages_gone_from_the_list_are_pruned(tmp_path: Path, store: EvidenceStore) -> None:
    listed = tmp_path / "pages.urls"
    with Site({"/fees": FEES, "/de": DATED}) as site:
        listed.write_text(f"{site.base_url}/fees\n{site.base_url}/de\n")
        ingest([listed], store, fetcher=local())
        listed.write_text(f"{site.base_url}/de\n")
        site.asked.clear()
        ingest([listed], store, fetcher=local(), prune=True)
        assert site.paths == ["/robots.txt", "/de"]  # once, though the list is read twice
        assert {row["source"] for row in store.rows()} == {f"{site.base_url}/de"}


def test_without_being_told_no_private_page_is_fetched(store: EvidenceStore) -> None:
    with Site({"/fees": FEES}) as site:
        with pytest.raises(InputError, match="not public"):
            ingest([f"{site.base_url}/fees"], store)
        assert site.asked == []
    assert not store.exists
