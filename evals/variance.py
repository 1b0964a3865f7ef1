"""Where the variance of a judged metric lies: in the systems, in the texts, or in the judge.

Two systems can only be told apart by a judge that varies less, over the texts there are, than they
differ. Systems and items are crossed (every system writes about every item) and each text is judged
several times, so the expected mean squares of a two-way random-effects analysis of variance with
replication give the components (Searle, Casella and McCulloch 1992, chapter 4)::

    judge       MS_e
    interaction (MS_si - MS_e) / k
    item        (MS_i  - MS_si) / (S k)
    system      (MS_s  - MS_si) / (I k)

for S systems, I items and k judgements of each text; negative estimates are 0. Only items that
every system has with all k judgements are counted. With one system, one item or one judgement,
there is nothing to tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from signatures.types import Record

S = TypeVar("S")


class Components(Record):
    """Variances in the metric's own unit, squared.

    ``noise`` is the standard error that the judge alone puts on a system's mean over ``items``
    items of ``judgements`` judgements each.
    """

    system: float
    item: float
    interaction: float
    judge: float
    systems: int
    items: int
    judgements: int
    noise: float


def components(scores: Mapping[S, Mapping[str, Sequence[float]]]) -> Components | None:
    """The components of ``scores[system][item]``, the judgements of one text.

    Returns:
        None where they are undefined.
    """
    if len(scores) < 2:
        return None
    systems = list(scores.values())
    most = max((len(found) for each in systems for found in each.values()), default=0)
    shared = sorted(
        item for item in systems[0] if all(len(each.get(item, ())) == most for each in systems)
    )
    if most < 2 or len(shared) < 2:
        return None
    cube = np.array([[each[item] for item in shared] for each in systems], dtype=float)
    n_s, n_i, k = cube.shape
    texts, by_system, by_item, grand = (
        cube.mean(axis=2), cube.mean(axis=(1, 2)), cube.mean(axis=(0, 2)), cube.mean(),
    )  # fmt: skip
    ms_e = float(((cube - texts[:, :, None]) ** 2).sum() / (n_s * n_i * (k - 1)))
    rest = texts - by_system[:, None] - by_item[None, :] + grand
    ms_si = float(k * (rest**2).sum() / ((n_s - 1) * (n_i - 1)))
    ms_s = float(n_i * k * ((by_system - grand) ** 2).sum() / (n_s - 1))
    ms_i = float(n_s * k * ((by_item - grand) ** 2).sum() / (n_i - 1))
    return Components(
        system=max(0.0, (ms_s - ms_si) / (n_i * k)),
        item=max(0.0, (ms_i - ms_si) / (n_s * k)),
        interaction=max(0.0, (ms_si - ms_e) / k),
        judge=ms_e,
        systems=n_s,
        items=n_i,
        judgements=k,
        noise=float(np.sqrt(ms_e / (n_i * k))),
    )


__all__ = ["Components", "components"]
