"""A local web site, and whatever a hostile one can send."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """What a path is answered with.

    Args:
        body: Sent as it is, at once, or ``drip_s`` seconds apart byte by byte.
        endless: Sent again and again, chunk by chunk, until the client leaves.
    """

    body: bytes = b""
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    drip_s: float = 0.0
    endless: bool = False


@dataclass(frozen=True)
class Asked:
    """One request: its path with its query, its headers by lower-case name, and when it came."""

    path: str
    headers: Mapping[str, str]
    at: float
    body: bytes = b""


class LocalServer:
    """A server on a free local port, from entering its context to leaving it; subclasses answer.

    Args:
        tls: Serve https with it.
    """

    def __init__(self, tls: SSLContext | None = None) -> None:
        self.asked: list[Asked] = []
        self._tls = tls
        self._lock = threading.Lock()

    def answer(self, asked: Asked) -> Answer:
        """What a request is answered with."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:
                """Stay silent."""

            def do_GET(self) -> None:
                outer._serve(self)

            do_POST = do_GET  # noqa: N815 - the standard library wants this name

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign] # clients leave
        if self._tls is not None:
            self._http.socket = self._tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def base_url(self) -> str:
        """The address by number."""
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.path for asked in self.asked]

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = request.rfile.read(int(headers.get("content-length") or 0))
        asked = Asked(request.path, headers, time.monotonic(), body)
        with self._lock:
            self.asked.append(asked)
        answer = self.answer(asked)
        request.send_response(answer.status)
        if answer.type:
            request.send_header("Content-Type", answer.type)
        for name, value in answer.headers.items():
            request.send_header(name, value)
        request.end_headers()  # HTTP/1.0: the end of the connection ends the body
        self._send(request, answer)

    def _send(self, request: BaseHTTPRequestHandler, answer: Answer) -> None:
        try:
            while answer.endless:
                request.wfile.write(answer.body)
            if answer.drip_s:
                for byte in answer.body:
                    request.wfile.write(bytes([byte]))
                    time.sleep(answer.drip_s)
            else:
                request.wfile.write(answer.body)
        except OSError:
            return  # the client has seen enough


class Site(LocalServer):
    """Pages by path; anything else is 404, robots.txt too unless it is given."""

    def __init__(
        self, pages: Mapping[str, Answer | bytes | str], tls: SSLContext | None = None
    ) -> None:
        super().__init__(tls)
        self.pages = dict(pages)

    def answer(self, asked: Asked) -> Answer:
        found = self.pages.get(asked.path.partition("?")[0])
        if found is None:
            return Answer(b"nothing here", 404)
        if isinstance(found, Answer):
            return found
        return Answer(found.encode() if isinstance(found, str) else found)


def redirect(location: str, status: int = 302) -> Answer:
    """An answer that points elsewhere."""
    return Answer(status=status, headers={"Location": location})


def article(title: str, *paragraphs: str, lang: str = "en") -> str:
    """A plain page."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f'<!doctype html><html lang="{lang}"><head><title>{title}</title></head>'
        f"<body><h1>{title}</h1>{text}</body></html>"
    )
