"""Embeddings over the OpenAI protocol: OpenAI, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from modules.retrieval.chunk import pieces
from modules.retrieval.embed import Vectors, unit
from signatures.errors import BackendError

if TYPE_CHECKING:
    from openai import OpenAI

_BYTES_PER_TOKEN = 3  # cautious: English averages four


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible endpoint.

    Args:
        model: As the endpoint names it.
        base_url: The endpoint, ``.../v1``; by default OpenAI's.
        api_key: Sent, never shown. Local servers accept any.
        dimension: Length of a vector; asked of the endpoint when not given.
        window: The most tokens the model accepts; counts are estimated from UTF-8 bytes.
        batch_size: Texts per request.
        timeout: Seconds a request may take.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        dimension: int | None = None,
        window: int = 512,
        batch_size: int = 64,
        timeout: float = 60.0,
    ) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._dimension = dimension
        self._window = window
        self._batch_size = batch_size
        self._timeout = timeout

    @property
    def name(self) -> str:
        """``openai/`` and the model's name."""
        return f"openai/{self._model}"

    @property
    def dimension(self) -> int:
        """Length of a vector; the first use asks the endpoint unless it was given."""
        if self._dimension is None:
            self._dimension = self._request(["dimension"]).shape[1]
        return self._dimension

    @property
    def window(self) -> int:
        """As given."""
        return self._window

    def warm(self) -> None:
        """Import the client and make sure that the endpoint answers."""
        self._request(["warm"])

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """``(n,)`` texts to ``(n,)`` estimates, on the high side for most languages."""
        return [-(-len(text.encode()) // _BYTES_PER_TOKEN) for text in texts]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n,)`` texts to ``(n, dimension)`` unit vectors; windows of a long text are averaged.

        Raises:
            BackendError: The endpoint cannot be reached or refuses.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        cut = [pieces(text, self._window, self.token_count) or [" "] for text in texts]
        parts = [part for group in cut for part in group]
        step = self._batch_size
        found = np.concatenate(
            [self._request(parts[at : at + step]) for at in range(0, len(parts), step)]
        )
        owners = np.repeat(np.arange(len(texts)), [len(group) for group in cut])
        weights = np.asarray(self.token_count(parts), dtype=np.float64)[:, None]
        vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float64)
        np.add.at(vectors, owners, found * weights)
        return unit(vectors)

    def _request(self, texts: list[str]) -> Vectors:
        from openai import OpenAIError

        try:
            # Asked for as floats: not every server knows the client's default, base64.
            reply = self._client.embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
        except OpenAIError as error:
            raise BackendError(
                f"embedder {self._model!r} at {self._base_url or 'OpenAI'} failed",
                got=f"{type(error).__name__}: {error}",
                remedy="check the address, the model's name and the key",
            ) from error
        rows = sorted(reply.data, key=lambda row: row.index)
        return unit(np.asarray([row.embedding for row in rows], dtype=np.float64))

    @functools.cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        return OpenAI(
            base_url=self._base_url, api_key=self._api_key or "none", timeout=self._timeout
        )
