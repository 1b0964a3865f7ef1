"""Diversity over the outputs for one input (S1 section 3.3): lower is better, 0 to 100.

All three need at least two outputs, each with some text; a row without them is a bad row.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.points import OpinionPoints, built_in
from modules.text import shortened

Vectors = NDArray[np.float64]

LONG = 160
"""Characters shown of a point."""

_importing = threading.Lock()
"""nltk's modules import one another in a circle: a second thread would see half of one."""


class _Diversity(Metric):
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    direction: ClassVar[Direction] = "lower"
    fields: ClassVar[tuple[str, ...]] = ("outputs",)


class SelfBleu(_Diversity):
    """Mean BLEU-4 of each output against all others as references, x 100 (Zhu et al. 2018).

    nltk's ``sentence_bleu`` with smoothing method 1, over the tokens of nltk's
    ``wordpunct_tokenize``: runs of word characters and runs of punctuation, case kept. It needs no
    data files, so that the tokens are the same everywhere; figures computed over other tokens
    cannot be compared with these.
    """

    name: ClassVar[str] = "self_bleu"

    def score(self, row: Row, tools: Tools) -> Score:
        with _importing:
            from nltk.tokenize import wordpunct_tokenize
            from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

        tokens = [wordpunct_tokenize(text) for text in rows.outputs(row)]
        smoothing = SmoothingFunction().method1
        values = [
            100 * float(sentence_bleu(_others(tokens, i), own, smoothing_function=smoothing))
            for i, own in enumerate(tokens)
        ]
        return _mean_of(values, "BLEU of each output against the others")


class SelfEmb(_Diversity):
    """Mean cosine over all pairs of outputs, x 100.

    Of texts beyond the embedder's window, see
    :meth:`modules.retrieval.embed.SentenceTransformerEmbedder.encode`. A mean below 0, which texts
    without anything in common can have, counts as 0.
    """

    name: ClassVar[str] = "self_emb"
    embeds: ClassVar[bool] = True

    def score(self, row: Row, tools: Tools) -> Score:
        found = rows.outputs(row)
        vectors = np.asarray(tools.embed().encode(found), dtype=np.float64)
        pairs = (vectors @ vectors.T)[np.triu_indices(len(found), k=1)]
        return _mean_of((100 * pairs).tolist(), f"cosine of {len(pairs)} pairs of outputs")


class OpinionDiversity(_Diversity):
    """Opinion-level perspective diversity (S1 section 3.3), x 100.

    From each of the M outputs its opinion points are listed; the score of a point is its greatest
    cosine with a point of any other output; an output's is the mean over its points, and the
    row's the mean over outputs. A mean below 0 counts as 0.

    Undefined: an output without a point has no mean and is left out, which the explanation says;
    with fewer than two outputs left, or a judge that abstains on one, the row's value is None.

    Attributes:
        points: Who lists them: ``judge``, the LM of that role (the extractive engine answers with
            the built-in extractor), or ``builtin``, the extractor without any LM.
    """

    name: ClassVar[str] = "opinion_diversity"
    fields: ClassVar[tuple[str, ...]] = ("input", "outputs")
    embeds: ClassVar[bool] = True

    points: Literal["judge", "builtin"] = "judge"

    def program(self) -> Any:
        return OpinionPoints() if self.points == "judge" else None

    def score(self, row: Row, tools: Tools) -> Score:
        found = rows.outputs(row)
        about = rows.subject(row)
        ask = tools.bind(self.program()) if self.points == "judge" else built_in
        listed = [ask(proposition=about, text=text) for text in found]
        by = f"points by {self._who(tools)}"
        silent = [n for n, points in enumerate(listed, start=1) if points is None]
        if silent:
            return Score(value=None, explanation=f"the judge abstained on output {silent[0]}")
        groups = [points for points in listed if points]
        if len(groups) < 2:
            said = f"{len(groups)} of {len(found)} outputs make a point, two are needed; {by}"
            return Score(value=None, explanation=said)
        flat = [point for points in groups for point in points]
        sizes = [len(group) for group in groups]
        vectors = np.asarray(tools.embed().encode(flat), dtype=np.float64)
        scores = nearest_elsewhere(vectors, sizes)
        missing = len(found) - len(groups)
        left_out = f"; {missing} outputs without a point left out" if missing else ""
        score = _mean_of((100 * scores).tolist(), "nearest point elsewhere, by output")
        said = (
            f"{score.explanation}; {len(flat)} {by}{left_out}; {_most_alike(flat, vectors, sizes)}"
        )
        return score.model_copy(update={"explanation": said})

    def _who(self, tools: Tools) -> str:
        if self.points == "builtin":
            return "the built-in extractor"
        return tools.judge or "the judge"


def nearest_elsewhere(vectors: NDArray[np.floating], sizes: Sequence[int]) -> Vectors:
    """For each group of points, how near its points are to those of the other groups.

    Args:
        vectors: ``(n_points, d)`` unit vectors, group after group.
        sizes: The number of points of each group, all at least 1, two groups at least.

    Returns:
        ``(n_groups,)``: the mean over a group's points of the greatest cosine with any point of
        another group, in [-1, 1].
    """
    best = _elsewhere(vectors, sizes).max(axis=1)
    return np.array([best[span].mean() for span in _spans(sizes)])


def _elsewhere(vectors: NDArray[np.floating], sizes: Sequence[int]) -> Vectors:
    """``(n, n)`` cosines of points; those of one group's are -inf."""
    unit = np.asarray(vectors, dtype=np.float64)
    similar: Vectors = unit @ unit.T
    for span in _spans(sizes):
        similar[span, span] = -np.inf
    return similar


def _spans(sizes: Sequence[int]) -> list[slice]:
    ends = accumulate(sizes)
    return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]


def _most_alike(points: Sequence[str], vectors: Vectors, sizes: Sequence[int]) -> str:
    """The two outputs' points that are nearest to each other: what is said twice."""
    # Digits beyond the fifth are noise: among equals the first is named, whatever it was embedded
    # with.
    similar = np.round(_elsewhere(vectors, sizes), 5)
    one, other = np.unravel_index(int(similar.argmax()), similar.shape)
    first, second = (shortened(points[int(n)], LONG) for n in (one, other))
    return f'most alike ({similar[one, other]:.2f}): "{first}" and "{second}"'


def _others(tokens: list[list[str]], index: int) -> list[list[str]]:
    return tokens[:index] + tokens[index + 1 :]


def _mean_of(values: Sequence[float], what: str) -> Score:
    """The mean of ``values`` as a score in [0, 100]."""
    said = f"{what}: {min(values):.1f} to {max(values):.1f}"
    # Rounding can carry a mean of equal texts past the end by 1e-5.
    return Score(value=float(np.clip(np.mean(values), 0, 100)), explanation=said)


__all__ = ["OpinionDiversity", "SelfBleu", "SelfEmb", "nearest_elsewhere"]
