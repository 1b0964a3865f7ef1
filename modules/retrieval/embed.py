"""Texts to vectors: the protocol, and any model of sentence-transformers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from modules.retrieval.chunk import pieces
from signatures.errors import BackendError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]
"""``(n, dimension)`` float32, every row of length 1, so that a dot product is a cosine."""


BATCH = 8
"""Texts of one length at a time: on two cores 20 % faster than 32, which pads more."""


class Embedder(Protocol):
    """What the evidence store needs of an embedding model. Implementations are thread-safe."""

    @property
    def name(self) -> str:
        """Identifies the model in an index; two models never share a name."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def window(self) -> int:
        """The most tokens the model reads at once, special tokens included."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n,)`` texts to ``(n, dimension)`` unit vectors; longer texts lose nothing."""

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens the model would see of each text, special tokens included."""

    def warm(self) -> None:
        """Load now what the first call would load."""


def as_queries(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """``(n,)`` texts to ``(n, dimension)`` unit vectors, by the side of queries if there is one."""
    encode = getattr(embedder, "encode_queries", embedder.encode)
    found: Vectors = encode(texts)
    return found


class SentenceTransformerEmbedder:
    """Any model of sentence-transformers, by hub name or local path.

    Args:
        model: Hub name or folder.
        name: What the index calls it; by default ``model``.
        device: As torch names it; by default the best there is.
        batch_size: Texts encoded at once, sorted by length.
        local_files_only: Never ask the hub.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str | None = None,
        device: str | None = None,
        batch_size: int = BATCH,
        local_files_only: bool = False,
    ) -> None:
        self._path = model
        self._name = name or model
        self._device = device
        self._batch_size = batch_size
        self._local = local_files_only
        self._model: SentenceTransformer | None = None
        # A model and its tokenizer serve one thread at a time.
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """As given, or the model's own."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector; loads the model."""
        return int(self._loaded().get_embedding_dimension() or 0)

    @property
    def window(self) -> int:
        """The model's ``max_seq_length``; loads the model."""
        return int(self._loaded().max_seq_length or 512)

    def warm(self) -> None:
        """Import torch and load the weights (seconds); safe in a thread."""
        self._loaded()

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """``(n,)`` texts to ``(n,)`` counts, special tokens included."""
        if not texts:
            return []
        with self._lock:
            tokenizer = self._loaded().tokenizer
            found = tokenizer(list(texts), truncation=False, add_special_tokens=True, verbose=False)
        return [len(ids) for ids in found["input_ids"]]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """``(n,)`` texts to ``(n, dimension)`` unit vectors.

        A text longer than the window is cut into windows, and its vector is the mean of theirs
        weighted by their tokens.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        parts, owners, weights = self._windows(texts)
        found = self._forward(parts)
        vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float64)
        np.add.at(vectors, owners, found * np.asarray(weights)[:, None])
        return unit(vectors)

    def _forward(self, parts: Sequence[str]) -> Vectors:
        """``(n,)`` texts no longer than the window to ``(n, dimension)`` unit vectors."""
        with self._lock:
            found: Vectors = self._loaded().encode(
                list(parts),
                batch_size=self._batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
        return found

    def _windows(self, texts: Sequence[str]) -> tuple[list[str], list[int], list[float]]:
        """The parts to encode, each with the index of its text and its weight."""
        parts: list[str] = []
        owners: list[int] = []
        weights: list[float] = []
        special = self.token_count([""])[0]
        for owner, (text, size) in enumerate(zip(texts, self.token_count(texts), strict=True)):
            fits = size <= self.window
            cut = [text] if fits else pieces(text, self.window - special, self.token_count)
            parts += cut
            owners += [owner] * len(cut)
            weights += [1.0] if fits else [float(n) for n in self.token_count(cut)]
        return parts, owners, weights

    def _loaded(self) -> SentenceTransformer:
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> SentenceTransformer:
        # Before torch loads OpenMP. By default its threads spin while they wait, and where other
        # processes share the cores a short encode takes 900 ms now and then, instead of 35.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        from sentence_transformers import SentenceTransformer

        try:
            with quiet():
                return SentenceTransformer(
                    self._path, device=self._device, local_files_only=self._local
                )
        except (OSError, ValueError) as error:
            raise BackendError(
                f"embedder {self._path!r} cannot be loaded",
                got=str(error).split("\n", 1)[0],
                remedy="check the name, or give the folder of a downloaded model",
            ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bar for weights that load in a fraction of a second."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Rows scaled to length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
