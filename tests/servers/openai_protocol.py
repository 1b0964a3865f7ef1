"""OpenAI's chat completions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .messages import LMRequest, Reply
from .protocol import Failure, Protocol, bearer, pieces, schema_in, texts_of, usage_of
from .replies import dumped


class OpenAI(Protocol):
    wrong_key = "Incorrect API key provided."
    wrong_model = "The model `{}` does not exist or you do not have access to it."

    def key(self, headers: Mapping[str, str]) -> str | None:
        return bearer(headers)

    def flaw(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
        return None if texts_of(body.get("messages")) else "Missing required parameter: 'messages'."

    def read(self, body: dict[str, Any], headers: dict[str, str], index: int) -> LMRequest:
        return LMRequest(
            protocol="openai",
            model=str(body.get("model")),
            messages=texts_of(body["messages"]),
            response_schema=schema_in(body, "response_format", "json_schema", "schema"),
            body=body,
            index=index,
            headers=headers,
        )

    def reply(self, request: LMRequest, reply: Reply) -> object:
        message = {"role": "assistant", "content": reply.text, "refusal": None}
        return {
            **self._head(request, "chat.completion"),
            "choices": [
                {
                    "index": i,
                    "message": message,
                    "logprobs": None,
                    "finish_reason": reply.finish_reason,
                }
                for i in range(_copies(request))
            ],
            "usage": self._usage(request, reply),
        }

    def events(self, request: LMRequest, reply: Reply) -> Iterator[str]:
        head = self._head(request, "chat.completion.chunk")
        options = request.body.get("stream_options")
        with_usage = isinstance(options, dict) and bool(options.get("include_usage"))
        if with_usage:
            head["usage"] = None
        for index in range(_copies(request)):
            for delta, reason in self._deltas(reply):
                choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
                yield f"data: {dumped({**head, 'choices': [choice]})}\n\n"
        if with_usage:
            last = {**head, "choices": [], "usage": self._usage(request, reply)}
            yield f"data: {dumped(last)}\n\n"
        yield "data: [DONE]\n\n"

    def error(self, failure: Failure) -> object:
        kinds = {429: "requests", 402: "insufficient_quota"}
        kind = "server_error" if failure.status >= 500 else "invalid_request_error"
        codes = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
        error = {
            "message": failure.message,
            "type": kinds.get(failure.status, kind),
            "param": None,
            "code": failure.code or codes.get(failure.status),
        }
        return {"error": error}

    def models(self, names: Sequence[str]) -> object:
        return {"object": "list", "data": [self.model(name) for name in names]}

    def model(self, name: str) -> object:
        return {"id": name, "object": "model", "created": 1700000000, "owned_by": "tests"}

    def _head(self, request: LMRequest, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{request.index}",
            "object": kind,
            "created": int(time.time()),
            "model": request.model,
            "system_fingerprint": None,
        }

    def _deltas(self, reply: Reply) -> Iterator[tuple[dict[str, str], str | None]]:
        yield {"role": "assistant", "content": ""}, None
        for piece in pieces(reply.text or ""):
            yield {"content": piece}, None
        yield {}, reply.finish_reason

    def _usage(self, request: LMRequest, reply: Reply) -> dict[str, Any]:
        prompt, completion = usage_of(request, reply, _copies(request))
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        }


def _copies(request: LMRequest) -> int:
    wanted = request.body.get("n")
    return wanted if isinstance(wanted, int) and wanted > 0 else 1
