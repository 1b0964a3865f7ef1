"""Is a debate getting anywhere? Measures of each turn, and figures over all of them.

A loop shows as novelty near 0, a speaker talked round as drift, endless agreement as agreement
near 1 with a high share of supporting answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from modules.citations import Embedder
from modules.lm.extractive.stance import StanceReader
from modules.personas import side_of
from modules.text import sentences
from signatures.types import Debate, DebateFigures, EssayStance, Turn

if TYPE_CHECKING:
    import numpy as np

Measure = Callable[[Turn, Sequence[Turn]], Turn]
"""``measure(turn, earlier)``: the turn with its figures filled in; called in the turns' order."""


class DebateMeter:
    """Measures turns as they are made, without a model.

    ``novelty`` in [0, 1]: each sentence counts 1 minus its largest cosine to any sentence of an
    earlier turn (negative cosines count 0), the turn the mean of its sentences. The first turn has
    nothing before it: 1. A turn without a sentence: 0.

    ``stance`` in [-1, 1]: the side of the proposition that the text takes, as
    :class:`modules.lm.extractive.stance.StanceReader` reads it; 0 where it sees none.

    ``drift`` in [0, 1]: how far the stance lies on the other side than its speaker's, who is the
    team or its critic; 0 for a turn that keeps to its side or takes none.

    ``agreement`` in [0, 1]: 1 minus half the distance between its stance and that of the turn it
    answers; None where it answers none. What speakers say of it themselves is ``relation``.

    Args:
        embedder: Embeds sentences.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    @property
    def name(self) -> str:
        """What the figures depend on."""
        return f"quality-1/{self.embedder.name}"

    def start(self, subject: str, goal: EssayStance) -> Measure:
        """A measure for one debate on ``subject`` whose team has ``goal``."""
        reader, heard = StanceReader(subject), _Heard(self.embedder)
        own = 1 if side_of(goal) == "for" else -1

        def measure(turn: Turn, earlier: Sequence[Turn]) -> Turn:
            stance = reader.score(turn.text)
            answered = next((t for t in earlier if t.id == turn.replies_to), None)
            return turn.model_copy(
                update={
                    "novelty": round(heard.novelty(turn.text), 4),
                    "stance": round(stance, 4),
                    "drift": round(max(0.0, -stance * (own if turn.role == "team" else -own)), 4),
                    "agreement": None
                    if answered is None or answered.stance is None
                    else round(1 - abs(stance - answered.stance) / 2, 4),
                }
            )

        return measure


class _Heard:
    """Every sentence said so far, as rows of an array (n_sentences, dimensions)."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: list[np.ndarray] = []

    def novelty(self, text: str) -> float:
        """The share of ``text`` that was not said before, in [0, 1]; then it counts as said."""
        import numpy as np

        said = sentences(text)
        if not said:
            return 0.0
        rows = self._embedder.encode(said)
        nearest = np.zeros(len(said))
        if self._rows:
            nearest = (rows @ np.stack(self._rows).T).max(axis=1)
        self._rows += list(rows)
        return float(np.mean(1 - np.clip(nearest, 0.0, 1.0)))


def nothing_new(turns: Sequence[Turn], number: int, threshold: float) -> bool:
    """Whether every turn of round ``number`` has a novelty below ``threshold``."""
    found = [t.novelty for t in turns if t.round == number]
    return all(n is not None and n < threshold for n in found)


def figures(debate: Debate) -> DebateFigures:
    """The debate's summary; every figure of a debate without turns is None."""
    answers = [t for t in debate.turns if t.relation != "none"]
    return DebateFigures(
        novelty=_mean(t.novelty for t in debate.turns[1:]),
        drift=_mean(t.drift for t in debate.turns),
        agreement=_mean(t.agreement for t in debate.turns),
        supporting=_mean(float(t.relation == "support") for t in answers),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return round(fmean(known), 4) if known else None


__all__ = ["DebateMeter", "Measure", "figures", "nothing_new"]
