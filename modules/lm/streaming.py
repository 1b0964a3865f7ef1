"""Hearing a reply while it is being written.

DSPy's own streaming wraps a whole program in an event loop; here whoever calls a predictor listens
to the one call it makes, and everything else (cache, retries, counting) stays as it is. A reply
out of the cache, or of an engine that writes it in one piece, is heard once or not at all.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from dspy.lm15 import Request, Response, ResponseStream

Hear = Callable[[str], None]
"""Is given all that a reply has so far, whenever there is more."""

PERIOD_S = 0.1
"""The least time between two calls of a listener, in seconds."""

_listener: ContextVar[Hear | None] = ContextVar("moot_listener", default=None)
_CHAT = r"\[\[ ## {} ## \]\]\s*"
_NEXT = re.compile(r"\s*\[(?:\[[ #]*)?\Z|\s*\[\[ ## .*", re.DOTALL)
_JSON = r'"{}"\s*:\s*"((?:[^"\\]|\\.)*)'
_TORN = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z")


@contextmanager
def listening(hear: Hear) -> Iterator[None]:
    """Let ``hear`` follow the replies to the LM calls made inside the block."""
    token = _listener.set(hear)
    try:
        yield
    finally:
        _listener.reset(token)


def answered(engine: Any, request: Request) -> Response:
    """One attempt at the engine: streamed where somebody listens, whole otherwise."""
    hear = _listener.get()
    if hear is None:
        return engine.complete(request)
    text, last = "", 0.0
    with ResponseStream(engine.stream(request), request) as stream:
        for piece in stream:
            text += piece
            if time.monotonic() - last >= PERIOD_S:
                hear(text)
                last = time.monotonic()
        return stream.response


def so_far(raw: str, field: str) -> str:
    """What an unfinished reply holds of one output field, in either adapter's format."""
    if found := re.search(_CHAT.format(re.escape(field)), raw):
        return _NEXT.sub("", raw[found.end() :])
    if found := re.search(_JSON.format(re.escape(field)), raw, re.DOTALL):
        whole = _TORN.sub("", found[1])
        return str(json.loads(f'"{whole}"', strict=False))
    return ""


__all__ = ["Hear", "answered", "listening", "so_far"]
