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
"""Mean of cosine and covered words below which nothing counts as supported: there the regression
tells a sentence on the same matter from a foreign one, not from a true one."""

_COPIED = (0.6, 0.7, 0.8, 0.9, 1.0)
"""Cosines that a copied sentence may have; where the verdict is one for all, none is computed."""


class Support(NamedTuple):
    """How a passage stands to a sentence that cites it."""

    verdict: Verdict
    quote: str


class SupportModel:
    """A logistic regression over :class:`Features` and their products, two by two.

    ``model.json`` holds its coefficients and a card that tells how they were fitted
    (``python -m bench.citations --train``).

    Args:
        content: The file's content.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        if tuple(content["features"]) != Features._fields:
            raise ValueError("the citation check's model was fitted on other features")
        self._mean = np.asarray(content["mean"])
        self._scale = np.asarray(content["scale"])
        self._bias = float(content["bias"])
        self._linear = np.asarray(content["linear"])
        self._products = np.asarray(content["products"])
        text = json.dumps({k: v for k, v in content.items() if k != "card"}, sort_keys=True)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:12]

    def probability(self, rows: Sequence[Features]) -> NDArray[np.float64]:
        """``(n,)`` features to ``(n,)`` probabilities that the passage bears the sentence out.

        As many sentences that are borne out as others are taken for granted beforehand.
        """
        z = (np.asarray(rows, dtype=np.float64) - self._mean) / self._scale
        logits = self._bias + z @ self._linear + ((z @ self._products) * z).sum(axis=1)
        found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
        return np.round(found, 4)


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
        found = [self._at_once(*pair) for pair in pairs]
        left = [pair for pair, done in zip(pairs, found, strict=True) if done is None]
        rest = iter(self._by_meaning(left))
        return [next(rest) if done is None else done for done in found]

    def _at_once(self, sentence: str, passage: str) -> Support | None:
        """The verdict where words alone decide it."""
        if not tokens(sentence) or not tokens(passage):
            return Support("unsupported", "")
        if (said := verbatim(sentence, _parts(passage))) is not None:
            return Support("supported", said)
        base = copied(sentence, passage, _parts(passage))
        if base is None:
            return None
        tried = [base.features._replace(cosine=cosine) for cosine in _COPIED]
        verdicts = set(self._verdicts(tried))
        return Support(verdicts.pop(), base.span) if len(verdicts) == 1 else None

    def _by_meaning(self, pairs: Sequence[tuple[str, str]]) -> list[Support]:
        if not pairs:
            return []
        found = self.compared(pairs)
        verdicts = self._verdicts([c.features for c in found])
        return [Support(v, c.span) for v, c in zip(verdicts, found, strict=True)]

    def compared(self, pairs: Sequence[tuple[str, str]]) -> list[Compared]:
        """Features and span of each (sentence, passage text), sentences embedded in one batch."""
        near = [[_parts(passage)[i] for i in nearest(s, _parts(passage))] for s, passage in pairs]
        texts = {s for s, _ in pairs} | {part for group in near for part in group}
        vectors = rows(self._embedder, texts)
        return [compare(s, passage, _parts(passage), vectors) for s, passage in pairs]

    def _verdicts(self, rows: Sequence[Features]) -> list[Verdict]:
        chances = fitted().probability(rows)
        return [self._verdict(float(p), row) for p, row in zip(chances, rows, strict=True)]

    def _verdict(self, probability: float, row: Features) -> Verdict:
        near = (row.cosine + row.covered) / 2 >= _NEAR
        if probability >= self._supported and near:
            return "supported"
        return "weak" if probability >= self._weak else "unsupported"


def _parts(passage: str) -> list[str]:
    return sentences(passage) or [passage]


__all__ = ["Support", "SupportCheck", "SupportModel", "fitted"]
