"""DSPy's own prompts, asked with DSPy."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import dspy
import pydantic
import pytest

from .lm import LMRequest, LMServer, Reply, answer, chat_reply, fill_fields, requested_fields


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
