"""The server: what goes wrong on purpose, responders, scripts and measures."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import openai
import pytest

from .clients import QUESTION, ask, client_of, wait_for
from .lm import LMRequest, LMServer, Reply


def test_rate_limit_is_retried(server: LMServer) -> None:
    server.script(Reply(status=429, retry_after=0.25), "at last")
    with client_of(server, max_retries=1) as client:
        begun = time.monotonic()
        assert ask(client).choices[0].message.content == "at last"
    assert time.monotonic() - begun >= 0.25
    assert len(server.requests) == 2
    assert server.unserved == 0


def test_hang_and_delay(server: LMServer) -> None:
    server.script(Reply(hang=True), Reply("late", delay_s=0.2), Reply("too late", delay_s=30))
    with client_of(server, timeout=0.3) as client, pytest.raises(openai.APITimeoutError):
        ask(client)
    with client_of(server, timeout=5) as client:
        assert ask(client).choices[0].message.content == "late"
    with client_of(server, timeout=0.3) as client, pytest.raises(openai.APITimeoutError):
        ask(client)
    wait_for(lambda: len(server.intervals) == 3)  # the server sees that the client left


def test_close_ends_what_hangs() -> None:
    with ThreadPoolExecutor(1) as pool, LMServer() as server:
        server.script(Reply(hang=True))
        with client_of(server) as client:
            call = pool.submit(ask, client)
            wait_for(lambda: server.requests)
            server.close()
            with pytest.raises(openai.APIConnectionError):
                call.result(timeout=5)
    assert not [t for t in threading.enumerate() if t.name.startswith("lm-server")]


@pytest.mark.parametrize("reply", [Reply(drop=True), Reply("some text", truncate=True)])
@pytest.mark.parametrize("stream", [False, True])
def test_broken_connections(
    server: LMServer, client: openai.OpenAI, reply: Reply, stream: bool
) -> None:
    server.script(reply, "next")
    with pytest.raises((openai.APIConnectionError, httpx.RemoteProtocolError)):
        made = ask(client, stream=stream)
        list(made)
    assert ask(client).choices[0].message.content == "next"


def test_malformed_and_empty_text(server: LMServer, client: openai.OpenAI) -> None:
    server.script('{"half": ', "")
    assert ask(client).choices[0].message.content == '{"half": '
    assert ask(client).choices[0].message.content == ""


def test_connection_is_kept_alive(server: LMServer) -> None:
    headers = {"authorization": "Bearer secret"}
    body = {"model": "test-model", "messages": QUESTION}
    with httpx.Client(headers=headers) as web:
        begun = time.monotonic()
        for _ in range(50):
            reply = web.post(f"{server.base_url}/chat/completions", json=body)
            assert reply.http_version == "HTTP/1.1"
        assert time.monotonic() - begun < 1.9  # delayed acknowledgements would take 40 ms each
        connections = [t for t in threading.enumerate() if t.name == "lm-server-connection"]
        assert len(connections) == 1


def test_responder_sees_the_request() -> None:
    def respond(request: LMRequest) -> Reply | str:
        if request.index == 0:
            return f"{request.model}: {request.user}"
        return Reply(status=503) if request.index == 1 else Reply(usage=(1, 2))

    with LMServer(respond) as server, client_of(server) as client:
        assert ask(client).choices[0].message.content == "test-model: What is this?"
        with pytest.raises(openai.InternalServerError):
            ask(client)
        made = ask(client)
        assert made.choices[0].message.content and made.usage.total_tokens == 3


def test_responder_that_raises() -> None:
    def respond(request: LMRequest) -> str:
        raise LookupError("no such reply")

    with LMServer(respond) as server, client_of(server) as client:
        with pytest.raises(openai.InternalServerError, match="no such reply"):
            ask(client)
        assert [type(error) for error in server.errors] == [LookupError]


def test_clear_and_restart() -> None:
    server = LMServer()
    with pytest.raises(RuntimeError):
        _ = server.base_url
    with server, client_of(server) as client:
        server.script("one", "two")
        ask(client)
        server.clear()
        assert (server.requests, server.intervals, server.unserved) == ([], [], 0)
        ask(client)
        assert server.requests[0].index == 0
        port = server.port
    again = LMServer(port=port)
    with again, client_of(again) as client:
        assert again.port == port
        ask(client)


def test_parallel_calls(server: LMServer) -> None:
    server.latency_s = 0.2
    with client_of(server) as client, ThreadPoolExecutor(16) as pool:
        begun = time.monotonic()
        replies = list(pool.map(lambda _: ask(client), range(16)))
        took = time.monotonic() - begun
    assert len(replies) == 16
    assert took < 16 * 0.2  # one after the other
    assert server.max_concurrent > 1
    assert sorted(seen.index for seen in server.requests) == list(range(16))
    assert len(server.intervals) == 16
    assert all(end - start >= 0.19 for start, end in server.intervals)
