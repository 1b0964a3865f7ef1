"""What a server remembers of its requests, and which reply it gives to each."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .completions import PromptRead, PromptReader
from .messages import LMRequest, Refusal, Reply, Responder
from .protocol import Protocol
from .replies import fill_fields


@dataclass
class _Log:
    """What a server saw since it was started or cleared."""

    requests: list[LMRequest] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    embedded: list[list[str]] = field(default_factory=list)
    completions: list[dict[str, Any]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    intervals: dict[int, tuple[float, float]] = field(default_factory=dict)
    active: int = 0
    peak: int = 0


class Exchange:
    """One request being answered."""

    def __init__(
        self, log: _Log, lock: threading.Lock, request: LMRequest, script: Reply | None
    ) -> None:
        self.request = request
        self.script = script
        self._log, self._lock = log, lock
        self._start = time.monotonic()
        self._finished = False

    def finish(self) -> None:
        """Note the end of the exchange, once."""
        with self._lock:
            if not self._finished:
                self._finished = True
                self._log.active -= 1
                self._log.intervals[self.request.index] = (self._start, time.monotonic())


class Desk:
    """Where requests arrive and get their replies; what it saw can be looked up."""

    def __init__(
        self,
        responder: Responder | None = None,
        models: Sequence[str] = ("test-model",),
        latency_s: float = 0.0,
        api_key: str | None = None,
    ) -> None:
        self.responder: Responder = responder or fill_fields
        self.models = tuple(models)
        self.latency_s = latency_s
        self.api_key = api_key
        self._lock = threading.Lock()
        self._log = _Log()
        self._scripted: deque[Reply] = deque()
        self._scripted_embeddings: deque[Reply] = deque()
        self._scripted_completions: deque[Reply] = deque()
        self.reader: PromptReader | None = None

    def script(self, *replies: Reply | str) -> None:
        """Queue replies; they are served first, one to each request in the order of arrival."""
        with self._lock:
            self._scripted.extend(_as_reply(reply) for reply in replies)

    def script_embeddings(self, *replies: Reply) -> None:
        """Queue what happens to the next requests for embeddings; the texts are not used."""
        with self._lock:
            self._scripted_embeddings.extend(replies)

    def script_completions(self, *replies: Reply) -> None:
        """Queue what happens to the next prompts to be read; the texts are not used."""
        with self._lock:
            self._scripted_completions.extend(replies)

    @property
    def unserved(self) -> int:
        """How many scripted replies still wait."""
        with self._lock:
            waiting = (self._scripted, self._scripted_embeddings, self._scripted_completions)
            return sum(map(len, waiting))

    @property
    def requests(self) -> list[LMRequest]:
        """The accepted requests, in the order of arrival."""
        with self._lock:
            return list(self._log.requests)

    @property
    def refusals(self) -> list[Refusal]:
        """The requests that the server refused by itself: a wrong key, model, path or body."""
        with self._lock:
            return list(self._log.refusals)

    @property
    def embedded(self) -> list[list[str]]:
        """The texts of each request for embeddings."""
        with self._lock:
            return list(self._log.embedded)

    @property
    def completions(self) -> list[dict[str, Any]]:
        """The body of each request to read prompts."""
        with self._lock:
            return list(self._log.completions)

    @property
    def errors(self) -> list[Exception]:
        """What the responder raised; its requests were answered with status 500."""
        with self._lock:
            return list(self._log.errors)

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Start and end (monotonic) of each finished request, in the order of arrival.

        The end is noted just before the last bytes of a reply are sent, so a client that has its
        reply finds it here.
        """
        with self._lock:
            return [times for _, times in sorted(self._log.intervals.items())]

    @property
    def times(self) -> dict[int, tuple[float, float]]:
        """The same by the requests' index: those still under way have none."""
        with self._lock:
            return dict(self._log.intervals)

    @property
    def max_concurrent(self) -> int:
        """The most requests that were being answered at the same time."""
        with self._lock:
            return self._log.peak

    def clear(self) -> None:
        """Forget what was seen and scripted; the next request has index 0 again."""
        with self._lock:
            self._log = _Log()
            self._scripted.clear()
            self._scripted_embeddings.clear()
            self._scripted_completions.clear()

    # For the handler

    def begin(self, protocol: Protocol, body: dict[str, Any], headers: dict[str, str]) -> Exchange:
        """Accept a request for a completion and take its scripted reply, if one waits."""
        with self._lock:
            log = self._log
            request = protocol.read(body, headers, len(log.requests))
            log.requests.append(request)
            log.active += 1
            log.peak = max(log.peak, log.active)
            script = self._scripted.popleft() if self._scripted else None
            return Exchange(log, self._lock, request, script)

    def reply_to(self, request: LMRequest, script: Reply | None) -> Reply:
        """The reply to an accepted request, its text made where the script has none."""
        if script is not None and (script.text is not None or _is_fault(script)):
            return script
        try:
            made = _as_reply(self.responder(request))
            if made.text is None and not _is_fault(made):
                made = replace(made, text=fill_fields(request))
        except Exception as error:
            self.broke(error)
            return Reply(f"the responder raised {error!r}", status=500)
        return made if script is None or _is_fault(made) else replace(script, text=made.text)

    def embed(self, texts: list[str]) -> Reply:
        """Accept a request for embeddings; tell what happens to it."""
        with self._lock:
            self._log.embedded.append(texts)
            return self._scripted_embeddings.popleft() if self._scripted_embeddings else Reply()

    def completion(self, body: dict[str, Any]) -> Reply:
        """Accept a request to read prompts; tell what happens to it."""
        with self._lock:
            self._log.completions.append(body)
            waiting = self._scripted_completions
            return waiting.popleft() if waiting else Reply()

    def read_prompt(self, prompt: str | list[int]) -> PromptRead:
        """The prompt as the server's model reads it."""
        if self.reader is None:
            raise RuntimeError("nobody reads prompts here: set the server's reader")
        return self.reader(prompt)

    def refused(self, refusal: Refusal) -> None:
        """Note a request that was refused."""
        with self._lock:
            self._log.refusals.append(refusal)

    def broke(self, error: Exception) -> None:
        """Note an error of the responder or the server."""
        with self._lock:
            self._log.errors.append(error)


def _as_reply(reply: Reply | str) -> Reply:
    return Reply(reply) if isinstance(reply, str) else reply


def _is_fault(reply: Reply) -> bool:
    return reply.hang or reply.drop or reply.status != 200
