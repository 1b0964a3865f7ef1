"""The stance weights, those shipped and those of cross-encoders, and their card."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from modules.retrieval.minilm import SHA256
from signatures.errors import BackendError

SHIPPED = Path(__file__).parent / "weights"

Weights = dict[str, NDArray[np.float32]]

REMEDY = {
    True: "install the project again, or train them: python -m evals.stance.train",
    False: "train them: python -m evals.stance.train --full --out FOLDER",
}
"""Of what is shipped, and of what was trained in full."""


class Platt(BaseModel):
    """A score to a probability: the logistic function of ``slope * score + shift``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slope: float
    shift: float


class Side(BaseModel):
    """The chance that a text is for rather than against, by what is read of it.

    Args:
        network: Weight of the networks' mean logit.
        cues: Weight of the cue reader's score in [-1, 1].
        shift: The intercept.
        cross: Weight of the cross-encoders' mean logit.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: float
    cues: float
    shift: float
    cross: float = 0.0


class Card(BaseModel):
    """What the reader needs of a model card; the rest of it is for people.

    Args:
        name: Identifies the weights in results.
        base: The sha256 of the embedder's weights whose vectors the networks read.
        side: Calibrates support against opposition.
        relevance: From the cosine of claim and text, the chance that the text speaks to the claim.
        cross: The cross-encoders beside the networks: file -> sha256. What is shipped has none.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    base: str
    side: Side
    relevance: Platt
    cross: dict[str, str] = {}


def load(folder: Path = SHIPPED) -> tuple[Card, Weights]:
    """The card, and the weights of all seeds in float32.

    Raises:
        BackendError: The weights are missing, or belong to another embedder.
    """
    from safetensors.numpy import load_file

    try:
        card = Card.model_validate(json.loads((folder / "card.json").read_text("utf-8")))
        held = load_file(folder / "stance.safetensors")
    except OSError as error:
        said = error.strerror or str(error)
        files = "card.json and stance.safetensors"
        raise unread("the stance model's weights", folder, files, said) from error
    except ValueError as error:  # no JSON, or no card
        files = "card.json as training wrote it"
        raise unread("the stance model's card", folder, files, str(error)) from error
    if card.base != SHA256:
        raise BackendError(
            "the stance model's weights belong to another embedder",
            expected=f"sha256 {SHA256}",
            got=card.base,
            remedy="train them again: python -m evals.stance.train",
        )
    for name, expected in sorted(card.cross.items()):
        _check(folder / name, expected)
    return card, {name: np.asarray(value, dtype=np.float32) for name, value in held.items()}


def unread(what: str, folder: Path, files: str, said: str) -> BackendError:
    """The refusal of a folder whose ``files`` are not there, or are none of the kind."""
    return BackendError(
        f"{what} cannot be read",
        expected=f"{files} in {folder}",
        got=said.split("\n", 1)[0],
        remedy=REMEDY[folder == SHIPPED],
    )


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(path: Path, expected: str) -> None:
    """Raises a BackendError unless the file is the one that the card tells of."""
    try:
        found = digest(path)
    except OSError as error:
        found = f"no file ({error.strerror})"
    if found != expected:
        raise BackendError(
            f"{path} is not the cross-encoder that its card tells of",
            expected=f"sha256 {expected}",
            got=found,
            remedy=REMEDY[False],
        )


__all__ = ["SHIPPED", "Card", "Platt", "Side", "Weights", "digest", "load", "unread"]
