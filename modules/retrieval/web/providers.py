"""The search providers: Google Programmable Search, Tavily, SearXNG."""

from __future__ import annotations

from typing import Any, Literal

from modules.retrieval.web.search import SearchHit, SearchSpec
from signatures.errors import BackendError

_GOOGLE_PAGE = 10  # results per request, at most
_GOOGLE_DEEPEST = 100  # results of one query, at most
_TAVILY_MOST = 20
_SEARXNG_PAGES = 5


class GoogleSpec(SearchSpec):
    """Google Programmable Search, by its Custom Search JSON API (v1).

    Args:
        api_key_env: Names the environment variable that holds the key.
        engine_env: Names the one that holds the engine's id (cx).
    """

    api_key_env: str
    engine_env: str

    @property
    def name(self) -> str:
        return "google"

    def check(self) -> None:
        self.key(self.api_key_env)
        self.key(self.engine_env)

    def search(self, query: str, k: int) -> list[SearchHit]:
        found: list[SearchHit] = []
        wanted = min(k, _GOOGLE_DEEPEST)
        while len(found) < wanted:
            page = self._page(query, min(_GOOGLE_PAGE, wanted - len(found)), len(found) + 1)
            found += page
            if len(page) < _GOOGLE_PAGE:
                break
        return found[:k]

    def _page(self, query: str, num: int, start: int) -> list[SearchHit]:
        engine = self.key(self.engine_env)
        answer = self.ask(
            "GET",
            "/customsearch/v1",
            params={"cx": engine, "q": query, "num": num, "start": start},
            # Google's own header for its REST APIs (docs/authentication/api-keys-use), in place of
            # the parameter "key" of this API's pages, which would stand in logged addresses.
            headers={"X-Goog-Api-Key": self.key(self.api_key_env)},
        )
        return self.hits(answer.get("items", []), url="link", snippet="snippet")


class TavilySpec(SearchSpec):
    """Tavily's search API.

    Args:
        api_key_env: Names the environment variable that holds the key.
        depth: ``basic`` costs one credit a search, ``advanced`` two.
    """

    api_key_env: str
    depth: Literal["basic", "advanced"] = "basic"

    @property
    def name(self) -> str:
        return "tavily"

    def check(self) -> None:
        self.key(self.api_key_env)

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "depth": self.depth}

    def search(self, query: str, k: int) -> list[SearchHit]:
        most = min(k, _TAVILY_MOST)
        answer = self.ask(
            "POST",
            "/search",
            json={"query": query, "max_results": most, "search_depth": self.depth},
            headers={"Authorization": f"Bearer {self.key(self.api_key_env)}"},
        )
        return self.hits(answer.get("results"))[:k]


class SearXNGSpec(SearchSpec):
    """A SearXNG server with ``json`` among the formats in its settings.

    Args:
        language: A code such as ``en``, or ``all``.
    """

    language: str = "all"

    @property
    def name(self) -> str:
        return "searxng"

    def check(self) -> None:
        """Nothing is needed but the server."""

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "language": self.language}

    def search(self, query: str, k: int) -> list[SearchHit]:
        found: dict[str, SearchHit] = {}
        for page in range(1, _SEARXNG_PAGES + 1):
            asked = {"q": query, "format": "json", "language": self.language, "pageno": page}
            rows = self.hits(self.ask("GET", "/search", params=asked).get("results"))
            new = [hit for hit in rows if hit.url not in found]
            found.update((hit.url, hit) for hit in new)
            if len(found) >= k or not new:
                break
        return list(found.values())[:k]

    def _refusal(self, said: str, status: int) -> BackendError:
        if status != 403:
            return super()._refusal(said, status)
        return BackendError(
            f"the search provider searxng at {self.base_url} refuses to answer in JSON",
            got="HTTP status 403",
            remedy="add json to search.formats in its settings.yml",
        )


__all__ = ["GoogleSpec", "SearXNGSpec", "TavilySpec"]
