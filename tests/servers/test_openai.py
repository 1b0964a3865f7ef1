"""Chat completions, asked with OpenAI's client."""

from __future__ import annotations

import json

import httpx
import openai
import pytest

from .clients import MODELS, QUESTION, Whole, ask, client_of
from .lm import LMServer, Reply


def test_chat_completion(server: LMServer, client: openai.OpenAI) -> None:
    server.script(Reply("hello", usage=(100, 7), cached_tokens=64))
    made = ask(client, temperature=0.5)
    assert made.choices[0].message.content == "hello"
    assert made.choices[0].finish_reason == "stop"
    assert made.model == "test-model"
    assert (made.usage.prompt_tokens, made.usage.completion_tokens) == (100, 7)
    assert made.usage.total_tokens == 107
    assert made.usage.prompt_tokens_details.cached_tokens == 64
    (seen,) = server.requests
    assert (seen.protocol, seen.index, seen.system) == ("openai", 0, "Be brief.")
    assert seen.messages[1] == {"role": "user", "content": "What is this?"}
    assert seen.body["temperature"] == 0.5
    assert seen.headers["authorization"] == "Bearer secret"
    assert len(server.intervals) == 1


def test_default_reply_is_deterministic(server: LMServer, client: openai.OpenAI) -> None:
    first, second = ask(client), ask(client)
    assert first.choices[0].message.content == second.choices[0].message.content
    assert first.usage == second.usage
    assert [seen.index for seen in server.requests] == [0, 1]


def test_several_choices_and_finish_reason(server: LMServer, client: openai.OpenAI) -> None:
    server.script(Reply("cut", finish_reason="length"))
    made = ask(client, n=3)
    assert [choice.index for choice in made.choices] == [0, 1, 2]
    assert {choice.finish_reason for choice in made.choices} == {"length"}


def test_stream(server: LMServer, client: openai.OpenAI) -> None:
    text = "a longer reply, which is sent in several pieces: äöü €"
    server.script(text, Reply(text, usage=(3, 4)))
    chunks = list(ask(client, stream=True))
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == text
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert all(c.usage is None for c in chunks)
    chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens == 7
    assert len(server.intervals) == 2


def test_json_schema(client: openai.OpenAI) -> None:
    made = client.chat.completions.parse(
        model="test-model", messages=QUESTION, response_format=Whole
    )
    whole = made.choices[0].message.parsed
    assert whole is not None
    assert whole.kind == "first" and whole.done and whole.note
    assert len({part.name for part in whole.parts}) == 2


def test_json_object(client: openai.OpenAI) -> None:
    made = ask(client, response_format={"type": "json_object"})
    assert isinstance(json.loads(made.choices[0].message.content), dict)


def test_models(server: LMServer, client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == list(MODELS)
    assert client.models.retrieve("test-model").id == "test-model"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("other")


def test_refusals(server: LMServer, client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="other", messages=QUESTION)
    assert missing.value.code == "model_not_found"
    with client_of(server, api_key="wrong") as stranger:
        with pytest.raises(openai.AuthenticationError) as refused:
            ask(stranger)
        with pytest.raises(openai.AuthenticationError):
            stranger.models.list()
    assert refused.value.code == "invalid_api_key"
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="test-model", messages=[])
    with pytest.raises(openai.NotFoundError):
        client.completions.create(model="test-model", prompt="text")
    assert [refusal.status for refusal in server.refusals] == [404, 401, 401, 400, 404]
    assert server.requests == []


def test_unreadable_body(server: LMServer) -> None:
    headers = {"authorization": "Bearer secret"}
    for data in (b"{", b"[]", b"\xff"):
        url = f"{server.base_url}/chat/completions"
        assert httpx.post(url, content=data, headers=headers).status_code == 400


@pytest.mark.parametrize(
    ("reply", "kind", "code"),
    [
        (Reply(status=429, retry_after=1), openai.RateLimitError, "rate_limit_exceeded"),
        (Reply(status=429, error_code="insufficient_quota"), openai.RateLimitError, None),
        (Reply("broken", status=500), openai.InternalServerError, None),
        (Reply(status=401), openai.AuthenticationError, "invalid_api_key"),
    ],
)
def test_scripted_errors(
    server: LMServer,
    client: openai.OpenAI,
    reply: Reply,
    kind: type[openai.APIStatusError],
    code: str | None,
) -> None:
    server.script(reply)
    with pytest.raises(kind) as caught:
        ask(client)
    assert caught.value.status_code == reply.status
    assert caught.value.code == (reply.error_code or code)
    assert (reply.text or "scripted error") in caught.value.message
    told = caught.value.response.headers.get("retry-after")
    assert told == (None if reply.retry_after is None else "1")
