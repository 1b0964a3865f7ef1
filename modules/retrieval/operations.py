"""Vector operations that put a perspective into a search (S3, section 3.1, Tables 4 and 8).

q, r, p and c are the vectors of a query, of its root (the query without its perspective), of the
perspective and of a document; ``alpha`` is the strength S3 leaves tunable, 1 as printed.

| operation | score | |
|---|---|---|
| ``none`` | cos(q, c) | |
| ``root`` | cos(r, c) | |
| ``add``, ``add_plus`` | cos(r + ap, c), cos(r + ap, c + ap) | |
| ``concat`` | cos([r; ap], [c; c]) | printed as (r, p) against c, whose lengths differ |
| ``concat_plus`` | cos([r; ap], [c; ap]) | |
| ``cast``, ``cast_plus`` | cos(q - ap, c), cos(q - ap, c - ap) | |
| ``dual_sum`` | cos(r, c) + a cos(p, c) | |
| ``tri_sum`` | cos(r, c) + a cos(p, c) + cos(q, c) | |
| ``pap``, ``pap_plus`` | cos(q_p, c), cos(q_p, c_p) | x_p = x - a (x.p / p.p) p |

With unit vectors ``concat`` and ``dual_sum`` rank as ``add``, and ``concat_plus`` as ``root``: what
the operations differ by in S3 comes from vectors that are not normalised. A cosine with a vector
of length 0 (a query along its perspective, projected) is 0; a perspective of length 0 changes
nothing. A negative ``alpha`` turns an operation round: the projection becomes an emphasis.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Operation = Literal[
    "none", "root", "add", "add_plus", "concat", "concat_plus", "cast", "cast_plus", "dual_sum",
    "tri_sum", "pap", "pap_plus",
]  # fmt: skip
OPERATIONS: tuple[Operation, ...] = get_args(Operation)

TEXT_OPERATIONS: tuple[Operation, ...] = ("none", "root")
"""Those that need no vectors."""

PROJECTED: tuple[Operation, ...] = ("add_plus", "concat_plus", "cast_plus", "pap_plus")
"""Those that change documents as well, per perspective."""

Floats = NDArray[np.float64]

_TINY = 1e-12
"""A squared length below this is 0: what is left of a unit vector is rounding."""


class Aspects(NamedTuple):
    """The vectors of ``n`` searches, ``(n, dimension)`` each, in any float type and length."""

    queries: Floats
    roots: Floats
    perspectives: Floats


def aspects(queries: ArrayLike, roots: ArrayLike, perspectives: ArrayLike) -> Aspects:
    """The vectors in double precision."""
    q, r, p = (np.asarray(each, dtype=np.float64) for each in (queries, roots, perspectives))
    return Aspects(q, r, p)


def query_vectors(operation: Operation, at: Aspects, alpha: float = 1.0) -> Floats:
    """``(n, dimension)``: vectors whose dot product with unit documents ranks as the operation.

    For :data:`PROJECTED` this is the query's half alone; :func:`scores` gives their order.
    """
    q, r, p = at
    if operation == "none":
        return q
    if operation in ("root", "concat_plus"):
        return r
    if operation in ("add", "add_plus", "concat"):
        return np.asarray(r + alpha * p)
    if operation == "dual_sum":
        return np.asarray(_unit(r) + alpha * _unit(p))
    if operation == "tri_sum":
        return np.asarray(_unit(r) + alpha * _unit(p) + _unit(q))
    if operation in ("cast", "cast_plus"):
        return np.asarray(q - alpha * p)
    return projected(q, p, alpha)


def scores(operation: Operation, at: Aspects, documents: ArrayLike, alpha: float = 1.0) -> Floats:
    """Every document's score for every search.

    No document is touched one by one: each operation is matrix products over all of them.

    Args:
        operation: What to do with the perspective.
        at: The ``n`` searches.
        documents: ``(m, dimension)``.
        alpha: The strength.

    Returns:
        ``(n, m)``, higher is better.
    """
    c = np.asarray(documents, dtype=np.float64)
    sizes = (c * c).sum(axis=1)
    vectors = query_vectors(operation, at, alpha)
    if operation == "concat":
        return _concat(at, c, sizes, alpha)
    if operation == "concat_plus":
        return _concat_plus(at, c, sizes, alpha)
    if operation == "dual_sum":
        return _cosines(at.roots, c) + alpha * _cosines(at.perspectives, c)
    if operation == "tri_sum":
        dual = _cosines(at.roots, c) + alpha * _cosines(at.perspectives, c)
        return np.asarray(dual + _cosines(at.queries, c))
    if operation not in PROJECTED:
        return _cosines(vectors, c)
    if operation == "pap_plus":
        return _pap_plus(vectors, at.perspectives, c, sizes, alpha)
    shift = alpha if operation == "add_plus" else -alpha
    return _shifted(vectors, at.perspectives, c, sizes, shift)


def projected(x: ArrayLike, p: ArrayLike, alpha: float = 1.0) -> Floats:
    """``(n, dimension)`` vectors less ``alpha`` times their part along ``(n, dimension)`` others.

    S3, section 3.1: with ``alpha`` 1, onto the hyperplane at right angles to the perspective.
    """
    x, p = np.asarray(x, dtype=np.float64), np.asarray(p, dtype=np.float64)
    along = (x * p).sum(axis=-1, keepdims=True) * _inverse((p * p).sum(axis=-1, keepdims=True))
    return np.asarray(x - alpha * along * p)


def _concat(at: Aspects, c: Floats, sizes: Floats, alpha: float) -> Floats:
    """cos([r; ap], [c; c])."""
    r, p = at.roots, alpha * at.perspectives
    length = (r * r).sum(axis=1) + (p * p).sum(axis=1)
    return _divided((r + p) @ c.T, length[:, None] * (2 * sizes)[None, :])


def _concat_plus(at: Aspects, c: Floats, sizes: Floats, alpha: float) -> Floats:
    """cos([r; ap], [c; ap])."""
    r, p = at.roots, alpha * at.perspectives
    own = (p * p).sum(axis=1)
    left, right = (r * r).sum(axis=1) + own, sizes[None, :] + own[:, None]
    return _divided(r @ c.T + own[:, None], left[:, None] * right)


def _shifted(x: Floats, p: Floats, c: Floats, sizes: Floats, shift: float) -> Floats:
    """cos(x, c + shift p), x and p by search."""
    own, along = (p * p).sum(axis=1), p @ c.T
    right = sizes[None, :] + 2 * shift * along + (shift * shift * own)[:, None]
    top = x @ c.T + (shift * (x * p).sum(axis=1))[:, None]
    return _divided(top, (x * x).sum(axis=1)[:, None] * right, right)


def _pap_plus(x: Floats, p: Floats, c: Floats, sizes: Floats, alpha: float) -> Floats:
    """cos(x, c_p), x projected already: c_p loses alpha (c.p / p.p) p."""
    inverse, along = _inverse((p * p).sum(axis=1)), p @ c.T
    lost = alpha * inverse * (x * p).sum(axis=1)
    right = sizes[None, :] - ((2 * alpha - alpha * alpha) * inverse)[:, None] * along * along
    top = x @ c.T - lost[:, None] * along
    return _divided(top, (x * x).sum(axis=1)[:, None] * right, right)


def _cosines(x: Floats, c: Floats) -> Floats:
    return np.asarray(_unit(x) @ _unit(c).T)


def _unit(x: Floats) -> Floats:
    """Rows of length 1, or 0 where there is nothing left of them."""
    squared = (x * x).sum(axis=1, keepdims=True)
    return np.asarray(x * np.sqrt(_inverse(squared)))


def _inverse(squared: Floats) -> Floats:
    """1 / x, and 0 where x is a length of nothing."""
    some = squared > _TINY
    return np.where(some, 1.0 / np.where(some, squared, 1.0), 0.0)


def _divided(top: Floats, squared: Floats, document: Floats | None = None) -> Floats:
    """The top / sqrt(squared), and 0 where a length is 0 (of the document alone, too)."""
    some = squared > _TINY
    if document is not None:
        some &= document > _TINY
    return np.asarray(np.where(some, top / np.sqrt(np.where(some, squared, 1.0)), 0.0))


__all__ = [
    "OPERATIONS",
    "PROJECTED",
    "TEXT_OPERATIONS",
    "Aspects",
    "Operation",
    "aspects",
    "projected",
    "query_vectors",
    "scores",
]
