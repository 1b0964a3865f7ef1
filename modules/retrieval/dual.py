"""Embedders with two sides: a model each for queries and passages, or one model with prefixes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field, InstanceOf

from modules.retrieval.embed import Embedder, Vectors
from modules.retrieval.specs import EmbedderSpec
from signatures.errors import ConfigError


class DualEmbedder:
    """Queries and passages embedded each in their way; an index holds the passages' vectors.

    Args:
        queries: Embeds queries.
        passages: Embeds passages into the same space.
        query_prefix: Put before each query: an instruction, or a model's ``query: ``.
        passage_prefix: Put before each passage.
    """

    def __init__(
        self, queries: Embedder, passages: Embedder, query_prefix: str, passage_prefix: str
    ) -> None:
        self._queries = queries
        self._passages = passages
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix

    @property
    def name(self) -> str:
        """Both models' names with their prefixes."""
        sides = [
            f"{side.name}{f' [{prefix!r}]' if prefix else ''}"
            for side, prefix in (
                (self._queries, self._query_prefix), (self._passages, self._passage_prefix),
            )
        ]  # fmt: skip
        return " | ".join(sides)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._passages.dimension

    @property
    def window(self) -> int:
        """The passages' model's, less its prefix."""
        prefix = [self._passage_prefix] if self._passage_prefix else []
        return self._passages.window - sum(self._passages.token_count(prefix))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n,)`` passages to ``(n, dimension)`` unit vectors."""
        return self._passages.encode([self._passage_prefix + text for text in texts])

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """``(n,)`` queries to ``(n, dimension)`` unit vectors.

        Raises:
            ConfigError: The two models' vectors differ in length.
        """
        found = self._queries.encode([self._query_prefix + text for text in texts])
        if found.shape[1] != self.dimension:
            raise ConfigError(
                f"the embedder {self.name} has two spaces",
                expected=f"vectors of {self.dimension} numbers from the query model",
                got=str(found.shape[1]),
            )
        return np.asarray(found, dtype=np.float32)

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """As the passages' model counts."""
        return self._passages.token_count(texts)

    def warm(self) -> None:
        """Load both."""
        self._passages.warm()
        self._queries.warm()


class DualSpec(EmbedderSpec):
    """A dual encoder, or one model under instructions.

    Args:
        passages: The model of passages.
        queries: The model of queries; None is the same.
        query_prefix: Put before each query.
        passage_prefix: Put before each passage.
    """

    passages: InstanceOf[EmbedderSpec]
    queries: InstanceOf[EmbedderSpec] | None = None
    query_prefix: str = Field(default="", max_length=2000)
    passage_prefix: str = Field(default="", max_length=2000)

    def open(self) -> Embedder:
        passages = self.passages.open()
        queries = passages if self.queries is None else self.queries.open()
        return DualEmbedder(queries, passages, self.query_prefix, self.passage_prefix)


__all__ = ["DualEmbedder", "DualSpec"]
