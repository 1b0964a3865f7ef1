"""P.D., perspective diversity by perplexity (S4 section 4), three ways and length-controlled.

A language model that has read the answer finds a point of view the more likely the more of it the
answer holds. Lower is better. Values depend on the evaluator, on its chat template and on the
length of the answer: compare under one evaluator, and look at the token counts, which stand in
every explanation. Over rows the figure is the mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from evals import rows
from evals.contract import Direction, Metric, Row, Score, Tools
from modules.perplexity import Reading
from signatures.restatement import RESTATEMENTS

ENDS = (".", "!", "?", ":", ";")


class _Perplexity(Metric):
    """A figure over how likely each partial answer is after the answer."""

    direction: ClassVar[Direction] = "lower"
    fields: ClassVar[tuple[str, ...]] = ("generation", "partial_answers")
    evaluates: ClassVar[bool] = True

    restatement: int = Field(default=0, ge=0, lt=len(RESTATEMENTS))

    def score(self, row: Row, tools: Tools) -> Score:
        answer, wanted = rows.text(row), rows.partial_answers(row)
        evaluator = tools.evaluate()
        read = self.given(answer, tools)
        prompt = f"{read} {RESTATEMENTS[self.restatement]}"
        found = evaluator.read(prompt, [joined(p.point_of_view, p.explanation) for p in wanted])
        value, said = self.combined(found)
        means = [part.mean for part in found.parts]
        said = f'{said}; the least likely: "{wanted[means.index(max(means))].point_of_view}"'
        return Score(value=value, explanation=f"{said}; {lengths(answer, read, found, tools)}")

    def given(self, answer: str, tools: Tools) -> str:
        """What of the answer the evaluator is given."""
        return answer

    def combined(self, read: Reading) -> tuple[float, str]:
        """The figure over the partial answers, and how it came about."""
        raise NotImplementedError


class PdPaper(_Perplexity):
    """The sum of the partial answers' perplexities (S4 Equation 1).

    Attributes:
        restatement: What the answer is followed by: 0 is the paper's "Please restate.", 1 to 5
            are others for the study of its stability.
    """

    name: ClassVar[str] = "pd_paper"
    range: ClassVar[tuple[float, float]] = (1.0, math.inf)

    def combined(self, read: Reading) -> tuple[float, str]:
        values = [math.exp(part.mean) for part in read.parts]
        return math.fsum(values), f"perplexities {_listed(values)}"


class PdLog(_Perplexity):
    """The sum of the logarithms of the perplexities, which no single one can drown.

    The paper's own example implies it (section 4): a change of -2 over three partial answers is
    e^(2/3) = 1.95 times the probability of a token's worth of text.
    """

    name: ClassVar[str] = "pd_log"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def combined(self, read: Reading) -> tuple[float, str]:
        values = [part.mean for part in read.parts]
        return math.fsum(values), f"log perplexities {_listed(values)}"


class PdLengthControlled(PdLog):
    """``pd_log`` with at most ``answer_tokens`` tokens of each answer: its beginning.

    Longer answers then have no more to say it in than others. A shorter answer is given whole.

    Attributes:
        answer_tokens: The tokens of an answer that count, by the evaluator's tokenizer.
    """

    name: ClassVar[str] = "pd_length_controlled"
    answer_tokens: int = Field(default=200, ge=1)

    def given(self, answer: str, tools: Tools) -> str:
        return tools.evaluate().head(answer, self.answer_tokens)


class PdReleased(Metric):
    """The figure of DebateQA's released script, faults included: to compare with its figures alone.

    The mean, not the sum, over a row's partial answers (:mod:`modules.perplexity.released`).
    """

    name: ClassVar[str] = "pd_released"
    range: ClassVar[tuple[float, float]] = (1.0, math.inf)
    direction: ClassVar[Direction] = "lower"
    fields: ClassVar[tuple[str, ...]] = ("generation", "partial_answers")
    evaluates: ClassVar[bool] = True

    def score(self, row: Row, tools: Tools) -> Score:
        answer, wanted = rows.text(row), rows.partial_answers(row)
        evaluator = tools.evaluate()
        texts = [f"{p.point_of_view}. {p.explanation}" for p in wanted]
        values = evaluator.released(answer, texts)
        tokens = evaluator.count(answer)
        counts = ", ".join(str(evaluator.count(text)) for text in texts)
        said = (
            f"the script's perplexities {_listed(values)}; answer {tokens} tokens, "
            f"partial answers {counts}; {evaluator.name}"
        )
        return Score(value=math.fsum(values) / len(values), explanation=said)


def joined(point: str, explanation: str) -> str:
    """A partial answer as one text: its point of view, ended by a full stop, and explanation."""
    head = point.strip()
    return f"{head if head.endswith(ENDS) else head + '.'} {explanation.strip()}".strip()


def lengths(answer: str, read: str, found: Reading, tools: Tools) -> str:
    """Tokens of the answer and of each partial answer, and who read them."""
    evaluator = tools.evaluate()
    whole = evaluator.count(answer)
    if whole is None:
        told = f"prompt {found.prefix_tokens} tokens"
    elif read == answer:
        told = f"answer {whole} tokens, prompt {found.prefix_tokens}"
    else:
        told = f"answer {evaluator.count(read)} of {whole} tokens, prompt {found.prefix_tokens}"
    parts = ", ".join(str(part.tokens) for part in found.parts)
    return f"{told}, partial answers {parts}; {evaluator.name}, {found.template} template"


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


__all__ = ["PdLengthControlled", "PdLog", "PdPaper", "PdReleased", "joined"]
