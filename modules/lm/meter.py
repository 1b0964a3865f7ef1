"""The engine every backend's engine is wrapped in: it names, limits and counts each attempt."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol

from dspy.lm15 import LM15Error, Request, Response
from dspy.utils.callback import BaseCallback

from modules.lm.ledger import Ledger
from modules.lm.limits import Limiter, Spent
from modules.lm.streaming import answered
from signatures.types import Record, Usage


class Engine(Protocol):
    """One attempt at answering a request (DSPy's engine contract)."""

    def complete(self, request: Request) -> Response: ...

    def stream(self, request: Request) -> Iterator[Any]: ...

    def close(self) -> None: ...


class Price(Record):
    """US dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None

    def cost(self, usage: Usage) -> float:
        """Dollars for the tokens of ``usage``; cached input falls back to the input price."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = usage.input_tokens - usage.cached_input_tokens
        dollars = fresh * self.input + usage.cached_input_tokens * cached
        return (dollars + usage.output_tokens * self.output) / 1_000_000


_reached: ContextVar[list[bool] | None] = ContextVar("moot_reached_backend", default=None)


class MeteredEngine:
    """Sends ``wire_model`` to the inner engine, and records what each attempt cost.

    Args:
        inner: The engine that does the work.
        ledger: Where to record; it also enforces the budget before each attempt.
        role: The role this engine serves.
        wire_model: The model name the server knows (the LM's own name carries server and
            engine version so that caches never mix them up).
        price: Dollars per million tokens, or None when unknown.
        json_schema: Whether the server honours a JSON schema as response format.
        slots: Bounds the attempts: a limiter, or what is entered for the time of each.
    """

    def __init__(
        self,
        inner: Engine,
        *,
        ledger: Ledger,
        role: str,
        wire_model: str,
        price: Price | None,
        json_schema: bool = False,
        adapter: Any = None,
        slots: Limiter | AbstractContextManager[Any] | None = None,
    ) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._under_way = 0
        self._closing = False
        self._limiter = slots if isinstance(slots, Limiter) else _around(slots)
        self._ledger = ledger
        self._role = role
        self._wire_model = wire_model
        self._price = price
        self.adapter = adapter
        self.supports_response_schema = json_schema
        self.supports_function_calling = False
        self.supports_reasoning = False
        self.supported_params = frozenset(
            {"temperature", "top_p", "max_tokens", "seed", "stop", "stream"}
            | ({"response_format"} if json_schema else set())
        )

    def complete(self, request: Request) -> Response:
        """One attempt. Raises whatever the inner engine raises, after counting it."""
        with self._limiter.turn(self._ledger.go_on) as spent, self._open():
            self._begin()
            try:
                response = answered(self._inner, replace(request, model=self._wire_model))
            except LM15Error:
                self._failed()
                raise
            except BaseException:
                self._ledger.give_up()
                raise
            self._succeeded(response.usage, spent)
        return response

    def stream(self, request: Request) -> Iterator[Any]:
        """As :meth:`complete`, event by event; counted when the end event arrives."""
        with self._limiter.turn(self._ledger.go_on) as spent, self._open():
            self._begin()
            try:
                for event in self._inner.stream(replace(request, model=self._wire_model)):
                    if event.type == "end":
                        self._succeeded(event.usage, spent)
                    yield event
            except LM15Error:
                self._failed()
                raise

    def close(self) -> None:
        """Release the inner engine's connections, once the attempts under way have ended: what is
        paid for is counted, and its answer kept.
        """
        with self._lock:
            self._closing = True
            idle = not self._under_way
        if idle:
            self._inner.close()

    @contextmanager
    def _open(self) -> Iterator[None]:
        """The inner engine stays open for the length of an attempt."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                last = self._closing and not self._under_way
            if last:
                self._inner.close()

    def _begin(self) -> None:
        self._ledger.check()
        box = _reached.get()
        if box is not None:
            box[0] = True

    def _failed(self) -> None:
        self._ledger.record("failed", role=self._role, model=self._wire_model)

    def _succeeded(self, reported: Any, told: Spent) -> None:
        spent = Usage(
            input_tokens=reported.input_tokens or 0,
            cached_input_tokens=getattr(reported, "cache_read_tokens", None) or 0,
            output_tokens=reported.output_tokens or 0,
        )
        told.tokens = spent.input_tokens + spent.output_tokens
        # A server that reports no tokens has not said that they were none.
        counted = None not in (reported.input_tokens, reported.output_tokens)
        usd = self._price.cost(spent) if self._price is not None and counted else None
        self._ledger.record(
            "call",
            role=self._role,
            model=self._wire_model,
            usage=spent.model_copy(update={"usd": usd}),
        )


def _around(slots: AbstractContextManager[Any] | None) -> Limiter:
    """A limiter that knows no limit but what it enters."""
    return Limiter(also=None if slots is None else lambda _: slots)


class AsyncMeteredEngine:
    """The same engine for DSPy's async calls, run in a worker thread."""

    def __init__(self, engine: MeteredEngine) -> None:
        self._engine = engine
        self.adapter = engine.adapter

    async def complete(self, request: Request) -> Response:
        return await asyncio.to_thread(self._engine.complete, request)

    async def stream(self, request: Request) -> AsyncIterator[Any]:
        events = self._engine.stream(request)
        while (event := await asyncio.to_thread(next, events, None)) is not None:
            yield event

    async def aclose(self) -> None:
        self._engine.close()


class CacheCounter(BaseCallback):
    """Records an LM call that never reached the engine: DSPy's cache answered it."""

    def __init__(self, ledger: Ledger, *, role: str, model: str) -> None:
        self._ledger = ledger
        self._role = role
        self._model = model

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        _reached.set([False])

    def on_lm_end(
        self, call_id: str, outputs: Any | None, exception: BaseException | None = None
    ) -> None:
        box = _reached.get()
        if exception is None and box is not None and not box[0]:
            self._ledger.record("cached", role=self._role, model=self._model)


__all__ = ["AsyncMeteredEngine", "CacheCounter", "Engine", "MeteredEngine", "Price"]
