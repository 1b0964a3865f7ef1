"""Rankers that score every text of a list for every query: for benchmarks over small corpora."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from modules.disk import storage
from modules.retrieval.embed import Vectors, as_queries
from modules.retrieval.okapi import Okapi
from modules.retrieval.operations import (
    OPERATIONS,
    TEXT_OPERATIONS,
    Aspects,
    Operation,
    aspects,
    scores,
)
from modules.retrieval.ranking import SEMANTIC

Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """``n`` searches as texts, and how to read a perspective's vector.

    ``by_difference``: where perspectives are no texts that stand alone (AmbigQA's "in Ohio"), the
    operations that take a perspective away from vectors use query - root instead, as the released
    notebook does.
    """

    queries: tuple[str, ...]
    roots: tuple[str, ...]
    perspectives: tuple[str, ...]
    by_difference: bool = False


class Exhaustive(Protocol):
    """Scores all of a corpus. Opened by a retriever's spec for one list of documents."""

    operations: ClassVar[tuple[Operation, ...]]
    """What it can do with perspectives."""

    def scores(self, asked: Asked, operation: Operation, alpha: float) -> Floats:
        """``(n_searches, n_documents)``, higher is better; equal scores go by index."""


class Encodings:
    """Vectors of lists of texts, kept on disk by content: embedded once, whatever run asks.

    Args:
        embedder: Embeds what is new; a dual encoder has a model for each side.
        folder: Where the vectors are kept; None keeps none.
    """

    def __init__(self, embedder: Any, folder: Path | None = None) -> None:
        self.embedder = embedder
        self._folder = folder

    def queries(self, texts: Sequence[str]) -> Vectors:
        """``(n,)`` texts to ``(n, dimension)`` float32 unit vectors, as queries."""
        return self._rows("queries", texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """The same, as documents."""
        return self._rows("passages", texts)

    def _rows(self, side: str, texts: Sequence[str]) -> Vectors:
        """Each distinct text is embedded once: equal texts have equal vectors, bit by bit."""
        distinct = sorted(set(texts))
        places = {text: at for at, text in enumerate(distinct)}
        rows: Vectors = self._kept(side, distinct)[[places[text] for text in texts]]
        return rows

    def _kept(self, side: str, texts: list[str]) -> Vectors:
        if self._folder is None:
            return self._embedded(side, texts)
        named = json.dumps([self.embedder.name, side, texts], ensure_ascii=False)
        path = self._folder / f"{hashlib.sha256(named.encode()).hexdigest()[:32]}.npy"
        if path.exists():
            found: Vectors = np.load(path, allow_pickle=False)
            return found
        found = self._embedded(side, texts)
        with storage(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(".part.npy")
            np.save(draft, found, allow_pickle=False)
            draft.replace(path)
        return found

    def _embedded(self, side: str, texts: list[str]) -> Vectors:
        if side == "queries":
            return as_queries(self.embedder, texts)
        found: Vectors = self.embedder.encode(texts)
        return found


class ByWords:
    """BM25 as S3 has it: no vectors, so perspectives are words of the query or nothing.

    Args:
        documents: The corpus.
    """

    operations: ClassVar[tuple[Operation, ...]] = TEXT_OPERATIONS

    def __init__(self, documents: Sequence[str]) -> None:
        self._model = Okapi(documents)

    def scores(self, asked: Asked, operation: Operation, alpha: float) -> Floats:
        return self._model.scores(asked.roots if operation == "root" else asked.queries)


class ByVectors:
    """Cosines, after an operation on the vectors.

    Args:
        documents: The corpus.
        encodings: Embeds.
    """

    operations: ClassVar[tuple[Operation, ...]] = OPERATIONS

    def __init__(self, documents: Sequence[str], encodings: Encodings) -> None:
        self._encodings = encodings
        self._texts = documents
        self._asked: tuple[Asked, Aspects] | None = None

    @cached_property
    def _documents(self) -> Floats:
        return self._encodings.passages(self._texts).astype(np.float64)

    def scores(self, asked: Asked, operation: Operation, alpha: float) -> Floats:
        at = self._aspects(asked)
        if asked.by_difference and operation.removesuffix("_plus") in ("cast", "pap"):
            at = at._replace(perspectives=at.queries - at.roots)
        return scores(operation, at, self._documents, alpha)

    def _aspects(self, asked: Asked) -> Aspects:
        """The vectors of these searches; the last ones asked for are kept."""
        if self._asked is None or self._asked[0] is not asked:
            vectors = aspects(*(self._encodings.queries(texts) for texts in asked[:3]))
            blank = [not perspective.strip() for perspective in asked.perspectives]
            vectors.perspectives[blank] = 0.0  # nothing that a search could be turned towards
            self._asked = asked, vectors
        return self._asked[1]


class ByBoth:
    """The store's fusion of cosine and BM25, over all documents instead of candidates.

    Args:
        documents: The corpus.
        encodings: Embeds.
    """

    operations: ClassVar[tuple[Operation, ...]] = OPERATIONS

    def __init__(self, documents: Sequence[str], encodings: Encodings) -> None:
        self._words = ByWords(documents)
        self._vectors = ByVectors(documents, encodings)

    def scores(self, asked: Asked, operation: Operation, alpha: float) -> Floats:
        near = self._vectors.scores(asked, operation, alpha)
        found = self._words.scores(asked, operation, alpha)
        low, high = near.min(axis=1, keepdims=True), near.max(axis=1, keepdims=True)
        spread = np.where(high > low, high - low, 1.0)
        scaled = np.where(high > low, (near - low) / spread, 1.0)
        largest = found.max(axis=1, keepdims=True)
        shares = found / np.where(largest > 0, largest, 1.0)
        return np.asarray(SEMANTIC * scaled + (1 - SEMANTIC) * shares)


__all__ = ["Asked", "ByBoth", "ByVectors", "ByWords", "Encodings", "Exhaustive"]
