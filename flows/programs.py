"""Compiled programs in every flow: ``program=champion``, a path, or ``models:/NAME/VERSION``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evals.optimizing.compiled import Compiled, apply, read
from flows.config import FlowConfig
from flows.registry import ALIAS, champion_file, model_name
from signatures.errors import ConfigError, InputError

SCHEME = "models:/"


def tuned(program: Any, settings: FlowConfig, target: str, method: str) -> Any:
    """The program with the compiled prompts that ``settings.program`` names, if it names any.

    Args:
        program: As the method made it, before models are bound.
        settings: The flow's configuration.
        target: What kind of program it is (``answer``, ``essay`` ...).
        method: Its method.

    Raises:
        InputError: There is no such program.
        ConfigError: It was made for another method, or its signatures have changed since.
    """
    spec: str | None = getattr(settings, "program", None)
    if spec is None:
        return program
    found = compiled_of(spec, settings, target, method)
    if (found.target, found.method) != (target, method):
        raise ConfigError(
            f"the program {spec} was tuned for {found.target}/{found.method}",
            expected=f"one for {target}/{method}",
            remedy=f"choose it with method={found.method}, or tune one for {method}",
        )
    return apply(found, program, source=spec)


def compiled_of(spec: str, settings: FlowConfig, target: str, method: str) -> Compiled:
    """The compiled program that a word names: ``champion``, a path, or ``models:/...``.

    Raises:
        InputError: There is no such program.
        ConfigError: It is in the registry, and ``tracking=none`` has none.
    """
    if spec != ALIAS and not spec.startswith(SCHEME):
        path = Path(spec)
        return read(path / "program.json" if path.is_dir() else path)
    name, version = model_name(target, method), ALIAS
    if spec.startswith(SCHEME):
        name, version = _registered(spec)
    return read(
        champion_file(settings.tracking.uri, name, version, settings.paths.cache / "programs")
    )


def _registered(spec: str) -> tuple[str, str]:
    """``models:/name/3`` or ``models:/name@alias`` as a name and a version or alias."""
    rest = spec.removeprefix(SCHEME)
    for mark in ("@", "/"):
        name, found, version = rest.partition(mark)
        if found and name and version:
            return name, version
    raise InputError(
        f"{spec!r} names no registered program",
        expected="models:/NAME/VERSION or models:/NAME@ALIAS",
        remedy="see moot champion",
    )


__all__ = ["compiled_of", "tuned"]
