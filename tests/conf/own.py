"""Parts a user would bring from a package of their own."""

from __future__ import annotations

from typing import Any, ClassVar

from evals.contract import Direction, Metric, Row, Score, Tools
from modules.essay import EssayMethod, EssaySettings, PersonaDebateProgram
from modules.lm.backends import Backend, ExtractiveBackend


class ShoutingMetric(Metric):
    """Share of words in capitals."""

    name: ClassVar[str] = "shouting"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "lower"
    fields: ClassVar[tuple[str, ...]] = ("essay",)

    def score(self, row: Row, tools: Tools) -> Score:
        words = row["essay"].split()
        return Score(value=sum(w.isupper() for w in words) / len(words), explanation="capitals")


class BrokenMetric(ShoutingMetric):
    """A metric with a fault."""

    def score(self, row: Row, tools: Tools) -> Score:
        raise KeyError("no such field")


class ShortMethod(EssayMethod):
    """The persona debate with one round and a short essay."""

    name: str = "short"

    def program(self, settings: EssaySettings, retriever: Any, embedder: Any) -> Any:
        debate = settings.debate.model_copy(update={"max_rounds": 1})
        settings = settings.model_copy(update={"debate": debate})
        return PersonaDebateProgram(settings, retriever, embedder)


class OwnBackend(Backend):
    """The extractive engine under a name of its own."""

    name: str = "own"
    model: str = "own-model"

    def engine(self) -> Any:
        return ExtractiveBackend().engine()

    def adapter(self) -> Any:
        return ExtractiveBackend().adapter()
