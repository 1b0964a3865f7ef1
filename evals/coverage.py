"""Which points of view an answer states: S4's perspective diversity where no causal LM is at hand.

A point of view is covered where some sentence of the text is close to it *and* on its side
(:mod:`evals.same_view`). ``by=cosine`` asks for closeness alone: opposed views of one question are
as close as paraphrases, so a one-sided text covers both sides, and it may not steer an optimizer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from evals.same_view import fitted
from modules.dispute.cues import read
from modules.text import shortened, tokens
from modules.vectors import Embedder
from modules.vectors import rows as vectors_of
from signatures.errors import InputError

NEAREST = 6
"""Sentences compared with a point of view: those nearest to it by cosine."""

CLOSE = 0.75
"""The cosine from which ``by=cosine`` calls a point of view covered."""

LONG = 200
"""Characters shown of a point of view."""

_VERDICT = re.compile(r"^(?:yes|no|it depends)\s*[:,]\s*", re.IGNORECASE)

By = Literal["sides", "cosine"]


class View(NamedTuple):
    """A point of view in one or several wordings, and its side, where one is given."""

    texts: tuple[str, ...]
    side: str = ""


class Held(NamedTuple):
    """A point of view, how surely the text states it, from 0 to 1, and where."""

    view: str
    chance: float
    sentence: str
    side: str = ""


class PovCoverage(Metric):
    """Share of the points of view that the text states; the explanation names what is missing.

    Points of view are those of the row's ``partial_answers``. Of a row with several ``outputs``,
    all of them together are read: what a set of texts covers.

    Args:
        by: ``sides`` asks that a sentence be close and on the side; ``cosine`` that it be close.
        threshold: The chance, or the cosine, from which a point of view counts as stated; None
            takes the fitted one.
    """

    name: ClassVar[str] = "pov_coverage"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"
    fields: ClassVar[tuple[str, ...]] = ("generation", "partial_answers")
    embeds: ClassVar[bool] = True

    by: By = "sides"
    threshold: float | None = None

    @property
    def decides(self) -> bool:
        """Only a coverage that can tell sides apart may be an optimizer's primary objective."""
        return self.by == "sides"

    @property
    def why_not(self) -> str:
        """Why it may not be."""
        return "by=cosine counts a view as stated where its opposite is"

    def score(self, row: Row, tools: Tools) -> Score:
        views = views_of(row)
        said = [text for output in rows.texts(row) for text in statements(output)]
        found = held(views, said, tools.embed(), self.by)
        limit = self._limit()
        missing = [one for one in found if one.chance < limit]
        told = [
            f"{self.by}: {len(found) - len(missing)} of {len(found)} points of view stated",
            *_by_side(found, limit),
            *(f'missing: "{shortened(one.view, LONG)}"' for one in missing),
        ]
        return Score(value=1 - len(missing) / len(found), explanation="; ".join(told))

    def _limit(self) -> float:
        if self.threshold is not None:
            return self.threshold
        return fitted().threshold if self.by == "sides" else CLOSE


class ClusterCoverage(PovCoverage):
    """The same of essays, turns or answers over gold perspectives, and how much of each side.

    They are the row's ``clusters``, ``{side, texts}`` each: wordings of one perspective, of which
    any will do (``dataset=perspectrum_claims`` has them for Perspectrum's claims).
    """

    name: ClassVar[str] = "cluster_coverage"
    fields: ClassVar[tuple[str, ...]] = ("input", "clusters")


def statements(text: str) -> list[str]:
    """The sentences of a text that may state a view: neither headings nor questions."""
    found = [one.text for one in read(text) if not one.heading and not one.text.endswith("?")]
    return [sentence for sentence in found if tokens(sentence)]


def held(
    views: Sequence[View], said: Sequence[str], embedder: Embedder, by: By = "sides"
) -> list[Held]:
    """For each point of view the sentence that states it most surely."""
    if not said:
        return [Held(view.texts[0], 0.0, "", view.side) for view in views]
    wordings = [(i, _bare(text)) for i, view in enumerate(views) for text in view.texts]
    vectors = vectors_of(embedder, {*said, *(text for _, text in wordings)})
    near = np.stack([vectors[t] for _, t in wordings]) @ np.stack([vectors[s] for s in said]).T
    places = np.argsort(-near, axis=1, kind="stable")[:, :NEAREST]
    asked = [(w, int(s)) for w in range(len(wordings)) for s in places[w]]
    if by == "sides":
        chances = fitted()([(wordings[w][1], said[s]) for w, s in asked], embedder)
    else:
        chances = np.asarray([near[w, s] for w, s in asked], dtype=np.float64)
    best = [Held(view.texts[0], 0.0, "", view.side) for view in views]
    for (w, s), chance in zip(asked, chances, strict=True):
        place = wordings[w][0]
        if chance > best[place].chance:
            value = min(max(float(chance), 0.0), 1.0)
            best[place] = best[place]._replace(chance=value, sentence=said[s])
    return best


def views_of(row: Row) -> list[View]:
    """The points of view that a text on the row's question could state, at least one.

    Raises:
        InputError: The row gives none, or one that is no text.
    """
    # Not ``perspectives``: those of an answer's own result are what the text was made of.
    for field, read_one in (("clusters", _cluster), ("partial_answers", _wording)):
        found = row.get(field)
        if found is None:
            continue
        if not isinstance(found, list) or not found:
            raise InputError(f"{field} holds no point of view", expected="a list")
        return [read_one(number, value) for number, value in enumerate(found, start=1)]
    raise InputError(
        "the row has no points of view",
        expected="partial_answers: [{point_of_view, ...}] or clusters: [{side, texts}]",
        remedy="give the dataset that has them, joined by id: dataset=debatable",
    )


def _wording(number: int, value: Any) -> View:
    if isinstance(value, Mapping):
        value = value.get("point_of_view")
    if not isinstance(value, str) or not tokens(value):
        raise InputError(f"point of view {number} is no text", got=repr(value)[:40])
    return View((value,))


def _cluster(number: int, value: Any) -> View:
    texts = value.get("texts") if isinstance(value, Mapping) else None
    if not isinstance(texts, list) or not texts:
        raise InputError(f"cluster {number} has no texts", expected="{side, texts: [...]}")
    return View(
        tuple(_wording(number, text).texts[0] for text in texts), str(value.get("side", ""))
    )


def _bare(view: str) -> str:
    """Without a leading "Yes:" or "No:", which no sentence of an answer repeats."""
    return _VERDICT.sub("", view) or view


def _by_side(found: Sequence[Held], limit: float) -> list[str]:
    """How much of each side is covered, where sides are given."""
    told = []
    for side in sorted({one.side for one in found if one.side}):
        here = [one for one in found if one.side == side]
        told.append(f"{side}: {sum(one.chance >= limit for one in here)} of {len(here)}")
    return told


__all__ = ["By", "ClusterCoverage", "Held", "PovCoverage", "View", "held", "statements", "views_of"]
