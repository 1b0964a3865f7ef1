"""The engine without weights: answers put together from the sentences it is given.

It selects, orders and joins; it never rates or judges, and refuses where there is no evidence.

    >>> nurse = {"id": "p1", "title": "Nurse", "description": "", "claim": "Wards need staff."}
    >>> inputs = {"proposition": "P", "goal": "refute", "team_size": 1, "candidates": [nurse]}
    >>> answer("SelectTeam", inputs, seed=0)["choices"][0]["id"]
    'p1'
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from signatures.errors import BackendError

_ANSWERERS: dict[str, tuple[str, str]] = {
    "CreatePersonas": ("personas", "create_personas"),
    "SelectTeam": ("team", "select_team"),
    "TeamTurn": ("turns", "team_turn"),
    "CriticTurn": ("turns", "critic_turn"),
    "MakePlan": ("plan", "make_plan"),
    "WriteEssay": ("essay", "write_essay"),
}
"""Signature name -> (module, function); modules load on first use to keep this import light."""


def answer(signature: str, inputs: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The output fields of one call as plain JSON, a function of its arguments alone.

    Raises:
        EvidenceError: The inputs hold no usable evidence.
        BackendError: The engine does not answer this signature.
    """
    if signature not in _ANSWERERS:
        raise BackendError(
            f"the extractive baseline does not answer calls of the kind {signature}",
            expected="one of " + ", ".join(_ANSWERERS),
            remedy="choose a real model for this role, such as backend=openai",
        )
    from modules.lm.extractive.chance import stream

    module, function = _ANSWERERS[signature]
    answerer = getattr(import_module(f"{__name__}.{module}"), function)
    result: dict[str, Any] = answerer(inputs, stream(signature, inputs, seed))
    return result


__all__ = ["answer"]
