"""A local server that speaks three search protocols: Google's, Tavily's and SearXNG's.

What it knows is a list of pages; a query finds those that share a word with it, most words first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from modules.text import words

from .site import Answer, Asked, LocalServer

KEY = "sk-search-secret"
ENGINE = "0123456789abc"


class Known(NamedTuple):
    """A page that can be found."""

    url: str
    title: str
    text: str


class SearchServer(LocalServer):
    """All three protocols at their own paths.

    Args:
        pages: What can be found.
        failures: Answers given first, one request each, whatever is asked.
        json_enabled: Whether SearXNG's settings list json among the formats.
    """

    def __init__(
        self,
        pages: Sequence[Known] = (),
        failures: Sequence[Answer] = (),
        *,
        json_enabled: bool = True,
    ) -> None:
        super().__init__()
        self.pages = list(pages)
        self.failures = list(failures)
        self.json_enabled = json_enabled

    def answer(self, asked: Asked) -> Answer:
        if self.failures:
            return self.failures.pop(0)
        parts = urlsplit(asked.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/customsearch/v1":
            return self._google(asked, query)
        if parts.path == "/search" and asked.body:
            return self._tavily(asked, json.loads(asked.body))
        return self._searxng(query) if parts.path == "/search" else _json({}, 404)

    def found(self, query: str) -> list[Known]:
        wanted = set(words(query))
        shared = {
            page: len(wanted & set(words(f"{page.title} {page.text}"))) for page in self.pages
        }
        return sorted((p for p in self.pages if shared[p]), key=lambda page: -shared[page])

    def _google(self, asked: Asked, query: dict[str, str]) -> Answer:
        if KEY not in (query.get("key"), asked.headers.get("x-goog-api-key")):
            return _google_error(400, "API key not valid. Please pass a valid API key.")
        num, start = int(query.get("num", 10)), int(query.get("start", 1))
        if query.get("cx") != ENGINE or not 1 <= num <= 10 or not 1 <= start <= 101 - num:
            return _google_error(400, "Request contains an invalid argument.")
        rows = [
            {"kind": "customsearch#result", "title": p.title, "link": p.url, "snippet": p.text}
            for p in self.found(query["q"])[start - 1 : start - 1 + num]
        ]
        # Google leaves "items" out where there are none.
        return _json({"kind": "customsearch#search", **({"items": rows} if rows else {})})

    def _tavily(self, asked: Asked, body: dict[str, Any]) -> Answer:
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            said = "Unauthorized: missing or invalid API key."
            return _json({"detail": {"error": said}}, 401)
        rows = [
            {"title": p.title, "url": p.url, "content": p.text, "score": 0.9, "raw_content": None}
            for p in self.found(body["query"])[: body.get("max_results", 5)]
        ]
        return _json({"query": body["query"], "answer": None, "images": [], "results": rows})

    def _searxng(self, query: dict[str, str]) -> Answer:
        if query.get("format") != "json":
            return Answer(b"<html>results</html>")
        if not self.json_enabled:
            return Answer(b"<!doctype html><title>403 Forbidden</title>", 403)
        first = 10 * (int(query.get("pageno", 1)) - 1)
        rows = [
            {"url": p.url, "title": p.title, "content": p.text, "engine": "local", "score": 1.0}
            for p in self.found(query["q"])[first : first + 10]
        ]
        return _json({"query": query["q"], "results": rows, "unresponsive_engines": []})


def _google_error(code: int, said: str) -> Answer:
    told = {"code": code, "message": said, "errors": [], "status": "INVALID_ARGUMENT"}
    return _json({"error": told}, code)


def _json(body: dict[str, Any], status: int = 200) -> Answer:
    return Answer(json.dumps(body).encode(), status, "application/json")
