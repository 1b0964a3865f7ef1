"""Embedders and retrievers as configuration: frozen, checked, opened when needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from modules.lm.addresses import key_in, plain_http
from modules.retrieval.aiming import UNSTEERED, Aim, Steering
from modules.retrieval.embed import BATCH
from modules.retrieval.operations import Operation
from modules.retrieval.ranking import DEPTH, Filters, Fusion, Mode
from signatures.errors import ConfigError
from signatures.types import Passage

if TYPE_CHECKING:
    from modules.evidence import Retriever
    from modules.retrieval.embed import Embedder
    from modules.retrieval.exhaustive import Encodings, Exhaustive
    from modules.retrieval.rerank import Reranker
    from modules.retrieval.store import EvidenceStore

TRUSTED = ("gov", "edu", "org", "pro", "info")
"""The domains that S4 trusts (section 3 and table 10), each with all below it."""

Values = str | tuple[str, ...]
Day = Annotated[str, Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")]


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

    def for_run(self, folder: Path) -> RetrieverSpec:
        """The same for one run, whose folder a retriever may keep things in."""
        return self

    def trusting(self, only: bool) -> RetrieverSpec:
        """The same over documents of trusted domains ``only``, or over all.

        Raises:
            ConfigError: It cannot tell them apart.
        """
        raise ConfigError(
            f"{type(self).__name__} cannot tell trusted domains from others",
            remedy="leave trusted=null, or use retriever=web or an index",
        )

    def exhaustive(self, documents: Sequence[str], encodings: Encodings) -> Exhaustive:
        """The same way of ranking over a list of texts, for a benchmark.

        Raises:
            ConfigError: It has none.
        """
        raise ConfigError(
            f"{type(self).__name__} ranks no benchmark",
            expected="retriever=bm25, dense, hybrid or stance",
        )


class FilterSpec(BaseModel):
    """What a passage's document must be like; None is any, a list is any of its values.

    Args:
        source: Its name in the index.
        topic: Its topic.
        domain: Where its address points, without ``www.``.
        under: Domains that cover it: ``gov`` covers ``gov`` and ``nih.gov``.
        kind: Its file type, such as ``md`` or ``pdf``.
        lang: Its language, ISO 639-1.
        date_from: The earliest date, ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``.
        date_to: The latest, included: ``2024`` is its last day.
    """

    # On a command line a year is a number.
    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    source: Values | None = None
    topic: Values | None = None
    domain: Values | None = None
    under: Values | None = None
    kind: Values | None = None
    lang: Values | None = None
    date_from: Day | None = None
    date_to: Day | None = None

    def set(self) -> dict[str, Any]:
        """The filters that are set."""
        return self.model_dump(exclude_none=True)


class RerankSpec(BaseModel):
    """A cross-encoder that orders the candidates anew; None for none.

    Args:
        model: Hub name or folder of a sentence-transformers cross-encoder.
        batch_size: Pairs scored at once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    batch_size: int = Field(default=BATCH, ge=1, le=4096)

    def open(self) -> Reranker | None:
        """The re-ranker; its weights load when first used."""
        from modules.retrieval.rerank import CrossEncoderReranker

        if self.model is None:
            return None
        return CrossEncoderReranker(self.model, batch_size=self.batch_size)


class StoreRetrieverSpec(RetrieverSpec):
    """Search in the evidence store.

    Args:
        mode: ``hybrid``, ``dense`` or ``fulltext``.
        fusion: How ``hybrid`` joins its halves: by ``score`` or by reciprocal ``rank``.
        depth: Candidates of each ranking, four for each wanted passage at least.
        mmr: The weight of relevance against novelty in [0, 1]; None ranks by relevance alone.
        rerank: A cross-encoder over the candidates.
        filters: Which documents count.
        version: A corpus version to read instead of the newest.
        also: A second index, of the same embedder, that is searched beside the first.
        operation: What is done with a perspective where one is known, as a persona's claim is.
        alpha: How strongly.
    """

    mode: Mode = "hybrid"
    fusion: Fusion = "score"
    depth: int = Field(default=DEPTH, ge=1, le=1000)
    mmr: float | None = Field(default=None, ge=0, le=1)
    rerank: RerankSpec | None = None
    filters: FilterSpec | None = None
    version: str | None = None
    also: Path | None = None
    operation: Operation = "none"
    alpha: float = Field(default=1.0, ge=-100, le=100)

    def trusting(self, only: bool) -> StoreRetrieverSpec:
        filters = self.filters or FilterSpec()
        under = TRUSTED if only else None
        return self.model_copy(update={"filters": filters.model_copy(update={"under": under})})

    def exhaustive(self, documents: Sequence[str], encodings: Encodings) -> Exhaustive:
        from modules.retrieval.exhaustive import ByBoth, ByVectors, ByWords

        odd = [name for name in ("mmr", "version", "also") if getattr(self, name) is not None]
        odd += ["rerank.model"] if self.rerank and self.rerank.model else []
        odd += ["filters"] if self.filters and self.filters.set() else []
        if odd:
            raise ConfigError(f"retriever.{odd[0]} has no meaning over a benchmark's documents")
        if self.mode == "fulltext":
            return ByWords(documents)
        return (ByVectors if self.mode == "dense" else ByBoth)(documents, encodings)

    def open(self, index: Path, embedder: Any) -> Retriever:
        from modules.retrieval.joined import JoinedRetriever

        first = self._over(index, embedder, self.version)
        if self.also is None:
            return first
        return JoinedRetriever([first, self._over(self.also, embedder)])

    def _over(self, index: Path, embedder: Any, version: str | None = None) -> StoreRetriever:
        from modules.retrieval.store import EvidenceStore

        return StoreRetriever(
            EvidenceStore(index, embedder, version=version),
            self.mode,
            filters=self.filters.set() if self.filters else None,
            depth=self.depth,
            mmr=self.mmr,
            reranker=self.rerank.open() if self.rerank else None,
            fusion=self.fusion,
            steering=Steering(self.operation, self.alpha),
        )


class StoreRetriever:
    """A store under one ranking, at the version it has now, whatever is ingested later.

    Its identity depends on what the corpus holds, not on the version's name.

    Args:
        store: The store.
        mode: ``hybrid``, ``dense`` or ``fulltext``. More on all of these in
            :class:`modules.retrieval.searching.Search`.
        filters: Which documents count.
        depth: Candidates of each ranking.
        mmr: The weight of relevance against novelty; None ranks by relevance alone.
        reranker: Scores the candidates anew.
        fusion: How ``hybrid`` joins its halves.
        steering: What is done with the perspectives of aims; by default nothing.

    Raises:
        EvidenceError: There is no index, or another embedder built it.
    """

    def __init__(
        self,
        store: EvidenceStore,
        mode: Mode = "hybrid",
        *,
        filters: Filters | None = None,
        depth: int = DEPTH,
        mmr: float | None = None,
        reranker: Reranker | None = None,
        fusion: Fusion = "score",
        steering: Steering = UNSTEERED,
    ) -> None:
        # Read now: a run must fail before its first LM call when there is no index.
        self._store = store.pinned()
        self._how: dict[str, Any] = {
            "mode": mode, "filters": filters, "depth": depth, "mmr": mmr, "reranker": reranker,
            "fusion": fusion, "steering": steering,
        }  # fmt: skip

    def search(self, queries: Sequence[str], k: int) -> list[list[Passage]]:
        return self._store.search(list(queries), k=k, **self._how)

    @property
    def steers(self) -> bool:
        """Whether perspectives change what is found."""
        return bool(self._how["steering"].operation != "none")

    def search_aims(self, aims: Sequence[Aim], k: int) -> list[list[Passage]]:
        """As :meth:`search`, by perspectives; without an operation, by the aims' plain texts."""
        if not self.steers:
            return self.search([aim.text for aim in aims], k)
        return self._store.search(list(aims), k=k, **self._how)

    def identity(self) -> dict[str, Any]:
        view, reranker = self._store.view(), self._how["reranker"]
        return {
            "retriever": "store",
            **self._how,
            "filters": dict(self._how["filters"] or {}),
            "steering": self._how["steering"]._asdict(),
            "reranker": reranker.name if reranker else None,
            "embedder": self._store.embedder.name,
            "digest": view.digest,
            "described": view.described,
        }

    @property
    def corpus_version(self) -> str:
        """The readable name of what is read."""
        return self._store.corpus_version()


__all__ = [
    "TRUSTED",
    "EmbedderSpec",
    "FilterSpec",
    "MiniLMSpec",
    "OpenAISpec",
    "RerankSpec",
    "RetrieverSpec",
    "SentenceTransformersSpec",
    "StoreRetriever",
    "StoreRetrieverSpec",
]
