"""An embedder whose cosines a reader can work out: a text is an angle in degrees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class Angles:
    """``"60"`` is the unit vector at 60 degrees, so ``"0"`` and ``"60"`` have a cosine of 0.5."""

    name = "angles"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        turned = np.radians([float(text) for text in texts])
        return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)
