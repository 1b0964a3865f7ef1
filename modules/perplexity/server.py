"""A causal LM behind an OpenAI-compatible server that returns prompt log-probabilities.

Two ways to ask, both of ``/v1/completions``: ``echo`` (the older protocol: the prompt comes back
with its log-probabilities; vLLM and others) and ``prompt_logprobs`` (vLLM's own field). All
continuations of a prompt travel in one request.

With ``tokenizer`` the prompt is put together here and sent as token ids. Without one it is sent as
text, and the prompt alone goes with it: where its tokens and those of prompt and continuation
part, the continuation begins, so that a token across the border belongs to the continuation.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from modules.perplexity.tokens import Fallback, Tokens, load_tokenizer
from modules.perplexity.types import Part, Reading
from modules.perplexity.window import check_window
from signatures.errors import BackendError, ConfigError, InputError, OutageError
from signatures.types import Usage

if TYPE_CHECKING:
    from openai import OpenAI

    from modules.lm.ledger import Ledger

FLOOR = -9999.0
"""What vLLM writes for minus infinity, which JSON does not know."""

Wire = Literal["echo", "prompt_logprobs"]


class _Read(NamedTuple):
    """A prompt as the server read it: its tokens, and the log-probability of each but the first."""

    tokens: list[str]
    logprobs: list[float | None]


class ServerEvaluator:
    """Asks a server how likely texts are.

    Args:
        model: As the server names it.
        name: The evaluator's identity.
        base_url: The address, ending in ``/v1``.
        api_key: Sent, never shown. Local servers accept any.
        wire: How the log-probabilities are asked for.
        tokenizer: Hub name or folder of the model's tokenizer, for its chat template and token
            ids; None sends plain text.
        window: The most tokens the model reads at once, where it is known.
        fallback: What stands in for a chat template; ``eos`` needs the tokenizer.
        timeout_s: Seconds a request may take.
        retries: Further attempts after a rate limit, a time-out or a server error.
        concurrency: Requests under way at once.
        ledger: Where requests are counted; None counts nothing.
        usd_per_million: Dollars per million tokens read; None where it is not known.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str,
        base_url: str,
        api_key: str,
        wire: Wire = "echo",
        tokenizer: str | None = None,
        window: int | None = None,
        fallback: Fallback = "plain",
        timeout_s: float = 120.0,
        retries: int = 3,
        concurrency: int = 8,
        ledger: Ledger | None = None,
        usd_per_million: float | None = 0.0,
    ) -> None:
        self._model = model
        self._name = name
        self._base_url = base_url
        self._api_key = api_key
        self._wire = wire
        self._tokenizer = tokenizer
        self._window = window
        self._fallback: Fallback = fallback
        self._timeout_s = timeout_s
        self._retries = retries
        self._slots = threading.BoundedSemaphore(concurrency)
        self._ledger = ledger
        self._usd_per_million = usd_per_million
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    def warm(self) -> None:
        """Ask for the log-probabilities of a word."""
        self.read("Is anybody there?", ["Yes."])

    def read(self, text: str, continuations: Sequence[str]) -> Reading:
        """How likely each continuation is after ``text``, by one request.

        Raises:
            InputError: The server says that the prompt is too long or cannot be read.
            OutageError: It does not answer.
            BackendError: It refuses, or returns no log-probabilities.
        """
        if self._tokenizer is None:
            return self._read_text(text, continuations)
        tokens = self._tokens()
        prefix = tokens.prefix(text)
        parts = [tokens.quoted(part) for part in continuations]
        check_window(len(prefix), [len(part) for part in parts], self._window)
        found = self._ask([[*prefix, *part] for part in parts])
        whole = [len(prefix) + len(part) for part in parts]
        if [len(one.logprobs) for one in found] != whole:
            raise self._unusable(f"{[len(one.logprobs) for one in found]} tokens for {whole}")
        return Reading(
            prefix_tokens=len(prefix),
            template=tokens.template,
            parts=tuple(self._part(one, len(prefix)) for one in found),
        )

    def head(self, text: str, tokens: int) -> str:
        """The first ``tokens`` tokens of ``text``."""
        if self._tokenizer is None:
            raise ConfigError(
                "a text cannot be cut to tokens without the server's tokenizer",
                remedy="set evaluator.tokenizer to its hub name or folder",
            )
        return self._tokens().head(text, tokens)

    def count(self, text: str) -> int | None:
        """How many tokens ``text`` has, or None without a tokenizer."""
        return None if self._tokenizer is None else len(self._tokens().quoted(text))

    def released(self, text: str, continuations: Sequence[str]) -> list[float]:
        """Refused: the script's arithmetic needs the model itself."""
        raise ConfigError(
            "pd_released needs a local model", got=self._name, remedy="set evaluator=gpt2 or phi3"
        )

    def _read_text(self, text: str, continuations: Sequence[str]) -> Reading:
        prompt = f"{text}\n\n"
        alone, *joint = self._ask([prompt, *(prompt + part for part in continuations)])
        borders = [_common(alone.tokens, one.tokens) for one in joint]
        lengths = [len(one.tokens) - border for one, border in zip(joint, borders, strict=True)]
        check_window(len(alone.tokens), lengths, self._window)
        return Reading(
            prefix_tokens=len(alone.tokens),
            template="plain",
            parts=tuple(self._part(one, b) for one, b in zip(joint, borders, strict=True)),
        )

    def _part(self, read: _Read, border: int) -> Part:
        told = read.logprobs[border:]
        known = [value for value in told if value is not None and value > FLOOR]
        if len(known) != len(told):
            raise self._unusable("a token without a finite log-probability")
        return Part(tokens=len(known), nll=-math.fsum(known))

    def _ask(self, prompts: list[Any]) -> list[_Read]:
        from openai import APIConnectionError, APIStatusError, OpenAIError, RateLimitError

        extra: dict[str, Any] = {"prompt_logprobs": 0} if self._wire == "prompt_logprobs" else {}
        asked = {"max_tokens": 1} if extra else {"max_tokens": 0, "echo": True, "logprobs": 0}
        if self._ledger is not None:
            self._ledger.check()
        try:
            with self._slots:
                reply = self._client.completions.create(
                    model=self._model, prompt=prompts, temperature=0, extra_body=extra, **asked
                )
        except OpenAIError as error:
            self._count(None)
            if isinstance(error, APIStatusError) and error.status_code in {400, 413, 422}:
                raise InputError(
                    f"the evaluator {self._model!r} refuses the text", got=str(error)[:300]
                ) from error
            broken = isinstance(error, (APIConnectionError, RateLimitError)) or (
                isinstance(error, APIStatusError) and error.status_code >= 500
            )
            raise (OutageError if broken else BackendError)(
                f"the evaluator {self._model!r} at {self._base_url} failed",
                got=f"{type(error).__name__}: {error}"[:300],
                remedy="check evaluator.base_url, evaluator.model and the key, then resume",
            ) from error
        self._count(reply.usage.prompt_tokens if reply.usage else 0)
        choices = sorted(reply.choices, key=lambda choice: choice.index)
        if len(choices) != len(prompts):
            raise self._unusable(f"{len(choices)} replies for {len(prompts)} prompts")
        return [self._logprobs(choice.model_dump()) for choice in choices]

    def _logprobs(self, choice: dict[str, Any]) -> _Read:
        if self._wire == "prompt_logprobs":
            rows = choice.get("prompt_logprobs")
            if not rows:
                raise self._unusable("no prompt_logprobs")
            return _vllm(rows)
        told = choice.get("logprobs") or {}
        tokens, values = told.get("tokens"), told.get("token_logprobs")
        if not tokens or not values or len(tokens) != len(values):
            raise self._unusable("no log-probabilities of the prompt")
        return _Read(list(tokens), list(values))

    def _count(self, tokens: int | None) -> None:
        """Note a request in the ledger; ``tokens`` is None where it failed."""
        if self._ledger is None:
            return
        if tokens is None:
            self._ledger.record("failed", role="evaluator", model=self._model)
            return
        rate = self._usd_per_million
        usd = None if rate is None else tokens * rate / 1e6
        usage = Usage(input_tokens=tokens, usd=usd)
        self._ledger.record("call", role="evaluator", model=self._model, usage=usage)

    def _unusable(self, got: str) -> BackendError:
        return BackendError(
            f"the evaluator {self._model!r} at {self._base_url} cannot be read",
            expected="the log-probability of each token of the prompt",
            got=got,
            remedy="choose a server that returns them (vLLM), or another evaluator.wire",
        )

    def _tokens(self) -> Tokens:
        with self._lock:
            return self._loaded

    @functools.cached_property
    def _loaded(self) -> Tokens:
        return Tokens(load_tokenizer(str(self._tokenizer)), self._fallback)

    @functools.cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        return OpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            timeout=self._timeout_s,
            max_retries=self._retries,
        )


def _vllm(rows: list[dict[str, Any] | None]) -> _Read:
    """VLLM's rows: None for the first token, then one entry by token id (asked for the prompt's
    own token only).
    """
    tokens, values = [], []
    for row in rows:
        token, told = next(iter((row or {}).items()), ("", None))
        tokens.append(str(token))
        values.append(None if told is None else float(told["logprob"]))
    return _Read(tokens, values)


def _common(one: Sequence[str], two: Sequence[str]) -> int:
    """How many tokens both begin with."""
    for place, (a, b) in enumerate(zip(one, two, strict=False)):
        if a != b:
            return place
    return min(len(one), len(two))


__all__ = ["ServerEvaluator", "Wire"]
