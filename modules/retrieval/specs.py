"""Embedders and retrievers as configuration: frozen, checked, opened when needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from modules.lm.addresses import key_in, plain_http
from modules.retrieval.embed import BATCH
from modules.retrieval.ranking import Mode
from signatures.types import Passage

if TYPE_CHECKING:
    from modules.evidence import Retriever
    from modules.retrieval.embed import Embedder
    from modules.retrieval.store import EvidenceStore


class EmbedderSpec(BaseModel, ABC):
    """Names an embedder. One of one's own subclasses this and is named in a yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @abstractmethod
    def open(self) -> Embedder:
        """The embedder; its weights load when first used.

        Raises:
            BackendError: It needs a key that is not set.
        """


class MiniLMSpec(EmbedderSpec):
    """The default: weights from a package, on the CPU.

    Args:
        runtime: ``openvino`` runs a converted copy kept in ``cache``; ``torch`` the model itself.
            Their vectors agree to about 1e-6, so an index serves both.
        cache: Where the converted copy is kept.
        batch_size: Texts of similar length at once.
    """

    runtime: Literal["openvino", "torch"]
    cache: Path
    batch_size: int = Field(default=BATCH, ge=1, le=4096)

    def open(self) -> Embedder:
        from modules.retrieval.converted import ConvertedMiniLM
        from modules.retrieval.minilm import MiniLM

        if self.runtime == "torch":
            return MiniLM(batch_size=self.batch_size)
        return ConvertedMiniLM(self.cache, batch_size=self.batch_size)


class SentenceTransformersSpec(EmbedderSpec):
    """Any sentence-transformers model, by hub name or folder."""

    model: str
    batch_size: int = Field(default=BATCH, ge=1, le=4096)

    def open(self) -> Embedder:
        from modules.retrieval.embed import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(self.model, batch_size=self.batch_size)


class OpenAISpec(EmbedderSpec):
    """An endpoint of OpenAI's embeddings protocol.

    Args:
        model: As the endpoint names it.
        base_url: The endpoint, ``.../v1``, without credentials.
        api_key_env: Name of the environment variable that holds the key; None for no key.
    """

    # A refused address may hold a key, which no message may repeat.
    model_config = ConfigDict(hide_input_in_errors=True)

    model: str
    base_url: str
    api_key_env: str | None = None

    @field_validator("base_url")
    @classmethod
    def _plain_http(cls, value: str) -> str:
        return plain_http(value)

    def open(self) -> Embedder:
        from modules.retrieval.remote_embed import OpenAIEmbedder

        key = "none"  # local servers take any
        if self.api_key_env is not None:
            of = f"embedder {self.model!r}"
            key = key_in(self.api_key_env, of=of, instead="embedder=minilm")
        return OpenAIEmbedder(self.model, base_url=self.base_url, api_key=key)


class RetrieverSpec(BaseModel, ABC):
    """Names a retriever. One of one's own subclasses this and is named in a yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @abstractmethod
    def open(self, index: Path, embedder: Any) -> Retriever:
        """The retriever over the index in the folder ``index``.

        Raises:
            EvidenceError: There is no index, or another embedder built it.
        """


class StoreRetrieverSpec(RetrieverSpec):
    """Search in the evidence store.

    Args:
        mode: ``hybrid``, ``dense`` or ``fulltext``.
        version: A corpus version to read instead of the newest.
    """

    mode: Mode = "hybrid"
    version: str | None = None

    def open(self, index: Path, embedder: Any) -> Retriever:
        from modules.retrieval.store import EvidenceStore

        return StoreRetriever(EvidenceStore(index, embedder, version=self.version), self.mode)


class StoreRetriever:
    """A store under one ranking, at the version it has now, whatever is ingested later.

    Its identity depends on the corpus, not on the version's name.

    Raises:
        EvidenceError: There is no index, or another embedder built it.
    """

    def __init__(self, store: EvidenceStore, mode: Mode) -> None:
        # Read now: a run must fail before its first LM call when there is no index.
        self._store = store.pinned()
        self._digest = self._store.digest()
        self._mode = mode

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        return self._store.search(list(queries), k=k, mode=self._mode)

    def identity(self) -> dict[str, Any]:
        return {
            "retriever": "store",
            "mode": self._mode,
            "embedder": self._store.embedder.name,
            "digest": self._digest,
        }

    @property
    def corpus_version(self) -> str:
        """The readable name of what is read."""
        return self._store.corpus_version()


__all__ = [
    "EmbedderSpec",
    "MiniLMSpec",
    "OpenAISpec",
    "RetrieverSpec",
    "SentenceTransformersSpec",
    "StoreRetriever",
    "StoreRetrieverSpec",
]
