"""The local language-model server, driven by the real clients."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

import dspy
import httpx
import openai
import pydantic
import pytest

from .lm import (
    LMRequest,
    LMServer,
    Reply,
    answer,
    chat_reply,
    embedding,
    fill_fields,
    instance,
    requested_fields,
    words,
)

MODELS = ("test-model", "gpt-4o-mini", "second-model")
QUESTION: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "What is this?"}]},
]
ANTHROPIC = {"x-api-key": "secret", "anthropic-version": "2023-06-01"}


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep DSPy from refreshing its table of models over the network."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")


@pytest.fixture
def server() -> Iterator[LMServer]:
    before = set(threading.enumerate())
    with LMServer(models=MODELS, api_key="secret") as running:
        yield running
    assert running.errors == []
    left = [t.name for t in threading.enumerate() if t not in before and "lm-server" in t.name]
    assert left == []


@pytest.fixture
def client(server: LMServer) -> Iterator[openai.OpenAI]:
    with _client(server) as made:
        yield made


def _client(server: LMServer, **settings: Any) -> openai.OpenAI:
    defaults: dict[str, Any] = {"api_key": "secret", "max_retries": 0, "timeout": 5.0}
    return openai.OpenAI(base_url=server.base_url, **{**defaults, **settings})


def _ask(client: openai.OpenAI, **settings: Any) -> Any:
    return client.chat.completions.create(model="test-model", messages=QUESTION, **settings)


# OpenAI


def test_chat_completion(server: LMServer, client: openai.OpenAI) -> None:
    server.script(Reply("hello", usage=(100, 7), cached_tokens=64))
    made = _ask(client, temperature=0.5)
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
    first, second = _ask(client), _ask(client)
    assert first.choices[0].message.content == second.choices[0].message.content
    assert first.usage == second.usage
    assert [seen.index for seen in server.requests] == [0, 1]


def test_several_choices_and_finish_reason(server: LMServer, client: openai.OpenAI) -> None:
    server.script(Reply("cut", finish_reason="length"))
    made = _ask(client, n=3)
    assert [choice.index for choice in made.choices] == [0, 1, 2]
    assert {choice.finish_reason for choice in made.choices} == {"length"}


def test_stream(server: LMServer, client: openai.OpenAI) -> None:
    text = "a longer reply, which is sent in several pieces: äöü €"
    server.script(text, Reply(text, usage=(3, 4)))
    chunks = list(_ask(client, stream=True))
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == text
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert all(c.usage is None for c in chunks)
    chunks = list(_ask(client, stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens == 7
    assert len(server.intervals) == 2


class Part(pydantic.BaseModel):
    name: str
    size: Annotated[int, pydantic.Field(ge=3, le=5)]


class Whole(pydantic.BaseModel):
    kind: Literal["first", "second"]
    parts: Annotated[list[Part], pydantic.Field(min_length=1, max_length=3)]
    share: Annotated[float, pydantic.Field(gt=0, lt=1)]
    note: str | None
    done: bool


def test_json_schema(client: openai.OpenAI) -> None:
    made = client.chat.completions.parse(
        model="test-model", messages=QUESTION, response_format=Whole
    )
    whole = made.choices[0].message.parsed
    assert whole is not None
    assert whole.kind == "first" and whole.done and whole.note
    assert len({part.name for part in whole.parts}) == 2


def test_json_object(client: openai.OpenAI) -> None:
    made = _ask(client, response_format={"type": "json_object"})
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
    with _client(server, api_key="wrong") as stranger:
        with pytest.raises(openai.AuthenticationError) as refused:
            _ask(stranger)
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


def test_rate_limit_is_retried(server: LMServer) -> None:
    server.script(Reply(status=429, retry_after=0.25), "at last")
    with _client(server, max_retries=1) as client:
        begun = time.monotonic()
        assert _ask(client).choices[0].message.content == "at last"
    assert time.monotonic() - begun >= 0.25
    assert len(server.requests) == 2
    assert server.unserved == 0


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
        _ask(client)
    assert caught.value.status_code == reply.status
    assert caught.value.code == (reply.error_code or code)
    assert (reply.text or "scripted error") in caught.value.message
    told = caught.value.response.headers.get("retry-after")
    assert told == (None if reply.retry_after is None else "1")


def test_hang_and_delay(server: LMServer) -> None:
    server.script(Reply(hang=True), Reply("late", delay_s=0.2), Reply("too late", delay_s=30))
    with _client(server, timeout=0.3) as client, pytest.raises(openai.APITimeoutError):
        _ask(client)
    with _client(server, timeout=5) as client:
        assert _ask(client).choices[0].message.content == "late"
    with _client(server, timeout=0.3) as client, pytest.raises(openai.APITimeoutError):
        _ask(client)
    _wait_for(lambda: len(server.intervals) == 3)  # the server sees that the client left


def _wait_for(condition: Any) -> None:
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def test_close_ends_what_hangs() -> None:
    with ThreadPoolExecutor(1) as pool, LMServer() as server:
        server.script(Reply(hang=True))
        with _client(server) as client:
            call = pool.submit(_ask, client)
            _wait_for(lambda: server.requests)
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
        made = _ask(client, stream=stream)
        list(made)
    assert _ask(client).choices[0].message.content == "next"


def test_malformed_and_empty_text(server: LMServer, client: openai.OpenAI) -> None:
    server.script('{"half": ', "")
    assert _ask(client).choices[0].message.content == '{"half": '
    assert _ask(client).choices[0].message.content == ""


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


# Anthropic


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


# Embeddings


def test_embeddings(server: LMServer, client: openai.OpenAI) -> None:
    texts = ["the same words", "the same words", "something else"]
    for encoding in ("float", "base64"):
        made = client.embeddings.create(
            model="test-model", input=texts, encoding_format=encoding, dimensions=24
        )
        vectors = [item.embedding for item in made.data]
        if encoding == "float":
            assert vectors[0] == embedding(texts[0], 24)
            assert sum(x * x for x in vectors[0]) == pytest.approx(1)
            assert vectors[0] == vectors[1] != vectors[2]
    # without a wish the client asks for base64 and unpacks it itself
    single = client.embeddings.create(model="test-model", input="one text").data[0].embedding
    assert single == pytest.approx(embedding("one text", 32), abs=1e-6)
    assert server.embedded == [texts, texts, ["one text"]]
    server.script_embeddings(Reply(status=429))
    with pytest.raises(openai.RateLimitError):
        client.embeddings.create(model="test-model", input="one text")
    with pytest.raises(openai.BadRequestError):
        client.embeddings.create(model="test-model", input=[])


# Responder, scripts and measures


def test_responder_sees_the_request() -> None:
    def respond(request: LMRequest) -> Reply | str:
        if request.index == 0:
            return f"{request.model}: {request.user}"
        return Reply(status=503) if request.index == 1 else Reply(usage=(1, 2))

    with LMServer(respond) as server, _client(server) as client:
        assert _ask(client).choices[0].message.content == "test-model: What is this?"
        with pytest.raises(openai.InternalServerError):
            _ask(client)
        made = _ask(client)
        assert made.choices[0].message.content and made.usage.total_tokens == 3


def test_responder_that_raises() -> None:
    def respond(request: LMRequest) -> str:
        raise LookupError("no such reply")

    with LMServer(respond) as server, _client(server) as client:
        with pytest.raises(openai.InternalServerError, match="no such reply"):
            _ask(client)
        assert [type(error) for error in server.errors] == [LookupError]


def test_clear_and_restart() -> None:
    server = LMServer()
    with pytest.raises(RuntimeError):
        _ = server.base_url
    with server, _client(server) as client:
        server.script("one", "two")
        _ask(client)
        server.clear()
        assert (server.requests, server.intervals, server.unserved) == ([], [], 0)
        _ask(client)
        assert server.requests[0].index == 0
        port = server.port
    again = LMServer(port=port)
    with again, _client(again) as client:
        assert again.port == port
        _ask(client)


def test_parallel_calls(server: LMServer) -> None:
    server.latency_s = 0.2
    with _client(server) as client, ThreadPoolExecutor(16) as pool:
        begun = time.monotonic()
        replies = list(pool.map(lambda _: _ask(client), range(16)))
        took = time.monotonic() - begun
    assert len(replies) == 16
    assert took < 1.0
    assert server.max_concurrent > 8
    assert sorted(seen.index for seen in server.requests) == list(range(16))
    assert len(server.intervals) == 16
    assert all(end - start >= 0.19 for start, end in server.intervals)


# Instances of schemas


class Branch(pydantic.BaseModel):
    label: Annotated[str, pydantic.Field(pattern=r"^[A-Z]{2}-\d{3}$")]
    children: list[Branch]
    parent: Branch | None


class Awkward(pydantic.BaseModel):
    step: Annotated[int, pydantic.Field(gt=4, le=9, multiple_of=4)]
    tiny: Annotated[float, pydantic.Field(gt=0, lt=0.001)]
    below: Annotated[float, pydantic.Field(le=-3)]
    long: Annotated[str, pydantic.Field(min_length=80, max_length=90)]
    short: Annotated[str, pydantic.Field(max_length=5)]
    single: Annotated[list[str], pydantic.Field(max_length=1)]
    chosen: set[Literal["a", "b", "c"]]
    pair: tuple[int, str]
    counts: dict[str, int]
    nothing: None
    branch: Branch
    anything: Any


def test_instances_are_valid() -> None:
    schema = Awkward.model_json_schema()
    made = Awkward.model_validate(instance(schema, "key"))
    assert instance(schema, "key") == instance(schema, "key") != instance(schema, "other")
    assert len(made.single) == 1 and len(made.chosen) == 2 and len(made.counts) == 1


def test_instance_of_bare_schemas() -> None:
    assert instance({"const": 4}, "k") == 4
    assert instance({"enum": [None, "b"]}, "k") == "b"
    assert instance({"type": ["null", "boolean"]}, "k") is True
    assert instance({"type": "null"}, "k") is None
    assert instance({"oneOf": [{"type": "null"}, {"type": "integer", "minimum": 7}]}, "k") in range(
        7, 17
    )
    merged = {"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}
    assert instance(merged, "k") == {"a": 1, "b": 2}
    assert instance({"type": "array", "items": {}, "maxItems": 0}, "k") == []
    assert words("a") == words("a") != words("b")


# DSPy


class Item(pydantic.BaseModel):
    claim: str
    score: Annotated[int, pydantic.Field(ge=0, le=3)]


OUTPUTS: dict[str, Any] = {
    "findings": list[Item],
    "verdict": Literal["good", "not good"],
    "certain": bool,
    "count": int,
    "share": float,
    "remark": str | None,
    "text": str,
}
JUDGE: Any = dspy.Signature(
    {
        "topic": (str, dspy.InputField()),
        **{name: (kind, dspy.OutputField(desc="...")) for name, kind in OUTPUTS.items()},
    },
    "Judge the topic.\nSay `[[ ## so ## ]]`.",
)


def _lm(server: LMServer, model: str, **settings: Any) -> dspy.LM:
    defaults: dict[str, Any] = {"num_retries": 0, "timeout": 5.0}
    return dspy.LM(
        model,
        api_base=server.base_url,
        api_key="secret",
        engine="lm15",
        cache=False,
        **{**defaults, **settings},
    )


@pytest.mark.parametrize("adapter", [dspy.ChatAdapter, dspy.JSONAdapter])
@pytest.mark.parametrize(
    "model", ["openai/test-model", "openai/gpt-4o-mini", "anthropic/second-model"]
)
def test_dspy_prediction(server: LMServer, model: str, adapter: Any) -> None:
    lm = _lm(server, model)
    with dspy.context(lm=lm, adapter=adapter()):
        made = dspy.Predict(JUDGE)(topic="anything [[ ## topic ## ]]")
    lm.close()
    assert [type(item) for item in made.findings] == [Item, Item]
    assert made.verdict == "good" and made.certain is True
    assert type(made.count) is int and type(made.share) is float
    assert made.text and made.remark and made.text != made.remark
    (seen,) = server.requests  # no fallback to another adapter was needed
    assert list(requested_fields(seen)) == list(OUTPUTS)
    assert all(part is not None for part in requested_fields(seen).values())
    if (model, adapter) == ("openai/gpt-4o-mini", dspy.JSONAdapter):
        assert seen.response_schema is not None


def test_dspy_answers_of_a_responder(server: LMServer) -> None:
    values = {
        "findings": [Item(claim="c", score=1)],
        "verdict": "not good",
        "certain": False,
        "count": 5,
        "share": 0.5,
        "remark": "a remark",
        "text": "two\nlines",
    }
    server.responder = lambda request: answer(request, values)
    lm = _lm(server, "openai/test-model")
    for adapter in (dspy.ChatAdapter(), dspy.JSONAdapter()):
        with dspy.context(lm=lm, adapter=adapter):
            made = dspy.Predict(JUDGE)(topic="anything")
        assert {name: made[name] for name in values} == values
    lm.close()


def test_dspy_repairs_malformed_text(server: LMServer) -> None:
    server.script("not what was asked for")
    lm = _lm(server, "openai/test-model")
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter()):
        assert dspy.Predict(JUDGE)(topic="anything").certain is True
    lm.close()
    assert len(server.requests) == 2  # ChatAdapter, then JSONAdapter


def test_dspy_retries_and_errors(server: LMServer) -> None:
    server.script(Reply(status=429, retry_after=0.1), Reply("fine", usage=(5, 2), cached_tokens=3))
    lm = _lm(server, "openai/test-model", num_retries=1)
    assert lm("hi") == ["fine"]
    usage = lm.history[-1]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (5, 2)
    assert usage["prompt_tokens_details"]["cached_tokens"] == 3
    lm.close()
    errors = dspy.utils.exceptions
    for reply, kind in (
        (Reply(status=429, retry_after=3), errors.LMRateLimitError),
        (Reply(status=500), errors.LMServerError),
        (Reply(status=401), errors.LMAuthError),
        (Reply(drop=True), errors.LMTransportError),
        (Reply(hang=True), errors.LMTransportError),
    ):
        server.script(reply)
        lm = _lm(server, "openai/test-model", timeout=0.3)
        with pytest.raises(kind) as caught:
            lm("hi")
        assert caught.value.retry_after == reply.retry_after
        lm.close()


def test_dspy_streams(server: LMServer) -> None:
    server.responder = lambda request: answer(request, {"text": "one two three four " * 5})
    lm = _lm(server, "openai/test-model")
    program = dspy.streamify(dspy.Predict("topic -> text"), async_streaming=False)
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter()):
        parts = list(program(topic="anything"))
    lm.close()
    assert len(parts) > 2
    assert parts[-1].text == ("one two three four " * 5).strip()
    assert server.requests[0].body["stream"] is True


def test_dspy_repeats_are_possible(server: LMServer) -> None:
    server.responder = lambda request: fill_fields(request, salt=str(request.index))
    lm = _lm(server, "anthropic/second-model", n=2)
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter()):
        made = dspy.Predict("topic -> text")(topic="anything")
    lm.close()
    assert len(set(made.completions.text)) == 2


def test_fields_of_other_requests() -> None:
    plain = _request([{"role": "user", "content": "Hello"}])
    assert requested_fields(plain) == {}
    assert fill_fields(plain) == fill_fields(plain) != fill_fields(plain, salt="1")
    schema = {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "integer"}}}
    with_schema = _request([{"role": "user", "content": "Hello"}], schema)
    assert requested_fields(with_schema) == {"a": {"$ref": "#/$defs/A", "$defs": schema["$defs"]}}
    assert isinstance(json.loads(fill_fields(with_schema))["a"], int)


def _request(messages: list[dict[str, str]], schema: dict[str, Any] | None = None) -> LMRequest:
    return LMRequest("openai", "test-model", messages, schema, {}, 0, {})


def test_chat_reply() -> None:
    made = chat_reply({"text": "a\nb", "flag": True, "items": [Item(claim="c", score=1)]})
    assert made == (
        "[[ ## text ## ]]\na\nb\n\n[[ ## flag ## ]]\nTrue\n\n"
        '[[ ## items ## ]]\n[{"claim": "c", "score": 1}]\n\n[[ ## completed ## ]]\n'
    )
