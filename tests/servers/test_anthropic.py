"""Anthropic's messages, asked over HTTP."""

from __future__ import annotations

import json
from typing import Any

import httpx

from .clients import MODELS, QUESTION, Whole
from .lm import LMServer, Reply

ANTHROPIC = {"x-api-key": "secret", "anthropic-version": "2023-06-01"}


def _message(server: LMServer, headers: dict[str, str] | None = None, **more: Any) -> Any:
    body = {
        "model": "second-model",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What is this?"}]}],
        **more,
    }
    return httpx.post(f"{server.base_url}/messages", json=body, headers=headers or ANTHROPIC)


def test_anthropic_message(server: LMServer) -> None:
    server.script(Reply("hello", usage=(100, 7), cached_tokens=64, finish_reason="length"))
    made = _message(server).json()
    assert made["content"] == [{"type": "text", "text": "hello"}]
    assert (made["type"], made["role"], made["model"]) == ("message", "assistant", "second-model")
    assert made["stop_reason"] == "max_tokens"
    assert made["usage"]["input_tokens"] == 36
    assert made["usage"]["cache_read_input_tokens"] == 64
    assert made["usage"]["output_tokens"] == 7
    (seen,) = server.requests
    assert seen.protocol == "anthropic"
    assert [m["content"] for m in seen.messages] == ["Be brief.", "What is this?"]


def test_anthropic_schema(server: LMServer) -> None:
    wanted = {"type": "json_schema", "schema": Whole.model_json_schema()}
    made = _message(server, output_config={"format": wanted}).json()
    Whole.model_validate_json(made["content"][0]["text"])


def test_anthropic_stream(server: LMServer) -> None:
    text = "a longer reply, which is sent in several pieces: äöü €"
    server.script(Reply(text, usage=(9, 8)))
    lines = _message(server, stream=True).text.splitlines()
    names = [line[7:] for line in lines if line.startswith("event: ")]
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert names == [event["type"] for event in events]
    assert names[:2] == ["message_start", "content_block_start"]
    assert names[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    deltas = [e["delta"]["text"] for e in events if e["type"] == "content_block_delta"]
    assert len(deltas) > 1 and "".join(deltas) == text
    assert events[-2]["usage"]["output_tokens"] == 8
    assert events[-2]["delta"]["stop_reason"] == "end_turn"


def test_anthropic_errors(server: LMServer) -> None:
    def kind(reply: httpx.Response) -> tuple[int, str]:
        body = reply.json()
        assert body["type"] == "error" and body["error"]["message"]
        return reply.status_code, body["error"]["type"]

    version = {"anthropic-version": "2023-06-01"}
    assert kind(_message(server, version)) == (401, "authentication_error")
    assert kind(_message(server, {"x-api-key": "secret"})) == (400, "invalid_request_error")
    assert kind(_message(server, max_tokens=None)) == (400, "invalid_request_error")
    assert kind(_message(server, messages=QUESTION)) == (400, "invalid_request_error")
    assert kind(_message(server, model="other")) == (404, "not_found_error")
    server.script(Reply(status=429, retry_after=2.5), Reply(status=529), Reply(status=500))
    limited = _message(server)
    assert kind(limited) == (429, "rate_limit_error")
    assert limited.headers["retry-after"] == "2.5"
    assert kind(_message(server)) == (529, "overloaded_error")
    assert kind(_message(server)) == (500, "api_error")
    assert _message(server, {"authorization": "Bearer secret", **version}).status_code == 200


def test_anthropic_models(server: LMServer) -> None:
    listed = httpx.get(f"{server.base_url}/models", headers=ANTHROPIC).json()
    assert [model["id"] for model in listed["data"]] == list(MODELS)
    assert listed["has_more"] is False
    one = httpx.get(f"{server.base_url}/models/second-model", headers=ANTHROPIC).json()
    assert one["type"] == "model"
