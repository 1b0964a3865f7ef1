"""Vector operations against a plain loop, and BM25 against rank_bm25."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from modules.retrieval.okapi import Okapi
from modules.retrieval.operations import (
    OPERATIONS,
    PROJECTED,
    aspects,
    projected,
    query_vectors,
    scores,
)

rng = np.random.default_rng(3)


def vectors(n: int, unit: bool = True) -> Any:
    found = rng.normal(size=(n, 16)) + 0.5
    return found / np.linalg.norm(found, axis=1, keepdims=True) if unit else found


def plain(operation: str, q: Any, r: Any, p: Any, c: Any, a: float) -> float:
    """One score as S3 writes it, one query and one document at a time."""

    def cos(x: Any, y: Any) -> float:
        return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))

    def off(x: Any) -> Any:
        return x - a * (x @ p) / (p @ p) * p

    both = {
        "none": (q, c),
        "root": (r, c),
        "add": (r + a * p, c),
        "add_plus": (r + a * p, c + a * p),
        "concat": (np.concatenate([r, a * p]), np.concatenate([c, c])),
        "concat_plus": (np.concatenate([r, a * p]), np.concatenate([c, a * p])),
        "cast": (q - a * p, c),
        "cast_plus": (q - a * p, c - a * p),
        "pap": (off(q), c),
        "pap_plus": (off(q), off(c)),
    }
    if operation == "dual_sum":
        return cos(r, c) + a * cos(p, c)
    if operation == "tri_sum":
        return cos(r, c) + a * cos(p, c) + cos(q, c)
    return cos(*both[operation])


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("alpha", [1.0, 0.3, -0.7])
@pytest.mark.parametrize("unit", [True, False])
def test_an_operation_equals_the_plain_formula(operation: Any, alpha: float, unit: bool) -> None:
    q, r, p, c = (vectors(n, unit) for n in (7, 7, 7, 11))
    found = scores(operation, aspects(q, r, p), c, alpha)
    expected = [
        [plain(operation, q[i], r[i], p[i], c[j], alpha) for j in range(11)] for i in range(7)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o not in PROJECTED])
def test_a_query_vector_ranks_as_its_operation(operation: Any) -> None:
    at, c = aspects(vectors(9), vectors(9), vectors(9)), vectors(40)
    by_vector = query_vectors(operation, at, 0.8) @ c.T
    by_score = scores(operation, at, c, 0.8)
    assert (np.argsort(-by_vector, axis=1) == np.argsort(-by_score, axis=1)).all()


def test_what_has_no_direction_scores_nothing() -> None:
    p = vectors(1)
    at, c = aspects(p, p, p), np.vstack([p, vectors(3)])
    assert (scores("pap", at, c) == 0).all()  # the query lies along its perspective
    assert scores("pap_plus", aspects(vectors(1), p, p), c)[0, 0] == 0  # the document does
    nothing = aspects(vectors(1), p, np.zeros_like(p))
    np.testing.assert_allclose(scores("pap_plus", nothing, c), scores("none", nothing, c))


def test_a_projection_is_at_right_angles() -> None:
    x, p = vectors(5, unit=False), vectors(5, unit=False)
    assert np.abs((projected(x, p) * p).sum(axis=1)).max() < 1e-12


def test_bm25_equals_rank_bm25() -> None:
    texts = [
        "the cat sat on the mat", "the dog", "", "a cat and a dog and  a mat", "the the the end",
    ]  # fmt: skip
    queries = ["the cat", "cat cat dog", "nothing known", "", "mat a"]
    model = BM25Okapi([text.split(" ") for text in texts])
    expected = [model.get_scores(query.split(" ")) for query in queries]
    np.testing.assert_allclose(Okapi(texts).scores(queries), expected, atol=1e-12)
