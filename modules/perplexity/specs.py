"""Evaluators by configuration: frozen specs that a yaml names."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from modules.lm.addresses import key_in, plain_http
from modules.perplexity.tokens import Fallback
from modules.perplexity.types import Evaluator

if TYPE_CHECKING:
    from modules.lm.ledger import Ledger


class EvaluatorSpec(BaseModel, ABC):
    """Names an evaluator. One of one's own subclasses this and is named in a yaml.

    Args:
        model: As transformers or the server knows it.
        window: The most tokens to read at once, below the model's own limit; None is that limit.
        fallback: What stands in for a chat template where the tokenizer has none
            (:data:`modules.perplexity.tokens.Fallback`).
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", protected_namespaces=(), hide_input_in_errors=True
    )

    model: str = Field(min_length=1)
    window: int | None = Field(default=None, ge=2)
    fallback: Fallback = "plain"

    @abstractmethod
    def open(self, ledger: Ledger | None = None) -> Evaluator:
        """The evaluator; its model is loaded or reached at the first text.

        Args:
            ledger: Where requests to a server are counted.
        """


class LocalEvaluatorSpec(EvaluatorSpec):
    """Any causal LM of transformers, by hub name or folder.

    Args:
        dtype: The dtype of the weights; the loss is always in float32.
        device: A torch device; None takes a GPU where there is one.
        batch_size: Partial answers read at once.
    """

    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "float32"
    device: str | None = None
    batch_size: int = Field(default=8, ge=1, le=1024)

    def open(self, ledger: Ledger | None = None) -> Evaluator:
        from modules.perplexity.local import LocalEvaluator

        return LocalEvaluator(
            self.model,
            name=self._identity(),
            device=self.device,
            dtype=self.dtype,
            window=self.window,
            batch_size=self.batch_size,
            fallback=self.fallback,
        )

    def _identity(self) -> str:
        """The name, and what tells the contents of a folder apart."""
        parts = [self.model, self.dtype, self.fallback]
        if Path(self.model).is_dir():
            parts.append(_contents(Path(self.model)))
        return " ".join(parts)


class ServerEvaluatorSpec(EvaluatorSpec):
    """A model behind a server that returns prompt log-probabilities (vLLM and others).

    Args:
        base_url: The address, ending in ``/v1``, without credentials.
        api_key_env: Name of the environment variable that holds the key; None for no key.
        wire: ``echo`` (completions with echo and logprobs) or ``prompt_logprobs`` (vLLM's field).
        tokenizer: Hub name or folder of the tokenizer, for chat template and token ids.
        timeout_s: Seconds a request may take.
        retries: Further attempts after a rate limit, a time-out or a server error.
        concurrency: Requests under way at once.
        usd_per_million: Dollars per million tokens read; None where it is not known.
    """

    base_url: str
    api_key_env: str | None = None
    wire: Literal["echo", "prompt_logprobs"] = "echo"
    tokenizer: str | None = None
    timeout_s: float = Field(default=120.0, gt=0)
    retries: int = Field(default=3, ge=0, le=20)
    concurrency: int = Field(default=8, ge=1, le=1000)
    usd_per_million: float | None = Field(default=0.0, ge=0)

    @field_validator("base_url")
    @classmethod
    def _plain_http(cls, value: str) -> str:
        return plain_http(value)

    def open(self, ledger: Ledger | None = None) -> Evaluator:
        from modules.perplexity.server import ServerEvaluator

        key = "none"  # local servers take any
        if self.api_key_env is not None:
            of = f"evaluator {self.model!r}"
            key = key_in(self.api_key_env, of=of, instead="evaluator=gpt2")
        parts = urlsplit(self.base_url)
        named = f"{self.model}@{parts.netloc}{parts.path} {self.wire} {self.tokenizer or 'text'}"
        return ServerEvaluator(
            self.model,
            name=f"{named} {self.fallback}",
            base_url=self.base_url,
            api_key=key,
            wire=self.wire,
            tokenizer=self.tokenizer,
            window=self.window,
            fallback=self.fallback,
            timeout_s=self.timeout_s,
            retries=self.retries,
            concurrency=self.concurrency,
            ledger=ledger,
            usd_per_million=self.usd_per_million,
        )


def _contents(folder: Path) -> str:
    """A short hash of a folder's files by name, size and time of change; weights are too large to
    be read twice.
    """
    files = sorted(path for path in folder.iterdir() if path.is_file())
    told = [f"{p.name}:{p.stat().st_size}:{p.stat().st_mtime_ns}" for p in files]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]


__all__ = ["EvaluatorSpec", "LocalEvaluatorSpec", "ServerEvaluatorSpec"]
