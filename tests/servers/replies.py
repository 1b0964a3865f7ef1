"""The texts of replies: given values in the format asked for, or made ones."""

from __future__ import annotations

import json
from collections.abc import Mapping

from .chance import digest, words
from .messages import LMRequest
from .prompts import requested_fields, requirement
from .schemas import instance


def _plain(value: object) -> object:
    """What JSON can hold, from a pydantic model or another value."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _chat_value(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, bool | int | float) else dumped(value)


def chat_reply(fields: Mapping[str, object]) -> str:
    """Output values in the format of DSPy's ChatAdapter."""
    parts = [f"[[ ## {name} ## ]]\n{_chat_value(value)}" for name, value in fields.items()]
    return "\n\n".join([*parts, "[[ ## completed ## ]]\n"])


def answer(request: LMRequest, fields: Mapping[str, object]) -> str:
    """Output values in the format that a request asks for: JSON or ChatAdapter's."""
    as_json = request.response_schema is not None or request.json_mode or requirement(request)[1]
    return dumped(dict(fields)) if as_json else chat_reply(fields)


def fill_fields(request: LMRequest, salt: str = "") -> str:
    """A valid reply to a request, determined by its messages, its schema and the salt."""
    asked = json.dumps([request.messages, request.response_schema, salt], sort_keys=True)
    key = digest(asked).hex()[:16]
    if request.response_schema is not None:
        return dumped(instance(request.response_schema, key))
    fields = requested_fields(request)
    if fields:
        made = {name: instance(part or {}, f"{key}/{name}") for name, part in fields.items()}
        return answer(request, made)
    return dumped({"answer": words(key)}) if request.json_mode else words(key)
