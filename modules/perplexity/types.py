"""What an evaluator is, and what it says of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from signatures.types import Record


class Part(Record):
    """How likely one continuation is: ``nll`` is the sum over its tokens, in nats."""

    tokens: int
    nll: float

    @property
    def mean(self) -> float:
        """Mean negative log-likelihood of a token: the logarithm of the perplexity."""
        return self.nll / self.tokens


class Reading(Record):
    """Continuations of one prompt, each read as if it came right after it.

    ``prefix_tokens`` counts the prompt with its template, ``template`` names that.
    """

    prefix_tokens: int
    template: str
    parts: tuple[Part, ...]


class Evaluator(Protocol):
    """A causal LM that tells how likely texts are."""

    @property
    def name(self) -> str:
        """Its identity: everything that sets its figures apart, but no secret."""
        ...

    def warm(self) -> None:
        """Load the model, or make sure that the server tells what is wanted of it.

        Raises:
            BackendError: It cannot be used.
        """
        ...

    def read(self, text: str, continuations: Sequence[str]) -> Reading:
        """How likely each continuation is after ``text``, put as a user's message.

        Raises:
            InputError: Prompt and continuation do not fit the window, or one of them is empty.
            BackendError: The model cannot be used.
        """
        ...

    def head(self, text: str, tokens: int) -> str:
        """The first ``tokens`` tokens of ``text``: all of it where it is shorter.

        Raises:
            ConfigError: It has no tokenizer.
        """
        ...

    def count(self, text: str) -> int | None:
        """How many tokens ``text`` has by itself; None where it has no tokenizer."""
        ...

    def released(self, text: str, continuations: Sequence[str]) -> list[float]:
        """The perplexities as DebateQA's released script computes them.

        Raises:
            ConfigError: The evaluator is no local model.
            InputError: The script itself could not read it.
        """
        ...


__all__ = ["Evaluator", "Part", "Reading"]
