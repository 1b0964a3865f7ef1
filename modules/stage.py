"""Stages: the named pieces of work a method is made of, and how they are run.

A method calls ``step("name", stage, **inputs)`` for each of its stages. Plain Python uses
:data:`direct`, which just runs them; a flow passes a step of its own that persists each result
under a key made from the stage's identity and its inputs.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, ClassVar, Protocol, get_type_hints

import dspy
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from modules.lm.adapter import signature_name


class Stage(dspy.Module):
    """A piece of work whose result is worth keeping.

    Subclasses define ``forward(**inputs)`` with an annotated return type that pydantic can turn
    into JSON and back, and raise ``version`` when their code changes meaning.
    """

    version: ClassVar[int] = 1

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self.settings = settings

    def identity(self) -> dict[str, Any]:
        """Everything but the inputs that the result depends on, as JSON."""
        return {
            "stage": f"{type(self).__module__}.{type(self).__qualname__}",
            "version": self.version,
            "settings": to_jsonable_python(self.settings),
            "program": [_predictor(p) for _, p in sorted(self.named_predictors())],
        }

    def returns(self) -> TypeAdapter[Any]:
        """The adapter between the result and its JSON."""
        return _returns(type(self).forward)


@functools.cache
def _returns(forward: Callable[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(forward)["return"])


class Pending(Protocol):
    """A stage that has been started."""

    def result(self) -> Any:
        """The stage's value, once it has one; raises what the stage raised."""

    def add_done_callback(self, call: Callable[[Any], None]) -> None:
        """Have ``call`` told, in any thread, that the stage has ended, one way or the other."""


class Step(Protocol):
    """Runs the stages of a method."""

    def __call__(self, name: str, stage: Stage, **inputs: Any) -> Any:
        """Run one stage and return its value."""

    def start(self, name: str, stage: Stage, **inputs: Any) -> Pending:
        """Start a stage that others need not wait for."""


class _Direct:
    """Runs every stage here and now, keeping nothing."""

    def __call__(self, name: str, stage: Stage, **inputs: Any) -> Any:
        return stage(**inputs)

    def start(self, name: str, stage: Stage, **inputs: Any) -> Pending:
        done: Future[Any] = Future()
        done.set_result(stage(**inputs))
        return done


direct: Step = _Direct()
"""The step of plain Python."""


def key(name: str, stage: Stage, inputs: dict[str, Any]) -> str:
    """The key of a stage's result: a hash over its identity and its canonical inputs."""
    content = {"identity": stage.identity(), "inputs": to_jsonable_python(inputs)}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def program_identity(program: Any) -> list[Any]:
    """Everything but the inputs that a program's results depend on, as JSON: its stages' identities
    and its predictors' prompts and models.
    """
    stages = [
        [name, part.identity()]
        for name, part in program.named_sub_modules()
        if isinstance(part, Stage)
    ]
    return [sorted(stages), [[n, _predictor(p)] for n, p in sorted(program.named_predictors())]]


def _predictor(predictor: Any) -> dict[str, Any]:
    """A predictor's prompt, demonstrations and model: what its replies depend on."""
    signature = predictor.signature
    fields = {
        name: [str(field.annotation), field.json_schema_extra.get("desc")]
        for name, field in signature.fields.items()
    }
    lm = predictor.lm or dspy.settings.lm
    settings = {k: v for k, v in getattr(lm, "kwargs", {}).items() if not k.startswith("api_")}
    return {
        "signature": signature_name(signature),
        "instructions": signature.instructions,
        "fields": fields,
        "demos": to_jsonable_python([dict(d) for d in predictor.demos], fallback=str),
        "model": getattr(lm, "model", None),
        "sampling": to_jsonable_python(settings, fallback=str),
    }


__all__ = ["Pending", "Stage", "Step", "direct", "key", "program_identity"]
