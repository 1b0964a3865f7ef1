"""Each provider against a local server that speaks its protocol, and what can go wrong."""

import json
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from modules.retrieval.web.providers import GoogleSpec, SearXNGSpec, TavilySpec
from modules.retrieval.web.search import SearchHit, SearchSpec
from signatures.errors import BackendError, OutageError
from tests.servers.search import ENGINE, KEY, Known, SearchServer
from tests.servers.site import Answer

PAGES = [Known(f"https://m{n}.org/a", f"Museum {n}", f"museum text {n}") for n in range(25)]
NAMES = ["google", "tavily", "searxng"]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setenv("TEST_CX", ENGINE)


def spec(name: str, server: SearchServer, **options: Any) -> SearchSpec:
    given: dict[str, Any] = {"base_url": server.base_url, "retry_delay_s": 0.0, **options}
    if name == "google":
        return GoogleSpec(api_key_env="TEST_KEY", engine_env="TEST_CX", **given)
    return TavilySpec(api_key_env="TEST_KEY", **given) if name == "tavily" else SearXNGSpec(**given)


def failing(*failures: Answer) -> SearchServer:
    return SearchServer(PAGES, failures)


@pytest.mark.parametrize("name", NAMES)
def test_a_search(name: str) -> None:
    with SearchServer(PAGES) as server:
        hits = spec(name, server).search("the museum", 3)
    assert hits == [SearchHit(page.url, page.title, page.text) for page in PAGES[:3]]


@pytest.mark.parametrize(("name", "requests"), [("google", 3), ("tavily", 1), ("searxng", 3)])
def test_more_than_one_page_of_results(name: str, requests: int) -> None:
    with SearchServer(PAGES) as server:
        hits = spec(name, server).search("the museum", 23)
        assert len(server.asked) == requests
    most = 20 if name == "tavily" else 23
    assert [hit.url for hit in hits] == [page.url for page in PAGES[:most]]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_found_is_no_error(name: str) -> None:
    with SearchServer(PAGES) as server:
        assert spec(name, server).search("zebra", 10) == []


@pytest.mark.parametrize("name", ["google", "tavily"])
def test_a_refused_key_is_said_and_never_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-wrong-key")
    with SearchServer(PAGES) as server, pytest.raises(BackendError) as caught:
        spec(name, server).search("museum", 3)
    line = caught.value.line()
    assert not isinstance(caught.value, OutageError)
    assert f"provider {name} refuses" in line
    assert "API key" in line
    assert "sk-wrong-key" not in line
    assert len(server.asked) == 1


@pytest.mark.parametrize("name", ["google", "tavily"])
def test_a_missing_key_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_KEY")
    with SearchServer(PAGES) as server, pytest.raises(BackendError, match="TEST_KEY"):
        spec(name, server).check()


def test_a_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), SearchServer(PAGES) as server:
        spec("google", server).search("museum", 3)
        assert KEY not in server.asked[0].path
    assert "customsearch" in caplog.text  # the client does log addresses
    assert KEY not in caplog.text


@pytest.mark.parametrize("status", [403, 500])
@pytest.mark.parametrize("name", ["google", "tavily"])
def test_a_key_that_the_provider_repeats_is_not_shown(name: str, status: int) -> None:
    said = {"error": {"message": f"Consumer 'api_key:{KEY}' has been suspended."}}
    answer = Answer(json.dumps(said).encode(), status)
    with failing(answer) as server, pytest.raises(BackendError) as caught:
        spec(name, server, retries=0).search("museum", 3)
    assert "Consumer 'api_key:***' has been suspended." in caught.value.line()
    assert KEY not in caught.value.line() + repr(caught.value)


LIMIT = Answer(b'{"error": {"message": "Quota exceeded"}}', 429, headers={"Retry-After": "0"})
PASSING: Sequence[Answer] = [LIMIT, Answer(b"oops", 500), Answer(b"", 503)]


@pytest.mark.parametrize("name", NAMES)
def test_outages_are_tried_again(name: str) -> None:
    with failing(*PASSING) as server:
        assert len(spec(name, server).search("museum", 3)) == 3
        assert len(server.asked) == 4


@pytest.mark.parametrize("name", NAMES)
def test_outages_that_last_are_named(name: str) -> None:
    with failing(*[LIMIT] * 9) as server, pytest.raises(OutageError) as caught:
        spec(name, server, retries=2).search("museum", 3)
    assert f"provider {name} does not answer" in caught.value.line()
    assert "HTTP status 429: Quota exceeded, after 3 tries" in caught.value.line()
    assert len(server.asked) == 3


def test_a_long_wait_asked_for_is_an_outage_at_once() -> None:
    limit = Answer(b"", 429, headers={"Retry-After": "3600"})
    with failing(limit) as server, pytest.raises(OutageError):
        spec("tavily", server).search("museum", 3)
    assert len(server.asked) == 1


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_is_an_outage(name: str) -> None:
    slow = Answer(b"{" * 50, drip_s=0.1)
    with failing(slow, slow) as server, pytest.raises(OutageError, match="Timeout"):
        spec(name, server, timeout_s=0.05, retries=1).search("museum", 3)
    with pytest.raises(OutageError, match=f"ConnectError at {server.base_url}"):
        spec(name, server, retries=0).search("museum", 3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b'["a"]', b'{"items": 3, "results": 3}'])
def test_answers_that_cannot_be_understood(name: str, body: bytes) -> None:
    with failing(Answer(body)) as server, pytest.raises(BackendError) as caught:
        spec(name, server).search("museum", 3)
    assert f"provider {name} cannot be understood" in caught.value.line()
    assert server.base_url in caught.value.line()


def test_odd_rows_are_left_out() -> None:
    rows = [3, {}, {"url": 5}, {"url": "ftp://x.org"}, {"url": "https://x.org", "title": None}]
    with failing(Answer(json.dumps({"results": rows}).encode())) as server:
        assert spec("tavily", server).search("museum", 9) == [SearchHit("https://x.org", "", "")]


def test_searxng_without_json_says_what_to_do() -> None:
    server = SearchServer(PAGES, json_enabled=False)
    with server, pytest.raises(BackendError, match=r"add json to search\.formats"):
        spec("searxng", server).search("museum", 3)


def test_an_address_with_a_key_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValidationError) as caught:
        SearXNGSpec(base_url="https://me:sk-secret@host")
    assert "sk-secret" not in str(caught.value)
