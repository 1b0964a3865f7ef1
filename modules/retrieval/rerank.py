"""Re-ranking: a model that reads query and passage together orders the candidates anew."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from modules.retrieval.embed import quiet
from signatures.errors import BackendError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class Reranker(Protocol):
    """Scores passages against a query. Implementations are thread-safe."""

    @property
    def name(self) -> str:
        """Identifies the model; two models never share a name."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """``(n,)`` texts to ``(n,)`` scores, higher is better."""


class CrossEncoderReranker:
    """Any cross-encoder of sentence-transformers with one output, by hub name or local path.

    Args:
        model: Hub name or folder.
        batch_size: Pairs scored at once.
        device: As torch names it; by default the best there is.
    """

    def __init__(self, model: str, *, batch_size: int = 8, device: str | None = None) -> None:
        self._path = model
        self._batch_size = batch_size
        self._device = device
        self._model: CrossEncoder | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The hub name or folder, as given."""
        return self._path

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """``(n,)`` texts to ``(n,)`` logits; a pair longer than the model's window is cut.

        Raises:
            BackendError: The model cannot be loaded, or has more than one output.
        """
        import torch

        if not texts:
            return np.zeros(0)
        with self._lock:
            found = self._loaded().predict(
                [(query, text) for text in texts],
                batch_size=self._batch_size,
                show_progress_bar=False,
                # The models' own sigmoid would make the best ones equal.
                activation_fn=torch.nn.Identity(),
            )
        return np.asarray(found, dtype=np.float64)

    def _loaded(self) -> CrossEncoder:
        if self._model is None:
            self._model = self._load()
        return self._model

    def _load(self) -> CrossEncoder:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as for the embedder
        from sentence_transformers import CrossEncoder

        try:
            with quiet():
                model = CrossEncoder(self._path, device=self._device)
        except (OSError, ValueError) as error:
            raise BackendError(
                f"re-ranker {self._path!r} cannot be loaded",
                got=str(error).split("\n", 1)[0],
                remedy="check the name, or give the folder of a downloaded model",
            ) from error
        if model.num_labels != 1:
            raise BackendError(
                f"re-ranker {self._path!r} does not rank",
                expected="a cross-encoder with one output",
                got=f"{model.num_labels} outputs",
                remedy="choose a model trained for ranking",
            )
        return model
