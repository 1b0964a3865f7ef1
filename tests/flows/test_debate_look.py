"""The colours of a debate, by computation: legible in light and dark, told apart by everybody."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from app.graph import EDGES
from flows.debate_html import COLOURS
from flows.debate_style import STYLE

THEMES = {"light": ("#FFFFFF", "#2F2D2B"), "dark": ("#171614", "#EDEBE8")}
"""Streamlit's own: background, text."""
VISION = {
    "any": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}  # fmt: skip
"""Machado, Oliveira and Fernandes (2009), severity 1, on linear sRGB."""
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip


def linear(colour: str) -> np.ndarray:
    found = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return as_linear(found)


def as_linear(found: np.ndarray) -> np.ndarray:
    return np.where(found <= 0.04045, found / 12.92, ((found + 0.055) / 1.055) ** 2.4)


def mixed(over: str, under: str, share: float) -> np.ndarray:
    """As ``color-mix(in srgb, ...)`` and ``opacity`` do."""
    one, other = (
        np.array([int(c[at : at + 2], 16) / 255 for at in (1, 3, 5)]) for c in (over, under)
    )
    return as_linear(share * one + (1 - share) * other)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """WCAG 2.2's, of linear sRGB."""
    dark, light = sorted(float(XYZ[1] @ each) for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b* of linear sRGB, white D65."""
    x, y, z = XYZ @ np.clip(colour, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = [c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_legible_on_every_personas_ground(theme: str) -> None:
    ground, ink = THEMES[theme]
    tint = int(re.search(r"var\(--shade,gray\) (\d+)%", STYLE)[1]) / 100  # type: ignore[index]
    fade = float(re.search(r"\.small[^}]*opacity:([.\d]+)", STYLE)[1])  # type: ignore[index]
    for shade in COLOURS:
        behind = mixed(shade, ground, tint)
        assert contrast(linear(ink), behind) >= 7
        # What is small is faded: a mixture of the ink and about what lies behind it.
        assert contrast(mixed(ink, ground, fade), behind) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_lines_of_the_graph_stand_out(theme: str) -> None:
    ground, _ = THEMES[theme]
    assert all(contrast(linear(c), linear(ground)) >= 3 for c in EDGES.values())


@pytest.mark.parametrize("vision", VISION)
def test_personas_are_told_apart_with_any_colour_vision(vision: str) -> None:
    seen = [lab(np.asarray(VISION[vision]) @ linear(colour)) for colour in COLOURS]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) >= 15
    answers = [lab(np.asarray(VISION[vision]) @ linear(c)) for c in EDGES.values()]
    assert np.linalg.norm(answers[0] - answers[1]) >= 15
