"""Whether an answer says that its question is disputed, without a judge.

A logistic regression over which cues (:mod:`modules.dispute.cues`) a text has, whether they stand
where the question itself is spoken of, and whether views are reported of several holders. Sentence
embeddings are not used: a sentence's vector tells its matter far more than whether it speaks of a
dispute. ``model.json`` holds the coefficients and a card;
``python -m bench.dispute --train modules/dispute/model.json`` fits it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modules.dispute.cues import FAMILIES, Sentence, cues, read
from modules.text import words

STATED = (
    "contested",
    "quarrel",
    "subject_of_quarrel",
    "the_quarrel",
    "both_sides",
    "opinions_differ",
    "no_consensus",
    "opinion",
    "depends_on_values",
)
"""Families by which a sentence says by itself that there is a dispute."""

HELD = ("for_says", "against_says", "some_say", "others_say", "a_school_says")
"""Families by which a sentence says whose view it reports."""

FEATURES = (
    *(f"{family} {place}" for family in STATED for place in ("of the question", "elsewhere")),
    "both camps named",
    "a camp and somebody",
    "somebody and others",
    "holders in two sections",
    "two holders",
    "four holders",
    "two views by name",
    "two schools or camps",
    "holders side by side",
    "one holder",
)
"""What is read of a text, each 0 or 1."""

_NAMES = tuple(FAMILIES)


class Dispute(NamedTuple):
    """What the detector makes of a text; ``because`` is the sentence that tells most, or empty."""

    acknowledged: bool
    probability: float
    because: str


class DisputeModel:
    """The fitted regression.

    Args:
        content: The content of ``model.json``.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        if tuple(content["features"]) != FEATURES:
            raise ValueError("the dispute detector's model was fitted on other features")
        self._weights = np.asarray(content["weights"], dtype=np.float64)
        self._bias = float(content["bias"])
        self._threshold = float(content["threshold"])
        kept = {k: v for k, v in content.items() if k != "card"}
        self.digest = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:12]

    def read(self, text: str, question: str = "") -> Dispute:
        """What ``text``, an answer to ``question``, says; a blank text says nothing."""
        found = read(text)
        chance = self._chance(found, question)
        told = chance >= self._threshold
        return Dispute(told, round(chance, 4), self._telling(found, question) if told else "")

    def _chance(self, found: list[Sentence], question: str) -> float:
        logit = self._bias + float(self._weights @ features(found, question))
        return float(1 / (1 + np.exp(-logit)))

    def _telling(self, found: list[Sentence], question: str) -> str:
        """The sentence without which the text would say it least."""
        rest = [self._chance([*found[:i], *found[i + 1 :]], question) for i in range(len(found))]
        return found[int(np.argmin(rest))].text


def features(found: list[Sentence], question: str = "") -> NDArray[np.float64]:
    """``(len(FEATURES),)`` of a text's sentences."""
    if not found:
        return np.zeros(len(FEATURES))
    has = np.asarray([cues(sentence.text) for sentence in found]) > 0  # (sentences, families)
    column = {name: has[:, i] for i, name in enumerate(_NAMES)}
    about = column["the_question"] | _about(found, question)
    stated = [
        float((column[family] & place).any()) for family in STATED for place in (about, ~about)
    ]
    held = np.any([column[family] for family in HELD], axis=0)
    places = np.flatnonzero(held)
    sections = {found[i].section for i in places}
    camp = column["for_says"] | column["against_says"]
    somebody, others = column["some_say"], column["others_say"]
    school = column["a_school_says"] | camp
    reported = [
        column["for_says"].any() and column["against_says"].any(),
        camp.any() and (somebody | others).any(),
        others.any() and (somebody | school).any(),
        len(sections) >= 2,
        len(places) >= 2,
        len(places) >= 4,
        column["from_a_view"].sum() >= 2,
        school.sum() >= 2,
        bool((np.diff(places) == 1).any()),
        len(places) == 1,
    ]
    return np.asarray([*stated, *map(float, reported)])


def _about(found: list[Sentence], question: str) -> NDArray[np.bool_]:
    """The opening sentence, and those that share a word with the question."""
    asked = set(words(question))
    return np.asarray([i == 0 or bool(asked & set(words(s.text))) for i, s in enumerate(found)])


@cache
def fitted() -> DisputeModel:
    """The model that ships with the project."""
    text = files("modules.dispute").joinpath("model.json").read_text("utf-8")
    return DisputeModel(json.loads(text))


__all__ = ["FEATURES", "Dispute", "DisputeModel", "features", "fitted"]
