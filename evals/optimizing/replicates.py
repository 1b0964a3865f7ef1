"""Several texts of one question: the program's replicates, and what metrics say of them together.

A metric that compares texts, such as opinion diversity, has no value for one. A question is then
written ``replicates`` times, each time under rollouts and a seed of its own, as an evaluation does
it; such a metric reads all texts at once, any other each, and its value is their mean.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import dspy
from pydantic_core import to_jsonable_python

from evals.contract import Metric, Tools
from evals.optimizing.objective import Scored
from evals.optimizing.targets import Target
from evals.scoring import parted, scored
from modules.lm.backends import replicate_seed
from modules.lm.roles import SAMPLE
from signatures.results import ScoredItem

Row = dict[str, Any]


def written(target: Target, program: Any, item: Any, replicates: int) -> list[Row]:
    """The rows of an item: one for each replicate, with the tokens it took.

    The steps of all are in the trace as if ``program`` itself had taken them: optimizers look for
    its predictors by identity.

    Args:
        target: Turns items into rows.
        program: Its models are bound.
        item: What is written about.
        replicates: How often.

    Raises:
        MootError: One of them came to nothing: figures over fewer texts are other figures.
    """
    return [_row(target, program, item, number) for number in range(replicates)]


def copied(target: Target, program: Any, number: int = 0) -> Any:
    """A program of the target's with the prompts and models of ``program``, for a replicate."""
    other = target.program()
    mine = dict(program.named_predictors())
    for name, predictor in other.named_predictors():
        predictor.signature = mine[name].signature
        predictor.demos = list(mine[name].demos)
        predictor.lm = _rollout(mine[name].lm, number) if number else mine[name].lm
    return other


def figures(rows: Sequence[Row], field: str, metrics: Mapping[str, Metric], tools: Tools) -> Scored:
    """An item's texts under all metrics.

    A metric's value is its mean over the texts that it does not abstain on; None where it failed
    on one.
    """
    found = {
        name: [
            scored(part, functools.partial(metric.score, row, tools))
            for part, row in parted(metric, rows, field)
        ]
        for name, metric in metrics.items()
    }
    failed = [n for n, items in found.items() if any(one.status == "failed" for one in items)]
    return Scored(
        values={n: None if n in failed else _mean(items) for n, items in found.items()},
        said={name: _said(items) for name, items in found.items()},
        failed=failed,
    )


def _row(target: Target, program: Any, item: Any, number: int) -> Row:
    own = copied(target, program, number) if number else program
    outer = dspy.settings.trace
    with dspy.context(trace=[]):
        try:
            row = target.row(own, item)
        finally:
            steps = dspy.settings.trace
            outer.extend(steps if own is program else _as_if(program, own, steps))
    return {**row, "tokens": sum(_tokens(*step) for step in steps)}


def _as_if(program: Any, own: Any, steps: Sequence[Any]) -> list[Any]:
    """Steps of a copy as steps of the program."""
    mine = dict(program.named_predictors())
    of = {id(predictor): mine[name] for name, predictor in own.named_predictors()}
    return [(of.get(id(step), step), inputs, reply) for step, inputs, reply in steps]


@functools.lru_cache(maxsize=256)
def _rollout(lm: dspy.LM, number: int) -> dspy.LM:
    """The model under the rollout and seed of a replicate, built once."""
    rollout = (lm.kwargs.get("rollout_id") or 0) + SAMPLE * number
    seed = lm.kwargs.get("seed")
    own = {} if seed is None else {"seed": replicate_seed(seed, number)}
    return lm.copy(rollout_id=rollout, **own)


def _mean(items: Sequence[ScoredItem]) -> float | None:
    known = [one.value for one in items if one.value is not None]
    return fmean(known) if known else None


def _said(items: Sequence[ScoredItem]) -> str:
    if len(items) == 1:
        return items[0].explanation
    return "; ".join(f"text {one.id}: {one.explanation}" for one in items if one.explanation)


def _tokens(predictor: Any, inputs: Mapping[str, Any], reply: Any) -> int:
    """Tokens of one call, estimated: a quarter of the characters of prompt and reply."""
    parts = [dict(inputs), dict(reply.items()), *map(dict, predictor.demos)]
    text = json.dumps(to_jsonable_python(parts, fallback=str), ensure_ascii=False)
    return (len(text) + len(predictor.signature.instructions)) // 4


__all__ = ["copied", "figures", "written"]
