"""From a plain configuration node to the object it names, and from its faults to one line."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from signatures.errors import ConfigError, InputError


def built(path: str, node: Any) -> Any:
    """The node with every ``_target_`` below it turned into its object."""
    if isinstance(node, list):
        return [built(f"{path}[{i}]", item) for i, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    values = {k: built(f"{path}.{k}", v) for k, v in node.items() if k != "_target_"}
    if "_target_" not in node:
        return values
    return _object(path, str(node["_target_"]), values)


def _object(path: str, target: str, values: dict[str, Any]) -> Any:
    from hydra.utils import get_object

    try:
        kind = get_object(target)
    except (ImportError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{path}._target_ names nothing that can be imported",
            got=repr(target),
            remedy="give it as package.module.Name, importable from here",
        ) from error
    try:
        return kind(**values)
    except ValidationError as error:
        raise refusal(error, path) from error
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path} does not fit {target}", got=str(error)) from error


def refusal(error: ValidationError, path: str = "") -> ConfigError | InputError:
    first = error.errors()[0]
    where = ".".join([path, *map(str, first["loc"])]).strip(".")
    message = first["msg"].removeprefix("Value error, ")
    if where == "subject":
        return InputError(message, remedy="give the text as the first argument, in quotes")
    if first["type"] == "value_error":
        return ConfigError(f"{where}: {message}" if where else message)
    got = first.get("input")
    shown = None if isinstance(got, (dict, list)) or "input" not in first else repr(got)[:80]
    if first["type"] == "extra_forbidden":
        return ConfigError(f"unknown option {where}", got=shown)
    return ConfigError(f"{where} is not valid", expected=_lower(message), got=shown)


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


__all__ = ["built", "refusal"]
