"""Prompts as a dimension of an evaluation: other instructions for a method's own signatures.

A prompt is a YAML file, the name of a signature -> its instructions: a method asks with its own
wording wherever the file says nothing. Or it is a compiled program (``champion``, ``models:/...``,
a ``program.json`` or its folder), with instructions and demonstrations. ``null`` is the method as
it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from flows.config import FlowConfig
from flows.programs import SCHEME, compiled_of
from flows.registry import ALIAS
from modules.lm.adapter import signature_name
from signatures.errors import ConfigError, InputError

Instructions = Mapping[str, str]
"""The name of a signature -> what it is asked."""

Prompt = Instructions | str | None
"""Instructions, what names a compiled program, or nothing."""


def prompts_of(named: Mapping[str, str | None]) -> dict[str, Prompt]:
    """The prompts by name.

    Raises:
        InputError: A file cannot be read as one.
    """
    return {
        name: spec if spec is None or _compiled(spec) else _read(Path(spec))
        for name, spec in named.items()
    }


def applied(
    program: Any, prompt: Prompt, settings: FlowConfig, *, name: str, target: str, method: str
) -> Any:
    """The program with the prompt's instructions in its predictors.

    Args:
        program: As the method made it, before models are bound.
        prompt: The prompt.
        settings: The flow's configuration, which knows where programs are registered.
        name: The prompt's name.
        target: What the method writes.
        method: The method's own name.

    Raises:
        ConfigError: The prompt does not fit what the program asks.
        InputError: There is no such compiled program.
    """
    if prompt is None:
        return program
    if isinstance(prompt, str):
        from evals.optimizing.compiled import apply

        found = compiled_of(prompt, settings, target, method)
        if (found.target, found.method) != (target, method):
            raise ConfigError(
                f"the prompt {name} was tuned for {found.target}/{found.method}",
                expected=f"one for {target}/{method}",
            )
        return apply(found, program, source=prompt)
    known = set()
    for _, predictor in program.named_predictors():
        asked = signature_name(predictor.signature)
        known.add(asked)
        if asked in prompt:
            predictor.signature = predictor.signature.with_instructions(prompt[asked])
    if not known & set(prompt):
        raise ConfigError(
            f"the prompt {name} fits nothing that {method} asks",
            expected=f"one of {', '.join(sorted(known))}",
            got=", ".join(sorted(prompt)),
        )
    return program


def _compiled(spec: str) -> bool:
    path = Path(spec)
    return spec == ALIAS or spec.startswith(SCHEME) or path.is_dir() or path.suffix == ".json"


def _read(path: Path) -> Instructions:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"the prompt {path} cannot be read", got=type(error).__name__) from error
    fits = isinstance(found, dict) and found
    if not fits or not all(isinstance(v, str) and v.strip() for v in found.values()):
        raise InputError(
            f"the prompt {path} cannot be used",
            expected="a mapping from signature names to instructions",
        )
    return {str(name): text for name, text in found.items()}


__all__ = ["Prompt", "applied", "prompts_of"]
