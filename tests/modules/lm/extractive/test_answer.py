"""What holds for every answer of the extractive engine."""

from __future__ import annotations

import doctest
import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter

import modules.lm.extractive as extractive
from modules.lm.extractive import answer
from signatures import debate, errors, essay, methods, personas

CONTRACT: dict[str, Any] = {
    "CreatePersonas": personas.CreatePersonas,
    "SelectTeam": personas.SelectTeam,
    "TeamTurn": debate.TeamTurn,
    "CriticTurn": debate.CriticTurn,
    "MakePlan": debate.MakePlan,
    "WriteEssay": essay.WriteEssay,
    "WriteOutright": methods.WriteOutright,
    "OutlineEssay": methods.OutlineEssay,
    "OutlineFromPersonas": methods.OutlineFromPersonas,
    "PlannerTurn": methods.PlannerTurn,
    "StateClaim": methods.StateClaim,
    "GiveReasons": methods.GiveReasons,
    "MakeConcession": methods.MakeConcession,
    "ReviewComponent": methods.ReviewComponent,
    "WriteArgument": methods.WriteArgument,
}


@pytest.mark.parametrize("signature", CONTRACT)
def test_answers_fit_the_signature(signature: str, each: Any) -> None:
    fields = CONTRACT[signature].output_fields
    for output in each.outputs[signature]:
        assert set(output) == set(fields)
        assert json.loads(json.dumps(output)) == output
        for name, value in output.items():
            TypeAdapter(fields[name].annotation).validate_python(value)


@pytest.mark.parametrize("signature", CONTRACT)
def test_equal_calls_have_equal_answers(signature: str, each: Any) -> None:
    for inputs, output in zip(each.inputs[signature], each.outputs[signature], strict=True):
        again = answer(signature, json.loads(json.dumps(inputs)), each.seed)
        assert again == output


def test_seeds_differ(run: Callable[..., Any]) -> None:
    essays = {run("refute", seed).essay for seed in range(3)}
    assert len(essays) == 3


def test_it_never_judges(each: Any) -> None:
    assert all(turn["satisfied"] is None for turn in each.outputs["TeamTurn"])
    assert all(turn["persuaded"] is None for turn in each.outputs["CriticTurn"])
    assert all(turn["satisfied"] is None for turn in each.outputs["PlannerTurn"])
    assert all(review["adequate"] is None for review in each.outputs["ReviewComponent"])


def test_unknown_signatures_are_refused() -> None:
    with pytest.raises(errors.BackendError, match="does not answer calls of the kind Judge"):
        answer("Judge", {}, 0)


def test_the_example_in_the_docstring_runs() -> None:
    assert doctest.testmod(extractive).failed == 0
