"""Diversity: the rule itself, against its definition, and what it is for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modules.retrieval.embed import unit
from modules.retrieval.mmr import diverse


def defined(relevance: list[float], vectors: np.ndarray, k: int, weight: float) -> list[int]:
    """Carbonell and Goldstein's definition, word by word."""
    low, high = min(relevance), max(relevance)
    scaled = [(r - low) / (high - low) if high > low else 1.0 for r in relevance]
    taken: list[int] = []
    while len(taken) < min(k, len(relevance)):
        values = {
            i: round(
                weight * scaled[i]
                - (1 - weight) * max((float(vectors[i] @ vectors[j]) for j in taken), default=0.0),
                6,
            )
            for i in range(len(relevance))
            if i not in taken
        }
        taken.append(max(values, key=lambda i: (values[i], -i)))
    return taken


@given(st.integers(1, 12), st.integers(1, 14), st.floats(0, 1), st.integers(0, 10_000))
def test_it_is_the_papers_rule(n: int, k: int, weight: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = unit(random.normal(size=(n, 3)).round(1) + 0.05)
    relevance = sorted(random.uniform(-3, 9, n).round(1), reverse=True)
    expected = defined(relevance, vectors.astype(np.float64), k, weight)
    assert diverse(np.asarray(relevance), vectors.astype(np.float64), k, weight) == expected


def test_weight_one_keeps_the_order() -> None:
    vectors = unit(np.random.default_rng(0).normal(size=(9, 4)))
    assert diverse(np.linspace(1, 0, 9), vectors, 9, 1.0) == list(range(9))


@pytest.mark.parametrize(("weight", "second"), [(0.2, 3), (0.7, 2), (0.95, 1)])
def test_a_copy_gives_way_to_another_thought(weight: float, second: int) -> None:
    vectors = unit(np.asarray([[1.0, 0.0], [1.0, 0.0], [0.2, 1.0], [-1.0, 0.1]]))
    assert diverse(np.asarray([1.0, 0.99, 0.9, 0.0]), vectors, 2, weight) == [0, second]


def test_nothing_gives_nothing() -> None:
    assert diverse(np.zeros(0), np.zeros((0, 3), dtype=np.float32), 5, 0.5) == []
