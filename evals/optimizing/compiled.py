"""Compiled programs as JSON: what tuning changed, and a fingerprint of what it was changed in.

A program's state is its predictors' instructions and demonstrations. Models, keys and addresses
are no part of it, so a program tuned on one backend runs on another. The fields of each signature
(name, direction, type, description) are kept beside it: a program whose signatures have changed
since is refused with the differing field named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dspy
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from modules.lm.adapter import signature_name
from signatures import ROLES
from signatures.errors import ConfigError, InputError
from signatures.types import Record

FORMAT = 1


class FieldShape(Record):
    """A signature's field: ``kind`` is input or output, ``type`` a hash of its JSON Schema."""

    kind: str
    type: str
    desc: str


class PredictorState(Record):
    """What tuning can change of one predictor; demonstrations are JSON objects by field."""

    instructions: str
    demos: list[dict[str, Any]] = Field(default_factory=list)


class Compiled(Record):
    """A compiled program.

    Attributes:
        target: What was tuned (``answer``, ``essay`` ...).
        method: Which of the target's methods.
        signatures: For each predictor the shape of its fields.
        hash: Of ``signatures``.
        program: For each predictor its state.
        agreement: A judge's kappa with held-out labels, before and after tuning.
    """

    format: int = FORMAT
    target: str
    method: str
    hash: str
    signatures: dict[str, dict[str, FieldShape]]
    program: dict[str, PredictorState]
    agreement: dict[str, float | None] = Field(default_factory=dict)

    def digest(self) -> str:
        """A short hash of the prompts: equal programs have equal digests."""
        return state_digest(self.program)

    def text(self) -> str:
        """The JSON that is written to a file: byte-stable."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"


def compiled(program: Any, target: str, method: str) -> Compiled:
    """The program's state with its fingerprint."""
    shapes = shapes_of(program)
    return Compiled(
        target=target,
        method=method,
        hash=_hashed(to_jsonable_python(shapes)),
        signatures=shapes,
        program=state_of(program),
    )


def state_of(program: Any) -> dict[str, PredictorState]:
    """Predictor name -> its state, as JSON."""
    return {
        name: PredictorState(
            instructions=predictor.signature.instructions,
            demos=[_demo(demo) for demo in predictor.demos],
        )
        for name, predictor in _told(program)
    }


def shapes_of(program: Any) -> dict[str, dict[str, FieldShape]]:
    """Predictor name -> the shape of its signature's fields."""
    return {name: _shape(predictor.signature) for name, predictor in _told(program)}


def _told(program: Any) -> list[tuple[str, Any]]:
    """The predictors a compiled program tells of, by name: of what writes, not its judges."""
    found = sorted(program.named_predictors())
    writing = [(n, p) for n, p in found if ROLES.get(signature_name(p.signature)) != "judge"]
    return writing or found


def state_digest(state: Mapping[str, PredictorState]) -> str:
    """A short hash of a state."""
    return _hashed(to_jsonable_python(dict(state)))


def apply(found: Compiled, program: Any, *, source: str) -> Any:
    """Give ``program`` the compiled prompts; returns it.

    Raises:
        ConfigError: It has other predictors, or a signature's fields differ; the first is named.
    """
    problem = _difference(found.signatures, shapes_of(program))
    if problem is not None:
        raise ConfigError(
            f"the program {source} does not fit {found.target}/{found.method} as it is now",
            got=problem,
            remedy=f"tune it anew: moot optimize target={found.target}",
        )
    restore(found.program, program)
    return program


def restore(state: Mapping[str, PredictorState], program: Any) -> Any:
    """Give ``program`` the prompts of ``state``, unchecked; returns it."""
    for name, predictor in program.named_predictors():
        if name in state:
            kept = state[name]
            if predictor.signature.instructions != kept.instructions:
                predictor.signature = predictor.signature.with_instructions(kept.instructions)
            predictor.demos = [dspy.Example(**demo) for demo in kept.demos]
    return program


def read(path: Path) -> Compiled:
    """A compiled program from a file.

    Raises:
        InputError: There is none, or it cannot be read.
    """
    try:
        return Compiled.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise InputError(
            f"{path} is no compiled program",
            expected="the program.json of an optimization",
            got=type(error).__name__,
        ) from error


def _difference(
    then: Mapping[str, Mapping[str, FieldShape]], now: Mapping[str, Mapping[str, FieldShape]]
) -> str | None:
    """The first thing that differs, in words."""
    for name in sorted(set(then) | set(now)):
        if name not in now:
            return f"the predictor {name} is no longer there"
        if name not in then:
            return f"the predictor {name} is new"
        for field in sorted(set(then[name]) | set(now[name])):
            old, new = then[name].get(field), now[name].get(field)
            if old == new:
                continue
            if new is None:
                return f"{name}: the field {field!r} is no longer there"
            if old is None:
                return f"{name}: the field {field!r} is new"
            what = next(k for k in ("kind", "type", "desc") if getattr(old, k) != getattr(new, k))
            said = {"kind": "direction", "type": "type", "desc": "description"}[what]
            return f"{name}: the field {field!r} has another {said}"
    return None


def _shape(signature: Any) -> dict[str, FieldShape]:
    return {
        name: FieldShape(
            kind=field.json_schema_extra["__dspy_field_type"],
            type=_typed(field.annotation),
            desc=str(field.json_schema_extra.get("desc") or ""),
        )
        for name, field in signature.fields.items()
    }


def _typed(annotation: Any) -> str:
    """A hash of the type's JSON Schema: it changes when a field of a nested type does."""
    try:
        schema = TypeAdapter(annotation).json_schema()
    except Exception:  # a type pydantic has no schema for is told by its name
        return str(annotation)
    return _hashed(schema)


def _demo(demo: Any) -> dict[str, Any]:
    plain = demo.toDict() if hasattr(demo, "toDict") else dict(demo)
    return dict(to_jsonable_python(plain, fallback=str))


def _hashed(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


__all__ = [
    "Compiled",
    "FieldShape",
    "PredictorState",
    "apply",
    "compiled",
    "read",
    "restore",
    "shapes_of",
    "state_digest",
    "state_of",
]
