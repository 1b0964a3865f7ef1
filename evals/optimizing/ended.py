"""How a search ends before its optimizer is done.

DSPy's optimizers treat exceptions as bad candidates and go on. What must end the search is
therefore no ``Exception``: it passes through their handlers and threads to whoever began it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Literal

from pydantic import Field

from modules.lm.ledger import Budget, Ledger
from signatures.errors import MootError
from signatures.types import Record, Usage

_searching: ContextVar[bool] = ContextVar("moot_searching", default=False)


class SearchEnded(BaseException):
    """The search is over.

    Args:
        reason: Why, as a clause.
        error: What the run ends with; None where the search simply used up its own budget.
    """

    def __init__(self, reason: str, error: MootError | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error = error


class SearchBudget(Record):
    """What the search may cost, besides the run's own ``budget``; None is no cap.

    ``calls`` counts requests, those answered by the cache included: a search that is run again
    from its cache then ends where it ended before. ``usd`` counts what was paid for.
    """

    calls: int | None = Field(default=None, ge=1)
    usd: float | None = Field(default=None, ge=0)


@contextmanager
def searching() -> Iterator[None]:
    """What is asked inside the block belongs to the search."""
    token = _searching.set(True)
    try:
        yield
    finally:
        _searching.reset(token)


class SearchLedger(Ledger):
    """A ledger that ends the search at its budget, and everything at the run's.

    Args:
        path: Where to append.
        budget: The run's caps.
        search: The search's.
    """

    def __init__(
        self, path: Path | None, budget: Budget | None = None, search: SearchBudget | None = None
    ) -> None:
        super().__init__(path, budget)
        self.search = search or SearchBudget()
        self.requests = 0
        self.over: SearchEnded | None = None
        self._under = 0

    def check(self) -> None:
        """As any ledger's; inside the search what it refuses ends the search.

        Raises:
            SearchEnded: Inside the search.
        """
        if not _searching.get():
            super().check()
            return
        if self.over is not None:
            raise self.over
        cap = self.search
        with self._lock:
            asked, known = self.requests + self._under, self._known_usd
        if cap.calls is not None and asked >= cap.calls:
            self.end(SearchEnded(f"its budget of {cap.calls} calls is used up"))
        if cap.usd is not None and known >= cap.usd:
            self.end(SearchEnded(f"its budget of ${cap.usd:g} is used up"))
        with self._lock:
            self._under += 1
        try:
            super().check()
        except MootError as error:
            self.end(SearchEnded(error.line(), error))

    def go_on(self) -> None:
        """As any ledger's; what waits for its turn is told that the search is over."""
        super().go_on()
        if self.over is not None and _searching.get():
            raise self.over

    def end(self, how: SearchEnded) -> None:
        """Let nothing of the search begin any more.

        Raises:
            SearchEnded: Always: the one that came first.
        """
        self.over = self.over or how
        raise self.over

    def record(
        self,
        kind: Literal["call", "cached", "failed"],
        *,
        role: str,
        model: str,
        usage: Usage | None = None,
    ) -> None:
        super().record(kind, role=role, model=model, usage=usage)
        if _searching.get():
            with self._lock:
                self.requests += kind != "failed"
                self._under -= kind != "cached" and self._under > 0

    def give_up(self) -> None:
        super().give_up()
        if _searching.get():
            with self._lock:
                self._under -= self._under > 0


__all__ = ["SearchBudget", "SearchEnded", "SearchLedger", "searching"]
