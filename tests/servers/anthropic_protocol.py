"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from .messages import SYSTEM_ROLES, LMRequest, Reply, Schema
from .protocol import Failure, Protocol, bearer, pieces, schema_in, text_of, texts_of, usage_of
from .replies import dumped


class Anthropic(Protocol):
    wrong_key = "invalid x-api-key"
    wrong_model = "model: {}"
    reasons: ClassVar[dict[str, str]] = {
        "stop": "end_turn",
        "length": "max_tokens",
        "tool_calls": "tool_use",
        "content_filter": "refusal",
    }
    kinds: ClassVar[dict[int, str]] = {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        504: "timeout_error",
        529: "overloaded_error",
    }

    def key(self, headers: Mapping[str, str]) -> str | None:
        return headers.get("x-api-key") or bearer(headers)

    def flaw(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
        if "anthropic-version" not in headers:
            return "anthropic-version: header is required"
        if not isinstance(body.get("max_tokens"), int):
            return "max_tokens: Field required"
        messages = texts_of(body.get("messages"))
        if any(message["role"] in SYSTEM_ROLES for message in messages):
            return "messages: Unexpected role: the system prompt is a top-level parameter"
        return None if messages else "messages: at least one message is required"

    def read(self, body: dict[str, Any], headers: dict[str, str], index: int) -> LMRequest:
        system = text_of(body.get("system"))
        first = [{"role": "system", "content": system}] if system else []
        return LMRequest(
            protocol="anthropic",
            model=str(body.get("model")),
            messages=[*first, *texts_of(body["messages"])],
            response_schema=schema_in(body, "output_config", "format", "schema"),
            body=body,
            index=index,
            headers=headers,
        )

    def reply(self, request: LMRequest, reply: Reply) -> object:
        return {
            **self._head(request),
            "content": [{"type": "text", "text": reply.text}],
            "stop_reason": self.reasons.get(reply.finish_reason, reply.finish_reason),
            "stop_sequence": None,
            "usage": self._usage(request, reply),
        }

    def events(self, request: LMRequest, reply: Reply) -> Iterator[str]:
        for event in self._stream(request, reply):
            yield f"event: {event['type']}\ndata: {dumped(event)}\n\n"

    def error(self, failure: Failure) -> object:
        default = "api_error" if failure.status >= 500 else "invalid_request_error"
        kind = self.kinds.get(failure.status, default)
        if failure.status != 404:
            kind = failure.code or kind
        return {"type": "error", "error": {"type": kind, "message": failure.message}}

    def models(self, names: Sequence[str]) -> object:
        return {
            "data": [self.model(name) for name in names],
            "has_more": False,
            "first_id": names[0] if names else None,
            "last_id": names[-1] if names else None,
        }

    def model(self, name: str) -> object:
        day = "2024-01-01T00:00:00Z"
        return {"type": "model", "id": name, "display_name": name, "created_at": day}

    def _head(self, request: LMRequest) -> dict[str, Any]:
        return {
            "id": f"msg_{request.index}",
            "type": "message",
            "role": "assistant",
            "model": request.model,
        }

    def _stream(self, request: LMRequest, reply: Reply) -> Iterator[dict[str, Any]]:
        usage = self._usage(request, reply)
        empty: Schema = {"content": [], "stop_reason": None, "stop_sequence": None}
        begun = {**self._head(request), **empty, "usage": {**usage, "output_tokens": 1}}
        yield {"type": "message_start", "message": begun}
        block = {"type": "text", "text": ""}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "ping"}
        for piece in pieces(reply.text or ""):
            delta = {"type": "text_delta", "text": piece}
            yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        reason = self.reasons.get(reply.finish_reason, reply.finish_reason)
        ended = {"stop_reason": reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": ended, "usage": usage}
        yield {"type": "message_stop"}

    def _usage(self, request: LMRequest, reply: Reply) -> dict[str, Any]:
        prompt, completion = usage_of(request, reply)
        return {
            "input_tokens": prompt - reply.cached_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": reply.cached_tokens,
            "output_tokens": completion,
        }
