"""Work from the web: local search, local pages, the weight-free engine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modules.retrieval.partition import load, partition
from modules.retrieval.sources import discover
from modules.retrieval.types import Candidate
from tests.servers.search import Known, SearchServer
from tests.servers.site import Site, article
from tests.support import ROOT, composed

pytestmark = pytest.mark.usefixtures("prefect_server")

SUBJECT = "We should make all museums free of charge"
TWO = [{"title": "Guard", "stance": "against"}, {"title": "Teacher", "stance": "for"}]


@pytest.fixture
def web() -> Iterator[tuple[Site, SearchServer]]:
    """The starter corpus's museum texts as pages that can be found."""
    found = discover([ROOT / "data" / "corpus" / "free-museums"])
    documents = [partition(it, load(it)) for it in found if isinstance(it, Candidate)]
    texts = {f"/{n}": [block.text for block in it.blocks] for n, it in enumerate(documents)}
    titles = [it.origin.title for it in documents]
    pages = {
        path: article(title, *text)
        for (path, text), title in zip(texts.items(), titles, strict=True)
    }
    with Site(pages) as site, SearchServer() as search:
        search.pages = [
            Known(site.base_url + path, title, " ".join(text))
            for (path, text), title in zip(texts.items(), titles, strict=True)
        ]
        search.pages.append(Known("http://gov.evil.example/", "museums", "free museums"))
        yield site, search


def reached(search: SearchServer) -> list[str]:
    return [
        "retriever=web", "search=searxng", f"search.base_url={search.base_url}",
        "retriever.trust.allow=[127.0.0.1]", "retriever.fetch.allow_private=true",
        "retriever.fetch.delay_s=0",
    ]  # fmt: skip


def run(home: Path, search: SearchServer, folder: str | None = None) -> dict[str, Any]:
    from flows.essay import essay

    plain = composed(
        "essay", f"subject={SUBJECT}", f"paths.artifacts={home}", "tracking=none",
        *reached(search),
    )  # fmt: skip
    return essay(plain, folder)


def test_an_essay_cites_pages_and_a_resumed_one_asks_nothing(
    home: Path, web: tuple[Site, SearchServer]
) -> None:
    site, search = web
    result = run(home, search)
    assert len(result["citations"]) >= 4
    assert all(it["source"].startswith(site.base_url) for it in result["citations"])
    assert any("web searches by searxng" in note for note in result["notes"])
    folder = Path(result["run"]["dir"])
    assert result["run"]["corpus_version"]

    # As after a kill: no result, and not one stage kept.
    (folder / "result.json").unlink()
    shutil.rmtree(home / "cache" / "stages")
    asked = len(site.asked), len(search.asked)
    resumed = run(home, search, str(folder))
    assert (len(site.asked), len(search.asked)) == asked
    free = {"run", "usage", "seconds"}
    assert {k: v for k, v in resumed.items() if k not in free} == {
        k: v for k, v in result.items() if k not in free
    }
    assert resumed["usage"]["units_reused"] == 0
    assert resumed["run"]["corpus_version"] == result["run"]["corpus_version"]

    # The run's pages are a corpus like any other.
    from flows.essay import essay

    plain = composed(
        "essay", f"subject={SUBJECT}", f"paths.artifacts={home}", "tracking=none",
        f"paths.index={folder}/web/index", f"retriever.version={resumed['run']['corpus_version']}",
    )  # fmt: skip
    offline = essay(plain)
    assert offline["citations"]
    assert all(it["source"].startswith(site.base_url) for it in offline["citations"])
    assert (len(site.asked), len(search.asked)) == asked


def test_an_evaluation_from_the_web_is_resumed_without_asking_it_again(
    home: Path, web: tuple[Site, SearchServer], tmp_path: Path
) -> None:
    from flows.evaluation import evaluation
    from signatures.errors import BudgetReached

    site, search = web
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"proposition": SUBJECT}) + "\n")
    plain = composed(
        "evaluation", f"paths.artifacts={home}", "tracking=none", *reached(search),
        "~method@methods.persona_debate", "+method@methods.e2e=e2e", "+method@methods.plan=plan",
        "reference=e2e", "dataset=jsonl", f"dataset.path={rows}", "essay.words=120",
        "metric=[citations]", "primary=citation_recall", "runner.concurrency=1",
    )  # fmt: skip
    folder = tmp_path / "run"
    with pytest.raises(BudgetReached):
        evaluation({**plain, "budget": {**plain["budget"], "calls": 2}}, str(folder))
    asked = len(site.asked), len(search.asked)
    assert min(asked) > 0
    result = evaluation(plain, str(folder))
    assert (len(site.asked), len(search.asked)) == asked
    assert result["failures"] == []
    texts = [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]
    assert [row["method"] for row in texts] == ["e2e", "plan"]
    assert any("web searches by searxng" in note for note in result["notes"])
    assert not any("changed" in note for note in result["notes"])
    rows_ = {r["method"]: r for r in result["table"] if r["metric"] == "citation_recall"}
    assert rows_["plan"]["n_scored"] == 1 and rows_["plan"]["value"] > 0


def test_every_turn_of_a_debate_searches_the_web(
    home: Path, web: tuple[Site, SearchServer]
) -> None:
    from flows.debate import debate

    site, search = web
    plain = composed(
        "debate", f"subject={SUBJECT}", f"paths.artifacts={home}", "tracking=none",
        *reached(search), "debate.rounds=1",
    )  # fmt: skip
    result = debate({**plain, "personas": TWO})
    turns = result["rounds"][0]
    assert len(turns) == 2
    assert all(turn["query"] for turn in turns)
    cited = [it["source"] for turn in turns for it in turn["citations"]]
    assert cited
    assert all(source.startswith(site.base_url) for source in cited)
    assert len(search.asked) >= 3  # the topic, and each turn's own query
