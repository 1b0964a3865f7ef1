"""The metric contract: one name, one range, one direction, declared where it is defined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from modules.citations import Embedder
from modules.perplexity import Evaluator
from signatures.errors import ConfigError
from signatures.types import Record

Direction = Literal["lower", "higher"]
Level = Literal["item", "corpus"]
Row = Mapping[str, Any]


class Score(Record):
    """One score: ``value`` is None where the metric abstains or is undefined, and says why."""

    value: float | None
    explanation: str


def _unbound(program: Any) -> Any:
    return program


@dataclass(frozen=True)
class Tools:
    """What a metric may use besides the rows.

    Attributes:
        embedder: Turns texts into unit vectors; None where no metric asks for it.
        bind: Gives every predictor of a program the LM of its role
            (:meth:`modules.lm.roles.Roles.bind`); by default the program is left as it is.
        judge: The identity of the judge's model, for explanations; None where it is not known.
        evaluator: Tells how likely texts are; None where no metric asks for it.
    """

    embedder: Embedder | None = None
    bind: Callable[[Any], Any] = _unbound
    judge: str | None = None
    evaluator: Evaluator | None = None

    def embed(self) -> Embedder:
        """The embedder.

        Raises:
            ConfigError: There is none.
        """
        if self.embedder is None:
            raise ConfigError("the metric needs an embedder", remedy="give Tools an embedder")
        return self.embedder

    def evaluate(self) -> Evaluator:
        """The evaluator.

        Raises:
            ConfigError: There is none.
        """
        if self.evaluator is None:
            raise ConfigError("the metric needs an evaluator", remedy="set evaluator=gpt2")
        return self.evaluator


class Metric(BaseModel, ABC):
    """A figure over finished texts. A metric of one's own subclasses this.

    A metric is pure: it reads rows and tools, keeps nothing and writes no file. Where a value
    cannot be had although the row is sound (a judge that abstains, a text that cites nothing) the
    score's value is None: it counts as abstained. A row that cannot be scored at all raises
    :class:`signatures.errors.InputError`: it counts as failed. Neither is ever averaged in.

    Attributes:
        name: The metric's one name.
        range: The least and greatest value it can take.
        direction: Whether lower or higher is better.
        level: ``item`` scores rows one by one; ``corpus`` scores all rows together
            (:meth:`over`), and :meth:`score` explains one row's part in it.
        fields: The fields of a row it reads (see :mod:`evals.rows` for their other names).
        embeds: Whether it uses ``tools.embedder``.
        evaluates: Whether it uses ``tools.evaluator``.
        version: Raised when the code changes meaning: scores are kept under it.
        resampled: For level ``corpus``, whether the figure means the same where rows are repeated:
            a mean, a share, an alpha do, a count of different words does not. It then has an
            interval, for which :meth:`over` is called some hundred times.
        judges: Whether an LM passes judgement in it: that LM should not have written the texts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    range: ClassVar[tuple[float, float]]
    direction: ClassVar[Direction]
    level: ClassVar[Level] = "item"
    fields: ClassVar[tuple[str, ...]]
    embeds: ClassVar[bool] = False
    evaluates: ClassVar[bool] = False
    resampled: ClassVar[bool] = True
    judges: ClassVar[bool] = False
    version: ClassVar[int] = 1

    def program(self) -> Any:
        """The DSPy program it asks, for ``tools.bind``; None if it asks no LM."""
        return None

    @property
    def decides(self) -> bool:
        """Whether an optimizer may have it as its primary objective, as it is configured."""
        return True

    @property
    def why_not(self) -> str:
        """Why it may not, where it does not decide."""
        return ""

    @abstractmethod
    def score(self, row: Row, tools: Tools) -> Score:
        """The score of one row, a JSON object with at least ``fields``.

        Raises:
            InputError: The row cannot be scored.
        """

    def over(self, rows: Sequence[Row], tools: Tools) -> Score:
        """The score of all rows together, for metrics of level ``corpus``."""
        raise NotImplementedError(f"{self.name} scores rows one by one")


__all__ = ["Direction", "Level", "Metric", "Row", "Score", "Tools"]
