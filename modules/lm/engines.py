"""Engines of Moot's own: the extractive baseline, and a door to lm15's HTTP engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dspy.lm15 import (
    InvalidRequestError,
    Message,
    Request,
    Response,
    TextPart,
    Usage,
    response_to_events,
)

from modules.lm.meter import Engine


class DoorEngine:
    """Puts the door's prefix on the model name, which lm15 routes by."""

    def __init__(self, inner: Engine, *, door: str) -> None:
        self._inner = inner
        self._door = door

    def _routed(self, request: Request) -> Request:
        return replace(request, model=f"{self._door}/{request.model}")

    def complete(self, request: Request) -> Response:
        return self._inner.complete(self._routed(request))

    def stream(self, request: Request) -> Iterator[Any]:
        return self._inner.stream(self._routed(request))

    def close(self) -> None:
        self._inner.close()


class ExtractiveEngine:
    """Answers a request whose last message is the JSON block of :class:`JSONBlockAdapter`.

    It holds no weights: every answer is selected, ordered and joined from the inputs, and is a
    function of (inputs, seed). Token counts are whitespace-separated words.
    """

    def complete(self, request: Request) -> Response:
        from modules.lm.extractive import answer

        asked = request.messages[-1].text or ""
        block = _block(asked)
        fields = answer(block["signature"], block["inputs"], request.config.seed or 0)
        text = json.dumps(fields, ensure_ascii=False)
        return Response(
            id=None,
            model=request.model,
            message=Message.assistant([TextPart(text)]),
            finish_reason="stop",
            usage=Usage(input_tokens=len(asked.split()), output_tokens=len(text.split())),
        )

    def stream(self, request: Request) -> Iterator[Any]:
        yield from response_to_events(self.complete(request))

    def close(self) -> None:
        """Nothing is held open."""


def _block(text: str) -> dict[str, Any]:
    try:
        block = json.loads(text)
        if {"signature", "inputs"} <= block.keys():
            return dict(block)
    except (json.JSONDecodeError, AttributeError):
        pass
    raise InvalidRequestError(
        "the extractive engine reads one JSON block of inputs; ask it through modules.lm.Ask"
    )


__all__ = ["DoorEngine", "ExtractiveEngine"]
