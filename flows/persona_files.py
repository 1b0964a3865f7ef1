"""Personas in a file of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from signatures.errors import InputError
from signatures.table import PersonaInput

_PERSONAS: TypeAdapter[list[PersonaInput]] = TypeAdapter(list[PersonaInput])


def with_personas(plain: dict[str, Any]) -> dict[str, Any]:
    """The configuration with its personas read where they are named by a file.

    Raises:
        InputError: The file cannot be read, or holds no list of personas.
    """
    given = plain.get("personas")
    if not isinstance(given, str):
        return plain
    listed = read_personas(Path(given))
    return {**plain, "personas": [p.model_dump(mode="json") for p in listed]}


def read_personas(path: Path) -> list[PersonaInput]:
    """The personas of a JSON file.

    Raises:
        InputError: The file cannot be read, or holds no list of personas.
    """
    try:
        return _PERSONAS.validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read personas={path}", got=error.strerror) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"personas={path} is no list of personas",
            expected='[{"title": ..., "description": ..., "stance": "for"}, ...]',
            got=f"{where}: {first['msg']}".lstrip(": "),
        ) from error


__all__ = ["read_personas", "with_personas"]
