"""One page of the web, or the reason why not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import PurePosixPath
from ssl import SSLContext
from typing import NamedTuple, TypeVar

import httpcore
import httpx

from modules.retrieval.sniff import KINDS
from modules.retrieval.web.body import body_of
from modules.retrieval.web.guard import GuardedBackend, host_of, target
from modules.retrieval.web.robots import MAX_ROBOTS, Robots, Turns
from modules.retrieval.web.settings import FetchSettings
from signatures.errors import InputError

_OFFICE = "application/vnd.openxmlformats-officedocument"
_TYPES = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/csv": "csv",
    "application/pdf": "pdf",
    f"{_OFFICE}.wordprocessingml.document": "docx",
    f"{_OFFICE}.presentationml.presentation": "pptx",
}
_TEXTS = ("html", "txt", "md", "csv")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_MOVED = (301, 302, 303, 307, 308)

Read = TypeVar("Read")


class Page(NamedTuple):
    """A fetched page: where it lies after all redirects, its kind as a file, its bytes."""

    url: str
    kind: str
    raw: bytes


class _Elsewhere(NamedTuple):
    location: str


class Fetcher:
    """Fetches pages within limits, politely; usable from many threads.

    Connections are direct: a proxy would resolve names itself, where nothing can be checked.

    Args:
        settings: The limits.
        trusts: Whether a host (lower case, punycode) may be asked; every redirect is checked.
    """

    def __init__(
        self, settings: FetchSettings, trusts: Callable[[str], bool] | None = None
    ) -> None:
        self.settings = settings
        self._trusts = trusts
        self._robots = Robots(settings.user_agent.partition("/")[0])
        self._turns = Turns()

    def page(self, url: str) -> Page:
        """The page at ``url``.

        Raises:
            InputError: It cannot be had, or may not; the message says why.
        """
        return self._follow(target(url), self._admit, self._read_page)

    # --- asking -------------------------------------------------------------------------------

    def _follow(
        self,
        at: httpx.URL,
        admit: Callable[[httpx.URL], float],
        read: Callable[[httpx.URL, httpcore.Response], Read],
    ) -> Read:
        """Ask, and go where the answer points, until there is something to read.

        ``admit`` gives the pause to leave after a request, or raises.
        """
        left = self.settings.timeout_s
        for _ in range(self.settings.max_redirects + 1):
            pause = admit(at)
            with self._turns.turn(host_of(at), pause):
                started = time.monotonic()
                found = self._ask(at, left, read)
                left -= time.monotonic() - started
            if not isinstance(found, _Elsewhere):
                return found
            at = _redirected(at, found.location)
        raise InputError(
            "redirects again and again", expected=f"at most {self.settings.max_redirects} times"
        )

    def _ask(
        self,
        url: httpx.URL,
        seconds: float,
        read: Callable[[httpx.URL, httpcore.Response], Read],
    ) -> Read | _Elsewhere:
        private = self.settings.allow_private
        backend = GuardedBackend(time.monotonic() + seconds, allow_private=private)
        try:
            with (
                httpcore.ConnectionPool(_tls(), network_backend=backend) as pool,
                pool.stream("GET", _core(url), headers=self._headers()) as response,
            ):
                location = _header(response, "location")
                if response.status in _MOVED and location:
                    return _Elsewhere(location)
                return read(url, response)
        except httpcore.TimeoutException as error:
            limit = f"{self.settings.timeout_s:g} s"
            raise InputError(
                "is not there in time", expected=f"all of it within {limit}"
            ) from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            said = str(error) or type(error).__name__
            raise InputError("cannot be reached", got=said.split("\n", 1)[0][:200]) from error

    def _headers(self) -> list[tuple[bytes | str, bytes | str]]:
        return [
            ("User-Agent", self.settings.user_agent),
            ("Accept", ", ".join(_TYPES)),
            ("Accept-Encoding", "gzip, deflate"),
            ("Connection", "close"),
        ]

    # --- what may be asked --------------------------------------------------------------------

    def _admit(self, url: httpx.URL) -> float:
        host = host_of(url)
        if self._trusts is not None and not self._trusts(host):
            raise InputError(f"lies on {host}, which is no trusted domain")
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        return max(self.settings.delay_s, self._robots.check(origin, str(url), self._rules_at))

    def _rules_at(self, url: str) -> str | None:
        return self._follow(target(url), lambda _: 0.0, _read_rules)

    # --- reading ------------------------------------------------------------------------------

    def _read_page(self, url: httpx.URL, response: httpcore.Response) -> Page:
        if response.status != 200:
            raise InputError(f"is answered with HTTP status {response.status}")
        declared = _header(response, "content-type")
        kind = _kind(declared, url.path)
        raw = body_of(response, _header(response, "content-encoding"), self.settings.max_bytes)
        return Page(str(url), kind, _in_utf8(raw, declared) if kind in _TEXTS else raw)


def _read_rules(url: httpx.URL, response: httpcore.Response) -> str | None:
    if 400 <= response.status < 500:
        return None
    if response.status != 200:
        raise InputError(
            "has a robots.txt that cannot be read", got=f"HTTP status {response.status}"
        )
    encoding = _header(response, "content-encoding")
    return body_of(response, encoding, MAX_ROBOTS, cut=True).decode("utf-8", "replace")


def _redirected(at: httpx.URL, location: str) -> httpx.URL:
    try:
        return target(str(at.join(location)))
    except (httpx.InvalidURL, ValueError) as error:
        raise InputError("redirects to an unusable address") from error
    except InputError as error:
        raise InputError(f"redirects to what {error.line()}") from error


def _kind(declared: str, path: str) -> str:
    plain = declared.partition(";")[0].strip().lower()
    if plain not in _TYPES:
        raise InputError(
            f"is of type {plain[:80]}" if plain else "declares no type",
            expected="HTML, text, Markdown, CSV, PDF, docx or pptx",
        )
    named = KINDS.get(PurePosixPath(path).suffix.lower())
    return named if plain == "text/plain" and named in _TEXTS else _TYPES[plain]


def _in_utf8(raw: bytes, declared: str) -> bytes:
    """Text in UTF-8 where the header names another encoding; that goes before the page's own."""
    charset = _CHARSET.search(declared)
    try:
        return raw.decode(charset[1]).encode() if charset else raw
    except (LookupError, UnicodeError):
        return raw


def _header(response: httpcore.Response, name: str) -> str:
    """A header's value, empty where it is missing."""
    wanted = name.encode()
    found = (value for key, value in response.headers if key.lower() == wanted)
    return next(found, b"").decode("latin-1").strip()


def _core(url: httpx.URL) -> httpcore.URL:
    """The address for httpcore, from the one reading of it that was checked."""
    return httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


@cache
def _tls() -> SSLContext:
    """Certificates are verified; ``SSL_CERT_FILE`` names further authorities."""
    return httpx.create_ssl_context()


__all__ = ["Fetcher", "Page"]
