"""Search providers behind one protocol: a query becomes addresses of pages."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import httpx
from pydantic import BaseModel, ConfigDict, Field, field_validator

from modules.lm.addresses import key_in, plain_http
from modules.text import normalise
from signatures.errors import BackendError, OutageError

_SECRET = ("Authorization", "X-Goog-Api-Key")
_LONGEST_WAIT = 60.0
"""Seconds; a provider that asks for a longer pause is not waited for."""


class SearchHit(NamedTuple):
    """A page that a provider found."""

    url: str
    title: str
    snippet: str


class SearchSpec(BaseModel, ABC):
    """Names a search provider. One of one's own subclasses this and is named in a yaml.

    Args:
        base_url: The service, without credentials.
        timeout_s: Seconds for one answer.
        retries: Further tries after a rate limit, a server error or no answer.
        retry_delay_s: Seconds before the first further try, doubled each time; the provider's
            own ``Retry-After`` goes before it.
    """

    # A refused address may hold a key, which no message may repeat.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: str
    timeout_s: float = Field(default=20.0, gt=0, le=600)
    retries: int = Field(default=3, ge=0, le=20)
    retry_delay_s: float = Field(default=1.0, ge=0, le=60)

    @field_validator("base_url")
    @classmethod
    def _plain_http(cls, value: str) -> str:
        return plain_http(value)

    @property
    @abstractmethod
    def name(self) -> str:
        """The provider, as messages call it."""

    @abstractmethod
    def search(self, query: str, k: int) -> list[SearchHit]:
        """At most ``k`` pages, best first; none is no error.

        Raises:
            BackendError: The key is missing or refused, or the answer cannot be read.
            OutageError: There was no answer, or a rate limit, after all tries.
        """

    @abstractmethod
    def check(self) -> None:
        """Pass if everything needed for a search is set.

        Raises:
            BackendError: A key is missing.
        """

    def identity(self) -> dict[str, Any]:
        """What the answers depend on."""
        return {"provider": self.name, "base_url": self.base_url}

    # --- for subclasses -----------------------------------------------------------------------

    def key(self, variable: str) -> str:
        """A key from the environment.

        Raises:
            BackendError: It is not set.
        """
        of = f"the search provider {self.name}"
        return key_in(variable, of=of, instead="search=searxng")

    def ask(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """The JSON object a request is answered with, retried in bounds.

        Keys go into headers: addresses are logged by libraries and proxies.

        Raises:
            BackendError: The request is refused, or the answer is no JSON object.
            OutageError: There was no answer, or a rate limit, after all tries.
        """
        delay = self.retry_delay_s
        for left in range(self.retries, -1, -1):
            try:
                return self._once(method, path, request)
            except _Again as again:
                wait = delay if again.after is None else again.after
                if left == 0 or wait > _LONGEST_WAIT:
                    raise self._outage(again.said) from None
                time.sleep(wait)
                delay *= 2
        raise AssertionError  # the last try returns or raises

    def _once(self, method: str, path: str, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            reply = httpx.request(
                method, f"{self.base_url}{path}", timeout=self.timeout_s, **request
            )
        except httpx.TransportError as error:
            raise _Again(f"{type(error).__name__} at {self.base_url}") from None
        except httpx.HTTPError as error:
            raise self._broken(type(error).__name__) from None
        if reply.status_code == 429 or reply.status_code >= 500:
            raise _Again(_told(reply), _seconds(reply.headers.get("Retry-After")))
        if reply.status_code != 200:
            raise self._refusal(_told(reply), reply.status_code)
        try:
            found = reply.json()
        except ValueError:
            raise self._broken("an answer that is no JSON") from None
        if not isinstance(found, dict):
            raise self._broken("JSON that is no object")
        return found

    def hits(
        self, rows: object, url: str = "url", title: str = "title", snippet: str = "content"
    ) -> list[SearchHit]:
        """A provider's rows as hits; rows without an address are left out.

        Raises:
            BackendError: ``rows`` is no list.
        """
        if not isinstance(rows, Sequence) or isinstance(rows, str):
            raise self._broken("results that are no list")
        found = [row for row in rows if isinstance(row, dict)]
        return [
            SearchHit(row[url], _text(row.get(title)), _text(row.get(snippet)))
            for row in found
            if isinstance(row.get(url), str) and row[url].startswith(("http://", "https://"))
        ]

    def _refusal(self, said: str, status: int) -> BackendError:
        return BackendError(
            f"the search provider {self.name} refuses the request",
            got=said,
            remedy="check its key and its address",
        )

    def _broken(self, got: str) -> BackendError:
        return BackendError(
            f"the search provider {self.name} cannot be understood",
            got=got,
            remedy=f"check search.base_url ({self.base_url})",
        )

    def _outage(self, got: str) -> OutageError:
        return OutageError(
            f"the search provider {self.name} does not answer",
            got=f"{got}, after {self.retries + 1} tries",
            remedy="try again later (moot resume), or choose another: search=...",
        )


class _Again(Exception):  # noqa: N818 - says what to do, and never leaves this file
    """A failure that another try may mend; ``after`` is how long the provider asks to wait."""

    def __init__(self, said: str, after: float | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.after = after


def _told(reply: httpx.Response) -> str:
    """Status and message of an error, as the known providers give it, without the keys that were
    sent: Google repeats a suspended one.
    """
    try:
        body = reply.json()
    except ValueError:
        body = None
    while isinstance(body, dict):
        body = next((body[name] for name in ("error", "detail", "message") if name in body), None)
    text = body if isinstance(body, str) else ""
    for name in _SECRET:
        for word in reply.request.headers.get(name, "").split():
            text = text.replace(word, "***")
    said = f": {normalise(text)[:200]}" if text else ""
    return f"HTTP status {reply.status_code}{said}"


def _seconds(value: str | None) -> float | None:
    try:
        return max(float(value or ""), 0.0)
    except ValueError:
        return None  # a date, which providers do not send: our own delay serves


def _text(value: object) -> str:
    return normalise(value) if isinstance(value, str) else ""


__all__ = ["SearchHit", "SearchSpec"]
