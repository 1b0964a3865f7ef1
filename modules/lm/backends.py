"""Backends: where a role's calls go. Each is one frozen object, built from one yaml in conf.

A backend of one's own subclasses :class:`Backend` and is named in a yaml by ``_target_``.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from modules.lm.addresses import key_in, plain_http
from modules.lm.limits import Limiter, Limits, shared
from signatures.errors import BackendError

if TYPE_CHECKING:
    import dspy

    from modules.lm.ledger import Ledger
    from modules.lm.meter import Engine, Price

ADAPTER_VERSION = 1
"""Raised when the wording around the prompts changes meaning."""


class Backend(BaseModel, ABC):
    """A model and how to reach it.

    Args:
        name: The backend's name, as in ``backend=name``.
        model: The model's name as its server knows it.
        temperature: Sampling temperature, or None for the server's default.
        top_p: Nucleus sampling, or None for the server's default.
        max_tokens: The most tokens a reply may have.
        retries: Further attempts after a rate limit, a time-out or a server error.
        prices: Dollars per million tokens by model name; a missing model is unpriced.
        limits: How fast its server may be asked.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", protected_namespaces=(), hide_input_in_errors=True
    )

    name: str
    model: str
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    retries: int = Field(default=3, ge=0, le=20)
    prices: dict[str, dict[str, float]] = Field(default_factory=dict)
    limits: Limits = Limits()

    deterministic: ClassVar[bool] = False
    """Whether a repeated request must give the same reply, so that asking again is pointless."""

    @abstractmethod
    def engine(self) -> Engine:
        """A fresh engine that answers requests for this backend's model.

        Raises:
            BackendError: The backend cannot be used (a key is missing, say).
        """

    def identity(self) -> str:
        """The model's name with everything that sets its replies apart, but no secret.

        DSPy's cache key holds the model name only, so the name carries the server and the
        engine's version.
        """
        return f"{self.name}/{self.model}"

    def price(self) -> Price | None:
        """Dollars per million tokens, or None when the table does not know the model."""
        from modules.lm.meter import Price

        row = self.prices.get(self.model)
        return None if row is None else Price(**row)

    def limiter(self, concurrency: int | None = None) -> Limiter:
        """What bounds its calls: one for each identity in a process, whoever asks.

        Args:
            concurrency: Calls at once where ``limits`` names no number.
        """
        own = self.limits.concurrency or concurrency
        return shared(self.identity(), self.limits.model_copy(update={"concurrency": own}))

    def adapter(self) -> Any:
        """The DSPy adapter that writes this backend's prompts."""
        from modules.lm.adapter import ChatAdapter

        return ChatAdapter()

    @property
    def json_schema(self) -> bool:
        """Whether the server enforces a JSON schema."""
        return False

    def probe(self) -> str:
        """One line on whether the backend answers, for ``moot doctor``.

        Raises:
            BackendError: It does not, with the reason.
        """
        return "ready"

    def lm(
        self,
        role: str,
        ledger: Ledger,
        *,
        seed: int = 0,
        replicate: int = 0,
        slots: Limiter | AbstractContextManager[Any] | None = None,
    ) -> dspy.LM:
        """The LM of one role.

        Args:
            role: The role whose calls it answers.
            ledger: Where each attempt is counted.
            seed: Sampling seed, sent where the server takes one.
            replicate: 0 for the first sample; a higher number is a cache entry of its own.
            slots: Bounds its attempts; the backend's own limiter by default.
        """
        import dspy

        from modules.lm.meter import AsyncMeteredEngine, CacheCounter, MeteredEngine

        engine = MeteredEngine(
            self.engine(),
            ledger=ledger,
            role=role,
            wire_model=self.model,
            price=self.price(),
            json_schema=self.json_schema,
            adapter=self.adapter(),
            slots=self.limiter() if slots is None else slots,
        )
        return dspy.LM(
            f"moot/{self.identity()}",
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            num_retries=self.retries,
            engine=engine,
            async_engine=AsyncMeteredEngine(engine),
            callbacks=[CacheCounter(ledger, role=role, model=self.model)],
            seed=replicate_seed(seed, replicate),
            rollout_id=replicate or None,
            **({} if self.top_p is None else {"top_p": self.top_p}),
        )


class ExtractiveBackend(Backend):
    """The weight-free baseline: answers from its inputs by selecting and joining sentences.

    Args:
        variant: Shifts the seed: another baseline where choices are equally good, so that several
            backends can be compared without a model.
    """

    name: str = "extractive"
    model: Literal["extractive-v1"] = "extractive-v1"
    retries: int = 0
    variant: int = Field(default=0, ge=0, le=1000)
    deterministic: ClassVar[bool] = True

    def identity(self) -> str:
        return super().identity() + (f"+{self.variant}" if self.variant else "")

    def lm(self, role: str, ledger: Ledger, *, seed: int = 0, **options: Any) -> dspy.LM:
        return super().lm(role, ledger, seed=seed + self.variant, **options)

    def engine(self) -> Engine:
        from modules.lm.engines import ExtractiveEngine

        return ExtractiveEngine()

    def price(self) -> Price | None:
        from modules.lm.meter import Price

        return Price(input=0, output=0)

    def adapter(self) -> Any:
        from modules.lm.adapter import JSONBlockAdapter

        return JSONBlockAdapter()


class ServerBackend(Backend):
    """A model behind HTTP that speaks the OpenAI or the Anthropic protocol.

    Args:
        door: Which dialect of which protocol the server speaks.
        base_url: The address the protocol's paths are appended to, without credentials.
        api_key_env: Name of the environment variable that holds the key; None for no key.
        timeout_s: Seconds to wait for the next byte of a reply.
        wire: ``chat`` asks with field markers in prose, ``json`` for a JSON object.
        structured: Whether the server enforces a JSON schema given as response format.
    """

    door: Literal["openai", "hosted_vllm", "ollama_chat", "anthropic"]
    base_url: str
    api_key_env: str | None = None
    timeout_s: float = Field(default=120.0, gt=0)
    wire: Literal["chat", "json"] = "chat"
    structured: bool = False

    @field_validator("base_url")
    @classmethod
    def _plain_http(cls, value: str) -> str:
        return plain_http(value)

    def identity(self) -> str:
        # The wire shapes the prompt, hence the reply; the address tells two servers apart.
        parts = urlsplit(self.base_url)
        server = f"{parts.netloc}{parts.path}"
        return f"{self.name}/{self.model}@{server}-{self.wire}{ADAPTER_VERSION}"

    @property
    def json_schema(self) -> bool:
        return self.structured

    def key(self) -> str | None:
        """The key's value, read when needed and kept nowhere.

        Raises:
            BackendError: The variable is not set; it is named, its value never is.
        """
        if self.api_key_env is None:
            return None
        return key_in(self.api_key_env, of=f"backend={self.name}", instead="backend=extractive")

    def engine(self) -> Engine:
        from dspy.clients.engines.lm15_engine import LM15Engine, timeouts_for
        from dspy.lm15 import RouterConfig

        from modules.lm.engines import DoorEngine

        probe = LM15Engine(RouterConfig(env={})).resolve(f"{self.door}/{self.model}")
        provider = probe.provider
        router = RouterConfig(
            # Local servers take any key; lm15 wants one.
            api_keys={provider: self.key() or "none"},
            base_urls={provider: self.base_url},
            timeouts=timeouts_for(self.timeout_s),
            env={},
        )
        return DoorEngine(LM15Engine(router), door=self.door)

    def adapter(self) -> Any:
        from modules.lm.adapter import ChatAdapter, JSONAdapter

        return JSONAdapter() if self.wire == "json" else ChatAdapter()

    def probe(self) -> str:
        import httpx

        key = self.key()
        headers = {"Authorization": f"Bearer {key}", "x-api-key": key} if key else {}
        try:
            reply = httpx.get(_models_url(self), headers=headers, timeout=5.0)
        except httpx.HTTPError as error:
            raise BackendError(
                f"backend={self.name} does not answer at {self.base_url}",
                got=type(error).__name__,
                remedy="start the server or set backend.base_url",
            ) from error
        if reply.status_code in {401, 403}:
            raise BackendError(
                f"backend={self.name} refuses the key in {self.api_key_env}",
                got=f"HTTP {reply.status_code}",
                remedy="check the key",
            )
        if reply.is_error:
            raise BackendError(
                f"backend={self.name} does not serve its protocol at {self.base_url}",
                got=f"HTTP {reply.status_code}",
                remedy="check backend.base_url",
            )
        return f"answers at {self.base_url}"


class LiteLLMBackend(Backend):
    """A model reached through LiteLLM, for protocols Moot has no door for (Gemini)."""

    api_key_env: str
    timeout_s: float = Field(default=120.0, gt=0)

    def engine(self) -> Engine:
        key = key_in(self.api_key_env, of=f"backend={self.name}", instead="backend=extractive")
        try:
            import litellm  # noqa: F401 - asks whether the optional extra is installed
        except ModuleNotFoundError as error:
            raise BackendError(
                f"backend={self.name} needs LiteLLM",
                got="it is not installed",
                remedy='install it with: pip install "moot[litellm]"',
            ) from error
        from dspy.clients.engines.litellm_engine import LiteLLMEngine

        return LiteLLMEngine(wire_model=self.model, api_key=key, timeout=self.timeout_s)  # type: ignore[no-any-return]  # DSPy ships no annotations here

    def probe(self) -> str:
        self.engine()
        return "configured (not contacted)"


class LocalBackend(Backend):
    """A chat model of transformers in this process, by hub name or folder.

    Args:
        device: A torch device; None lets torch choose (a GPU where there is one).
        dtype: The dtype of the weights: ``auto``, ``float32``, ``bfloat16`` or ``float16``.
    """

    device: str | None = None
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    retries: int = 0

    def identity(self) -> str:
        return f"{super().identity()}-{self.dtype}-{self.device or 'auto'}"

    def engine(self) -> Engine:
        from modules.lm.local import LocalEngine

        return LocalEngine(self.model, device=self.device, dtype=self.dtype)

    def price(self) -> Price | None:
        from modules.lm.meter import Price

        return Price(input=0, output=0)

    def probe(self) -> str:
        from pathlib import Path

        if Path(self.model).exists():
            return f"folder {self.model} found"
        return f"hub model {self.model} (looked up when first used)"


def replicate_seed(seed: int, replicate: int) -> int:
    """A seed for the n-th replicate: the seed itself for the first, a stable hash after it."""
    if replicate == 0:
        return seed
    digest = hashlib.sha256(f"{seed}/{replicate}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _models_url(backend: ServerBackend) -> str:
    base = backend.base_url
    if backend.door == "anthropic" and not base.endswith("/v1"):
        base += "/v1"
    return f"{base}/models"


__all__ = [
    "Backend",
    "ExtractiveBackend",
    "LiteLLMBackend",
    "LocalBackend",
    "ServerBackend",
    "replicate_seed",
]
