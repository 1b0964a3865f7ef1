"""A local HTTP server that speaks the language-model protocols, for tests.

It answers OpenAI chat completions, Anthropic messages and OpenAI embeddings over real sockets,
with no dependency outside the standard library. By default it reads what a request asks for (a
JSON schema, or the output fields of a DSPy prompt) and answers with valid values made from a hash
of the request, so that a program run against it works and is reproducible. Scripted replies stand
for what goes wrong: rate limits, server errors, hanging, dropped and truncated connections.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Self

from .chance import words
from .desk import Desk
from .embeddings import embedding
from .http_server import Connections
from .messages import LMRequest, Reply, Responder
from .prompts import requested_fields
from .replies import answer, chat_reply, fill_fields
from .schemas import instance

__all__ = [
    "LMRequest",
    "LMServer",
    "Reply",
    "answer",
    "chat_reply",
    "embedding",
    "fill_fields",
    "instance",
    "requested_fields",
    "words",
]


class LMServer(Desk):
    """A server on a free local port, from entering its context to leaving it."""

    def __init__(
        self,
        responder: Responder | None = None,
        models: Sequence[str] = ("test-model",),
        latency_s: float = 0.0,
        api_key: str | None = None,
        *,
        port: int = 0,
    ) -> None:
        super().__init__(responder, models, latency_s, api_key)
        self._wanted_port = port
        self._http: Connections | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin to listen."""
        if self._http is not None:
            raise RuntimeError("the server is running")
        self._http = Connections(self, self._wanted_port)
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), name="lm-server", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening and end every connection; requests that hang are dropped."""
        if self._http is None or self._thread is None:
            return
        self._http.end()
        self._thread.join(timeout=5.0)
        self._http = self._thread = None

    @property
    def port(self) -> int:
        """The port the server listens on."""
        if self._http is None:
            raise RuntimeError("the server is not running")
        return int(self._http.server_port)

    @property
    def base_url(self) -> str:
        """The address that clients of both protocols take, ending in `/v1`."""
        return f"http://127.0.0.1:{self.port}/v1"
