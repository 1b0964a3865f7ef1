"""Types, errors, schemas and prompts hold together."""

from __future__ import annotations

import json
import pickle

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from signatures import ROLE_NAMES, ROLES, catalogue, errors
from signatures.results import RESULTS
from signatures.schemas import folder, rendered
from signatures.types import Persona, Usage


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_the_shipped_schema_is_the_types(name: str) -> None:
    shipped = (folder() / f"{name}.json").read_text(encoding="utf-8")
    assert shipped == rendered(name), "run: python -m signatures.schemas"
    Draft202012Validator.check_schema(json.loads(shipped))


def test_unknown_keys_are_refused_and_values_frozen() -> None:
    persona = Persona(id="p1", title="t", description="d", claim="c", emoji="🙂", stance="for")
    with pytest.raises(ValidationError):
        persona.title = "other"
    with pytest.raises(ValidationError):
        Persona.model_validate({**persona.model_dump(), "extra": 1})


def test_usage_adds_up_and_unknown_money_stays_unknown() -> None:
    total = Usage(calls=1, usd=0.5) + Usage(calls=2, input_tokens=3, usd=0.25)
    assert (total.calls, total.input_tokens, total.usd) == (3, 3, 0.75)
    assert (total + Usage(usd=None)).usd is None


@pytest.mark.parametrize("name", errors.__all__)
def test_an_error_says_all_it_knows_and_survives_a_process(name: str) -> None:
    kind = getattr(errors, name)
    error = kind("what failed", expected="this", got="that", remedy="do so")
    assert error.line() == "what failed; expected this; got that; do so"
    assert error.as_json() == {
        "type": name, "message": "what failed; expected this; got that", "remedy": "do so",
    }  # fmt: skip
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes, as Prefect ships them
    assert (type(again), again.line()) == (kind, error.line())


def test_exit_codes() -> None:
    assert {e: getattr(errors, e).exit_code for e in errors.__all__} == {
        "BackendError": 2, "BudgetReached": 3, "ConfigError": 2, "EvidenceError": 2,
        "GateNotPassed": 4,
        "IncompleteError": 1, "InputError": 2, "MootError": 1, "OutageError": 2,
        "ReplyError": 1, "StorageError": 1, "TooManyFailures": 1, "UsageError": 2,
    }  # fmt: skip


def test_every_signature_has_a_role_and_a_prompt() -> None:
    assert {s.__name__ for s in catalogue()} == set(ROLES)
    assert set(ROLES.values()) <= set(ROLE_NAMES)
    for signature in catalogue():
        assert len(signature.instructions.split()) > 30
        for name, field in signature.fields.items():
            assert field.json_schema_extra["desc"] != f"${{{name}}}", (signature, name)


def test_every_signature_treats_passages_as_material() -> None:
    for signature in catalogue():
        material = {"evidence", "background", "transcript", "candidates"}
        if material & set(signature.input_fields):
            assert "instructions" in signature.instructions, signature
