"""Whether a passage bears out a sentence: the built-in check, without a judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from modules.citations.features import Compared, Features, compare, copied, nearest
from modules.citations.verbatim import stated, verbatim
from modules.text import sentences, tokens
from modules.vectors import Embedder, remembering, rows
from signatures.types import Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEAR = 0.6
"""Mean of cosine and covered words below which nothing counts as supported: there the model
tells a sentence on the same matter from a foreign one, not from a true one."""

_COPIED = (0.6, 1.0)
"""The least and the largest cosine that a copied sentence may have: where they lead to one verdict,
so does each between, and none is computed."""


class Support(NamedTuple):
    """How a passage stands to a sentence that cites it."""

    verdict: Verdict
    quote: str


class SupportModel:
    """Boosted regression trees over :class:`Features`, calibrated by a logistic curve.

    What speaks against a sentence (a strange number, a denial, a contrary) never raises the
    probability, and meaning and words that are found never lower it; how far a sentence is a copy
    may do both, since a copy with one word changed is worse than free words.

    ``model.json`` holds the trees and a card that tells how they were fitted
    (``python -m bench.citations --train``).

    Args:
        content: The file's content.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        if tuple(content["features"]) != Features._fields:
            raise ValueError("the citation check's model was fitted on other features")
        self._slope, self._shift = float(content["slope"]), float(content["shift"])
        trees: list[dict[str, list[float]]] = content["trees"]
        sizes = [len(tree["value"]) for tree in trees]
        self._roots = np.cumsum([0, *sizes[:-1]])
        self._feature = np.concatenate([tree["feature"] for tree in trees]).astype(np.int64)
        self._limit = np.concatenate([tree["limit"] for tree in trees])
        self._value = np.concatenate([tree["value"] for tree in trees])
        places = np.repeat(self._roots, sizes)
        self._above, self._below = (
            places + np.concatenate([tree[side] for tree in trees]).astype(np.int64)
            for side in ("above", "below")
        )
        text = json.dumps({k: v for k, v in content.items() if k != "card"}, sort_keys=True)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:12]

    def probability(self, rows: Sequence[Features]) -> NDArray[np.float64]:
        """``(n,)`` features to ``(n,)`` probabilities that the passage bears the sentence out.

        As many sentences that are borne out as others are taken for granted beforehand.
        """
        logits = self._slope * self.score(rows) + self._shift
        found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
        return np.round(found, 4)

    def score(self, rows: Sequence[Features]) -> NDArray[np.float64]:
        """``(n,)`` features to the ``(n,)`` sums of the leaves they fall in, uncalibrated."""
        given = np.asarray(rows, dtype=np.float64)
        line = np.arange(len(given))[:, None]
        at = np.tile(self._roots, (len(given), 1))
        while (self._below[at] != at).any():  # a leaf leads to itself
            low = given[line, self._feature[at]] <= self._limit[at]
            at = np.where(low, self._below[at], self._above[at])
        total: NDArray[np.float64] = self._value[at].sum(axis=1)
        return total


@cache
def fitted() -> SupportModel:
    """The model that ships with the project."""
    text = files("modules.citations").joinpath("model.json").read_text("utf-8")
    return SupportModel(json.loads(text))


class SupportCheck:
    """Compares sentences with passages; thread-safe.

    Args:
        embedder: Embeds sentences. The model is fitted to cosines of the default embedder.
        supported: The probability from which a sentence is ``supported``.
        weak: The probability from which it is ``weak``.
    """

    def __init__(self, embedder: Embedder, *, supported: float, weak: float) -> None:
        self._embedder = remembering(embedder)
        self._supported = supported
        self._weak = weak

    def prepare(self, passages: Iterable[str]) -> None:
        """Embed the sentences of passages that may be cited: ahead of time, in any thread.

        It changes when work is done, never a verdict.
        """
        rows(self._embedder, {part for passage in passages for part in _parts(passage)})

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[Support]:
        """For each (sentence, passage text) the verdict and the best supporting span."""
        pairs = [(stated(sentence), passage) for sentence, passage in pairs]
        found = self._by_words(pairs)
        left = [pair for pair, done in zip(pairs, found, strict=True) if done is None]
        rest = iter(self._by_meaning(left))
        return [next(rest) if done is None else done for done in found]

    def _by_words(self, pairs: Sequence[tuple[str, str]]) -> list[Support | None]:
        """The verdicts where words alone decide them."""
        said = [_said(*pair) for pair in pairs]
        copies = [
            copied(s, passage, _parts(passage)) if done is None else None
            for (s, passage), done in zip(pairs, said, strict=True)
        ]
        tried = [c.features._replace(cosine=at) for c in copies if c is not None for at in _COPIED]
        verdicts = iter(self._verdicts(tried))
        for at, base in enumerate(copies):
            if base is not None:
                lowest, highest = next(verdicts), next(verdicts)
                said[at] = Support(lowest, base.span) if lowest == highest else None
        return said

    def _by_meaning(self, pairs: Sequence[tuple[str, str]]) -> list[Support]:
        found = self.compared(pairs) if pairs else []
        verdicts = self._verdicts([c.features for c in found])
        return [Support(v, c.span) for v, c in zip(verdicts, found, strict=True)]

    def compared(self, pairs: Sequence[tuple[str, str]]) -> list[Compared]:
        """Features and span of each (sentence, passage text), sentences embedded in one batch."""
        near = [[_parts(passage)[i] for i in nearest(s, _parts(passage))] for s, passage in pairs]
        texts = {s for s, _ in pairs} | {part for group in near for part in group}
        vectors = rows(self._embedder, texts)
        return [compare(s, passage, _parts(passage), vectors) for s, passage in pairs]

    def _verdicts(self, rows: Sequence[Features]) -> list[Verdict]:
        chances = fitted().probability(rows) if rows else np.zeros(0)
        return [self._verdict(float(p), row) for p, row in zip(chances, rows, strict=True)]

    def _verdict(self, probability: float, row: Features) -> Verdict:
        near = (row.cosine + row.covered) / 2 >= _NEAR
        if probability >= self._supported and near and not row.doubted:
            return "supported"
        return "weak" if probability >= self._weak else "unsupported"


def _said(sentence: str, passage: str) -> Support | None:
    """The verdict where there is nothing to compare, or the passage says just this."""
    if not tokens(sentence) or not tokens(passage):
        return Support("unsupported", "")
    quote = verbatim(sentence, _parts(passage))
    return None if quote is None else Support("supported", quote)


def _parts(passage: str) -> list[str]:
    return sentences(passage) or [passage]


__all__ = ["Support", "SupportCheck", "SupportModel", "fitted"]
