"""The HTTP side: the listening socket, its connections, and what they are answered."""

from __future__ import annotations

import json
import math
import selectors
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import completions, embeddings
from .anthropic_protocol import Anthropic
from .desk import Desk, Exchange
from .messages import LMRequest, Refusal, Reply
from .openai_protocol import OpenAI
from .protocol import Failure, Protocol
from .replies import dumped

OPENAI = OpenAI()
ANTHROPIC = Anthropic()


class Connections(ThreadingHTTPServer):
    """Keeps track of its connections, so that it can end them all."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, desk: Desk, port: int) -> None:
        self.desk = desk
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        super().__init__(("127.0.0.1", port), Handler)

    def server_bind(self) -> None:
        """Bind without asking for the name of the host, which can be slow."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.socket.getsockname()[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        thread = threading.Thread(
            target=self.process_request_thread,
            args=(request, client_address),
            name="lm-server-connection",
            daemon=True,
        )
        with self._lock:
            self._open[thread] = request
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection, and forget it when it is over."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open.pop(threading.current_thread(), None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep an error for the test instead of printing it; clients that leave are none."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self.desk.broke(error)

    def end(self) -> None:
        """Stop listening, close every connection and wait for their threads."""
        self.closing.set()
        self.shutdown()
        self.server_close()
        with self._lock:
            left = dict(self._open)
        for connection in left.values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in left:
            thread.join(timeout=5.0)


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Connections
    exchange: Exchange | None = None

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        self._handle(self._get)

    def do_POST(self) -> None:
        self._handle(self._post)

    def _handle(self, action: Callable[[str], None]) -> None:
        try:
            action(self.path.partition("?")[0].rstrip("/"))
        except ConnectionError:
            self.close_connection = True

    @property
    def _desk(self) -> Desk:
        return self.server.desk

    def _lower_headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _get(self, path: str) -> None:
        headers = self._lower_headers()
        anthropic = "anthropic-version" in headers or "x-api-key" in headers
        protocol: Protocol = ANTHROPIC if anthropic else OPENAI
        listing = path == "/v1/models"
        name = path.removeprefix("/v1/models/")
        failure = self._wrong_key(protocol, headers)
        if failure is None and not listing:
            failure = _no_route(path) if name == path else self._wrong_model(protocol, name)
        if failure is not None:
            self._refuse(protocol, failure)
        elif listing:
            self._send(200, protocol.models(self._desk.models))
        else:
            self._send(200, protocol.model(name))

    def _post(self, path: str) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path == "/v1/chat/completions":
            self._complete(OPENAI, raw)
        elif path == "/v1/messages":
            self._complete(ANTHROPIC, raw)
        elif path == "/v1/completions" and self._desk.reader is not None:
            self._read_prompts(raw)
        elif path == "/v1/embeddings":
            self._embed(raw)
        else:
            self._refuse(OPENAI, _no_route(path))

    def _complete(self, protocol: Protocol, raw: bytes) -> None:
        headers = self._lower_headers()
        body = _object_in(raw)
        failure = self._unusable(protocol, body, headers)
        if failure is None and (flaw := protocol.flaw(body or {}, headers)) is not None:
            failure = Failure(400, flaw)
        if body is None or failure is not None:
            self._refuse(protocol, failure or Failure(400, "unreadable"))
            return
        self.exchange = self._desk.begin(protocol, body, headers)
        try:
            self._deliver(protocol, self.exchange.request, self.exchange.script)
        finally:
            self.exchange.finish()
            self.exchange = None

    def _deliver(self, protocol: Protocol, request: LMRequest, script: Reply | None) -> None:
        reply = self._desk.reply_to(request, script)
        if not self._pause(self._desk.latency_s) or self._failed(protocol, reply):
            return
        if request.body.get("stream"):
            self._send_events(list(protocol.events(request, reply)), reply.truncate)
        else:
            self._send(200, protocol.reply(request, reply), truncate=reply.truncate)

    def _embed(self, raw: bytes) -> None:
        body = _object_in(raw)
        failure = self._unusable(OPENAI, body, self._lower_headers())
        texts = embeddings.inputs((body or {}).get("input"))
        if failure is None and not texts:
            failure = Failure(400, "'input' must be a text or a list of texts")
        if body is None or failure is not None:
            self._refuse(OPENAI, failure or Failure(400, "unreadable"))
            return
        reply = self._desk.embed(texts)
        if self._pause(self._desk.latency_s) and not self._failed(OPENAI, reply):
            self._send(200, embeddings.body_of(body, texts), truncate=reply.truncate)

    def _read_prompts(self, raw: bytes) -> None:
        body = _object_in(raw)
        failure = self._unusable(OPENAI, body, self._lower_headers())
        prompts = completions.prompts_in((body or {}).get("prompt"))
        if failure is None and not prompts:
            failure = Failure(400, "'prompt' must be a text, token ids, or a list of them")
        if body is None or failure is not None:
            self._refuse(OPENAI, failure or Failure(400, "unreadable"))
            return
        reply = self._desk.completion(body)
        if self._pause(self._desk.latency_s) and not self._failed(OPENAI, reply):
            read = [self._desk.read_prompt(prompt) for prompt in prompts]
            self._send(200, completions.completion_of(body, read), truncate=reply.truncate)

    # Refusals

    def _unusable(
        self, protocol: Protocol, body: dict[str, Any] | None, headers: dict[str, str]
    ) -> Failure | None:
        failure = self._wrong_key(protocol, headers)
        if failure is not None:
            return failure
        if body is None:
            return Failure(400, "The body of the request is not a JSON object.")
        return self._wrong_model(protocol, str(body.get("model")))

    def _wrong_key(self, protocol: Protocol, headers: dict[str, str]) -> Failure | None:
        if self._desk.api_key in (None, protocol.key(headers)):
            return None
        return Failure(401, protocol.wrong_key)

    def _wrong_model(self, protocol: Protocol, name: str) -> Failure | None:
        if name in self._desk.models:
            return None
        return Failure(404, protocol.wrong_model.format(name), "model_not_found")

    def _refuse(self, protocol: Protocol, failure: Failure) -> None:
        self._desk.refused(Refusal(failure.status, self.path))
        self._send_failure(protocol, failure)

    # Sending

    def _failed(self, protocol: Protocol, reply: Reply) -> bool:
        """Act on a reply that is not a good one; tell whether that was all."""
        if not self._pause(math.inf if reply.hang else reply.delay_s or 0.0):
            return True
        if reply.drop:
            self._hang_up()
        elif reply.status != 200:
            message = reply.text or f"scripted error {reply.status}"
            failure = Failure(reply.status, message, reply.error_code, reply.retry_after)
            self._send_failure(protocol, failure, truncate=reply.truncate)
        return reply.drop or reply.status != 200

    def _send_failure(
        self, protocol: Protocol, failure: Failure, *, truncate: bool = False
    ) -> None:
        extra: dict[str, str] = {}
        if failure.retry_after is not None:
            extra["Retry-After"] = f"{failure.retry_after:g}"
        self._send(failure.status, protocol.error(failure), extra, truncate=truncate)

    def _send(
        self,
        status: int,
        body: object,
        extra: Mapping[str, str] | None = None,
        *,
        truncate: bool = False,
    ) -> None:
        data = dumped(body).encode()
        self._start(status, {"Content-Type": "application/json", **(extra or {})}, len(data))
        self._mark_end()
        self.wfile.write(data[: len(data) // 2] if truncate else data)
        if truncate:
            self._hang_up()

    def _send_events(self, events: list[str], truncate: bool) -> None:
        kept = events[: len(events) // 2] if truncate else events
        self._start(200, {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}, None)
        for i, event in enumerate(kept):
            if i == len(kept) - 1:
                self._mark_end()
            data = event.encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        if truncate:
            self._hang_up()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _start(self, status: int, headers: Mapping[str, str], length: int | None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        request_id = f"req_{self.exchange.request.index if self.exchange else 'none'}"
        self.send_header("x-request-id", request_id)
        self.send_header("request-id", request_id)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _mark_end(self) -> None:
        if self.exchange is not None:
            self.exchange.finish()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _pause(self, seconds: float) -> bool:
        """Wait; false when the client left or the server closed meanwhile."""
        if seconds > 0 and self._left_within(None if seconds == math.inf else seconds):
            self._hang_up()
            return False
        return True

    def _left_within(self, seconds: float | None) -> bool:
        end = None if seconds is None else time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            ready = selector.select(seconds)
        if not ready:
            return False
        with suppress(OSError):
            if self.connection.recv(1, socket.MSG_PEEK):  # the next request came early
                left = None if end is None else max(0.0, end - time.monotonic())
                return self.server.closing.wait(left)
        return True


def _no_route(path: str) -> Failure:
    return Failure(404, f"Invalid URL ({path})", "unknown_url")


def _object_in(raw: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
