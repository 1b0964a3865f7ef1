"""What a request asks for: the output fields of a response schema or a DSPy prompt."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from .messages import LMRequest, Schema

_CHAT_MARK = "Respond with the corresponding output fields, starting with the field "
_JSON_MARK = "Respond with a JSON object in the following order of fields: "
_STRUCTURE = "All interactions will be structured in the following way"
_JSON_STRUCTURE = "Outputs will be a JSON object with the following fields."
_OBJECTIVE = "In adhering to this structure, your objective is:"
_OUTPUTS = "Your output fields are:"
_NOTE = "# note: the value you produce "
_CHAT_NAME = re.compile(r"`\[\[ ## (\w+) ## \]\]`")
_JSON_NAME = re.compile(r"(?:^|, then )`(\w+)`")
_LISTED_NAME = re.compile(r"^\d+\. `(\w+)` \(", re.MULTILINE)
_CHAT_FIELD = re.compile(r"^\[\[ ## (\w+) ## \]\]\n\{\1\}(.*)$", re.MULTILINE)
_ADHERE = "must adhere to the JSON schema: "
_LITERAL = "must exactly match (no extra characters) one of: "
_ENUM = "must be one of: "


def requested_fields(request: LMRequest) -> dict[str, dict[str, Any] | None]:
    """The output fields that a request asks for, with their schemas where the prompt tells them.

    It reads a response schema, a ChatAdapter prompt and a JSONAdapter prompt, and finds no field
    in a request of another kind.
    """
    if request.response_schema is not None:
        return _schema_fields(request.response_schema)
    tail, in_json = requirement(request)
    if in_json:
        known = _json_structure(request.system)
        names = _JSON_NAME.findall(tail) or list(known)
    else:
        known = _chat_structure(request.system)
        names = [n for n in _CHAT_NAME.findall(tail) if n != "completed"]
    names = names or _listed_outputs(request.system)
    return {name: known.get(name) for name in names}


def _schema_fields(schema: Schema) -> dict[str, dict[str, Any] | None]:
    shared: Schema = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    properties = schema.get("properties", {})
    return {name: {**part, **shared} for name, part in properties.items()}


def requirement(request: LMRequest) -> tuple[str, bool]:
    """The end of the last user message that names the output fields, and whether as JSON."""
    text = request.user
    chat, as_json = text.rfind(_CHAT_MARK), text.rfind(_JSON_MARK)
    if chat < 0 and as_json < 0:
        return "", _JSON_STRUCTURE in request.system
    if as_json > chat:
        return text[as_json + len(_JSON_MARK) :], True
    return text[chat + len(_CHAT_MARK) :], False


def _listed_outputs(system: str) -> list[str]:
    _, found, rest = system.partition(_OUTPUTS)
    return _LISTED_NAME.findall(rest.partition(_STRUCTURE)[0]) if found else []


def _chat_structure(system: str) -> dict[str, Schema | None]:
    section = system.partition(_STRUCTURE)[2].partition(_OBJECTIVE)[0]
    return {name: _noted_schema(rest) for name, rest in _CHAT_FIELD.findall(section)}


def _json_structure(system: str) -> dict[str, Schema | None]:
    rest = system.partition(_JSON_STRUCTURE)[2].lstrip()
    with suppress(ValueError):
        fields, _ = json.JSONDecoder().raw_decode(rest)
        return {str(name): _noted_schema(str(value)) for name, value in fields.items()}
    return {}


def _noted_schema(text: str) -> Schema | None:
    """The schema of a field, from the note that follows it in the prompt."""
    note = text.partition(_NOTE)[2].strip()
    if not note:
        return {"type": "string"}
    simple = {
        "must be True or False": "boolean",
        "must be a single int value": "integer",
        "must be a single float value": "number",
    }
    if note in simple:
        return {"type": simple[note]}
    if note.startswith(_LITERAL):
        return {"enum": note[len(_LITERAL) :].split("; ")}
    if note.startswith(_ENUM):
        return {"enum": _read_all(note[len(_ENUM) :].split("; "))}
    if note.startswith(_ADHERE):
        with suppress(ValueError):
            return dict(json.loads(note[len(_ADHERE) :]))
    return None


def _read_all(texts: list[str]) -> list[object]:
    """The values of an enumeration: numbers where all of them read as numbers."""
    try:
        return [json.loads(text) for text in texts]
    except ValueError:
        return list(texts)
