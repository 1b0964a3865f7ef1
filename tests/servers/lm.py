"""A local HTTP server that speaks the language-model protocols, for tests.

It answers OpenAI chat completions, Anthropic messages and OpenAI embeddings over real sockets,
with no dependency outside the standard library. By default it reads what a request asks for (a
JSON schema, or the output fields of a DSPy prompt) and answers with valid values made from a hash
of the request, so that a program run against it works and is reproducible. Scripted replies stand
for what goes wrong: rate limits, server errors, hanging, dropped and truncated connections.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import math
import random
import re
import selectors
import socket
import socketserver
import struct
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Literal, Self, TypeAlias

__all__ = [
    "LMRequest",
    "LMServer",
    "Refusal",
    "Reply",
    "Responder",
    "answer",
    "chat_reply",
    "embedding",
    "fill_fields",
    "instance",
    "requested_fields",
    "words",
]

Schema: TypeAlias = dict[str, Any]
ProtocolName: TypeAlias = Literal["openai", "anthropic"]


# What a server gives and receives


@dataclass(frozen=True)
class Reply:
    """One answer of the server, good or bad.

    Without a text, a good reply takes its text from the responder; of a reply with an error
    status, the text is the message of the error body.
    """

    text: str | None = None
    status: int = 200
    retry_after: float | None = None
    delay_s: float | None = None
    hang: bool = False
    drop: bool = False
    truncate: bool = False
    finish_reason: str = "stop"
    usage: tuple[int, int] | None = None
    cached_tokens: int = 0
    error_code: str | None = None


@dataclass(frozen=True)
class LMRequest:
    """One accepted request, in a form that is the same for both protocols."""

    protocol: ProtocolName
    model: str
    messages: list[dict[str, str]]
    response_schema: Schema | None
    body: dict[str, Any]
    index: int
    headers: dict[str, str]

    @property
    def system(self) -> str:
        """The text of all system messages."""
        return "\n\n".join(m["content"] for m in self.messages if m["role"] in _SYSTEM_ROLES)

    @property
    def user(self) -> str:
        """The text of the last user message."""
        texts = [m["content"] for m in self.messages if m["role"] == "user"]
        return texts[-1] if texts else ""

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n\n".join(m["content"] for m in self.messages)

    @property
    def json_mode(self) -> bool:
        """Whether the request asks for any JSON object."""
        wanted = self.body.get("response_format")
        return isinstance(wanted, dict) and wanted.get("type") == "json_object"


@dataclass(frozen=True)
class Refusal:
    """One request that the server refused on its own account (401, 404, 400)."""

    status: int
    path: str
    headers: dict[str, str]


Responder: TypeAlias = Callable[[LMRequest], "Reply | str"]

_SYSTEM_ROLES = ("system", "developer")


# Values made from a hash

_LOREM = (
    "lorem ipsum dolor amet consectetur adipiscing elit tempor incididunt labore magna aliqua "
    "enim minim veniam quis nostrud ullamco laboris nisi aliquip commodo consequat duis aute "
    "irure reprehenderit voluptate velit cillum fugiat nulla pariatur excepteur sint occaecat "
    "cupidatat proident culpa officia deserunt mollit anim laborum sapien vitae massa porta"
)
_WORDS = tuple(_LOREM.split())
_DEEP = 8


def _digest(seed: str) -> bytes:
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()


def _number(seed: str, below: int) -> int:
    return int.from_bytes(_digest(seed)[:8], "big") % below


def words(seed: str) -> str:
    """Six to nine words that depend on the seed alone."""
    digest = _digest(seed)
    count = 6 + digest[0] % 4
    return " ".join(_WORDS[byte % len(_WORDS)] for byte in digest[1 : 1 + count])


def instance(schema: Mapping[str, Any], key: str) -> object:
    """A small valid instance of a JSON schema, determined by the schema and the key."""
    return _Maker(dict(schema), key).make(schema, "$", 0)


class _Maker:
    """Makes instances under one root schema."""

    def __init__(self, root: Schema, key: str) -> None:
        self.root = root
        self.key = key
        self.kinds: dict[str, Callable[[Schema, str, int], object]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._float,
            "boolean": lambda schema, path, depth: True,
            "null": lambda schema, path, depth: None,
        }

    def make(self, schema: object, path: str, depth: int) -> object:
        if schema is False:
            return None
        plain = self._resolved(schema if isinstance(schema, Mapping) else {})
        if "const" in plain:
            return plain["const"]
        if plain.get("enum"):
            values = [value for value in plain["enum"] if value is not None]
            return values[0] if values else None
        options = plain.get("anyOf") or plain.get("oneOf")
        if options:
            rest = {k: v for k, v in plain.items() if k not in ("anyOf", "oneOf", "discriminator")}
            chosen = self._resolved(self._option(options, depth))
            return self.make(_merged(rest, chosen), path, depth + 1)
        return self.kinds[_kind(plain)](plain, path, depth)

    def _seed(self, path: str) -> str:
        return f"{self.key}|{path}"

    def _resolved(self, schema: Mapping[str, Any]) -> Schema:
        """The schema with its reference followed and its `allOf` parts merged."""
        plain = dict(schema)
        for _ in range(32):
            if "$ref" in plain:
                plain = _merged(self._target(str(plain.pop("$ref"))), plain)
            elif plain.get("allOf"):
                for part in plain.pop("allOf"):
                    plain = _merged(plain, self._resolved(part))
            else:
                break
        return plain

    def _target(self, reference: str) -> Schema:
        node: Any = self.root
        for part in reference.removeprefix("#").strip("/").split("/"):
            if part:
                node = node[part.replace("~1", "/").replace("~0", "~")]
        return dict(node)

    def _option(self, options: Sequence[Schema], depth: int) -> Schema:
        """The first option that is not null; deep down, one that ends the recursion."""
        nulls = [option for option in options if option.get("type") == "null"]
        others = [option for option in options if option.get("type") != "null"]
        if depth > _DEEP:
            flat = [option for option in others if "$ref" not in json.dumps(option)]
            return (nulls or flat or others)[0]
        return (others or nulls)[0]

    def _object(self, schema: Schema, path: str, depth: int) -> object:
        properties: Mapping[str, Any] = schema.get("properties", {})
        required = schema.get("required", [])
        made = {
            name: self.make(part, f"{path}.{name}", depth + 1)
            for name, part in properties.items()
            if depth <= _DEEP or name in required
        }
        for name in required:
            if name not in made:
                made[name] = self.make({}, f"{path}.{name}", depth + 1)
        self._add_more(made, schema, path, depth)
        return made

    def _add_more(self, made: dict[str, object], schema: Schema, path: str, depth: int) -> None:
        """Members beyond the named ones, where the schema types or demands them."""
        more = schema.get("additionalProperties")
        typed = isinstance(more, dict) and bool(more) and not made and depth <= _DEEP
        count = max(int(schema.get("minProperties", 0)), 1 if typed else 0)
        names: Schema = {"type": "string", "maxLength": 12, **schema.get("propertyNames", {})}
        attempt = 0
        while len(made) < count and attempt < 64:
            where = f"{path}.*{attempt}"
            name = str(self.make(names, f"{where}name", depth + 1))
            made.setdefault(name, self.make(more if typed else {}, where, depth + 1))
            attempt += 1

    def _array(self, schema: Schema, path: str, depth: int) -> object:
        prefix = schema.get("prefixItems", [])
        made = [self.make(part, f"{path}[{i}]", depth + 1) for i, part in enumerate(prefix)]
        least = int(schema.get("minItems", 0))
        count = least if depth > _DEEP or (prefix and "items" not in schema) else max(least, 2)
        count = min(count, int(schema.get("maxItems", count)))
        items = schema.get("items", {})
        if items is False:
            return made
        for i in range(len(made), count):
            value = self._item(items, f"{path}[{i}]", depth, made, bool(schema.get("uniqueItems")))
            made.append(value)
        return made

    def _item(
        self, items: object, path: str, depth: int, before: list[object], unique: bool
    ) -> object:
        value = self.make(items, path, depth + 1)
        if not unique or value not in before:
            return value
        choices = self._resolved(items).get("enum", []) if isinstance(items, Mapping) else []
        tries = (self.make(items, f"{path}~{i}", depth + 1) for i in range(64))
        return next((v for v in [*choices, *tries] if v not in before), value)

    def _string(self, schema: Schema, path: str, depth: int) -> object:
        seed = self._seed(path)
        if "pattern" in schema:
            return _matching(str(schema["pattern"]), seed)
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]](seed)
        text = words(seed)
        least = int(schema.get("minLength", 0))
        while len(text) < least:
            text = f"{text} {words(text)}"
        most = schema.get("maxLength")
        return text if most is None else text[: int(most)].rstrip().ljust(least, "a")

    def _integer(self, schema: Schema, path: str, depth: int) -> object:
        low, high = _integer_bounds(schema)
        step = schema.get("multipleOf")
        if step:
            return int(step) * math.ceil(low / int(step))
        return low + _number(self._seed(path), min(high - low + 1, 10))

    def _float(self, schema: Schema, path: str, depth: int) -> object:
        low, high = _float_bounds(schema)
        step = schema.get("multipleOf")
        if step:
            value = step * math.ceil(low / step)
            return value + step if value == schema.get("exclusiveMinimum") else value
        part = (5 + _number(self._seed(path), 91)) / 100
        value = low + (high - low) * part
        rounded = round(value, 3)
        return rounded if low < rounded < high else value


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> Schema:
    """Two schemas that both hold, as one."""
    merged = {**first, **second}
    if "properties" in first and "properties" in second:
        merged["properties"] = {**first["properties"], **second["properties"]}
    if "required" in first and "required" in second:
        merged["required"] = [*first["required"], *second["required"]]
    return merged


def _kind(schema: Schema) -> str:
    """The type a schema asks for, where it does not say it too."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    return "number" if "minimum" in schema or "maximum" in schema else "string"


def _integer_bounds(schema: Schema) -> tuple[int, int]:
    lows = [math.ceil(schema["minimum"])] if "minimum" in schema else []
    if "exclusiveMinimum" in schema:
        lows.append(math.floor(schema["exclusiveMinimum"]) + 1)
    highs = [math.floor(schema["maximum"])] if "maximum" in schema else []
    if "exclusiveMaximum" in schema:
        highs.append(math.ceil(schema["exclusiveMaximum"]) - 1)
    high = min(highs, default=None)
    low = max(lows, default=1 if high is None or high >= 1 else high - 9)
    return low, max(low, low + 9 if high is None else high)


def _float_bounds(schema: Schema) -> tuple[float, float]:
    lows = [float(schema[name]) for name in ("minimum", "exclusiveMinimum") if name in schema]
    highs = [float(schema[name]) for name in ("maximum", "exclusiveMaximum") if name in schema]
    high = min(highs, default=None)
    low = max(lows, default=0.0 if high is None or high > 0 else high - 1)
    return low, low + 1 if high is None else high


def _day(seed: str) -> str:
    return f"20{_number(seed, 20) + 10}-0{_number(seed, 9) + 1}-1{_number(seed, 10)}"


def _hex(seed: str, start: int, end: int) -> str:
    return _digest(seed).hex()[start:end]


_FORMATS: dict[str, Callable[[str], str]] = {
    "date": _day,
    "time": lambda seed: f"12:3{_number(seed, 10)}:00Z",
    "date-time": lambda seed: f"{_day(seed)}T12:3{_number(seed, 10)}:00Z",
    "duration": lambda seed: f"P{_number(seed, 28) + 1}D",
    "email": lambda seed: f"{words(seed).split()[0]}{_hex(seed, 0, 6)}@example.com",
    "hostname": lambda seed: f"h{_hex(seed, 0, 8)}.example.com",
    "ipv4": lambda seed: f"192.0.2.{_number(seed, 254) + 1}",
    "ipv6": lambda seed: f"2001:db8::{_hex(seed, 0, 4)}",
    "uri": lambda seed: f"https://example.com/{_hex(seed, 0, 8)}",
    "uuid": lambda seed: (
        f"{_hex(seed, 0, 8)}-{_hex(seed, 8, 12)}-4{_hex(seed, 12, 15)}"
        f"-a{_hex(seed, 15, 18)}-{_hex(seed, 18, 30)}"
    ),
}

_SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,"


def _matching(pattern: str, seed: str) -> str:
    """A string that a regular expression without look-around or back references matches."""
    parser = importlib.import_module("re._parser")
    return _expanded(parser.parse(pattern), random.Random(seed))


def _expanded(nodes: Iterable[Any], rng: random.Random) -> str:
    return "".join(_node(str(name), value, rng) for name, value in nodes)


def _node(name: str, value: Any, rng: random.Random) -> str:
    if name == "LITERAL":
        return chr(value)
    if name == "NOT_LITERAL":
        return rng.choice(_SIGNS.replace(chr(value), ""))
    if name == "ANY":
        return rng.choice(_SIGNS)
    if name == "IN":
        return rng.choice([sign for sign in _SIGNS if _in_set(sign, value)] or [_first(value)])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, nodes = value
        return "".join(_expanded(nodes, rng) for _ in range(min(int(high), max(int(low), 4))))
    if name == "SUBPATTERN":
        return _expanded(value[-1], rng)
    if name == "BRANCH":
        return _expanded(value[1][0], rng)
    return ""


def _in_set(sign: str, parts: Sequence[Any]) -> bool:
    negated = str(parts[0][0]) == "NEGATE"
    return negated != any(_in_part(sign, str(name), value) for name, value in parts)


def _in_part(sign: str, name: str, value: Any) -> bool:
    if name == "LITERAL":
        return bool(ord(sign) == value)
    if name == "RANGE":
        return bool(value[0] <= ord(sign) <= value[1])
    tests = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": _is_word}
    for ending, test in tests.items():
        if name == "CATEGORY" and str(value).endswith(ending):
            return test(sign) != ("_NOT_" in str(value))
    return False


def _is_word(sign: str) -> bool:
    return sign == "_" or sign.isalnum()


def _first(parts: Sequence[Any]) -> str:
    """The first character of a set that holds none of the usual ones."""
    name, value = parts[0]
    return chr(value[0] if str(name) == "RANGE" else value)


# What a DSPy prompt asks for

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
    tail, in_json = _requirement(request)
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


def _requirement(request: LMRequest) -> tuple[str, bool]:
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


# Replies


def _plain(value: object) -> object:
    """What JSON can hold, from a pydantic model or another value."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _chat_value(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, bool | int | float) else _dumped(value)


def chat_reply(fields: Mapping[str, object]) -> str:
    """Output values in the format of DSPy's ChatAdapter."""
    parts = [f"[[ ## {name} ## ]]\n{_chat_value(value)}" for name, value in fields.items()]
    return "\n\n".join([*parts, "[[ ## completed ## ]]\n"])


def answer(request: LMRequest, fields: Mapping[str, object]) -> str:
    """Output values in the format that a request asks for: JSON or ChatAdapter's."""
    as_json = request.response_schema is not None or request.json_mode or _requirement(request)[1]
    return _dumped(dict(fields)) if as_json else chat_reply(fields)


def fill_fields(request: LMRequest, salt: str = "") -> str:
    """A valid reply to a request, determined by its messages, its schema and the salt."""
    asked = json.dumps([request.messages, request.response_schema, salt], sort_keys=True)
    key = _digest(asked).hex()[:16]
    if request.response_schema is not None:
        return _dumped(instance(request.response_schema, key))
    fields = requested_fields(request)
    if fields:
        made = {name: instance(part or {}, f"{key}/{name}") for name, part in fields.items()}
        return answer(request, made)
    return _dumped({"answer": words(key)}) if request.json_mode else words(key)


def embedding(text: str, dims: int) -> list[float]:
    """A unit vector for a text: equal texts get equal vectors, shared words bring them closer."""
    total = [0.0] * dims
    for word in text.lower().split() or [text]:
        for i, byte in enumerate(hashlib.shake_256(word.encode()).digest(dims)):
            total[i] += byte - 127.5
    norm = math.sqrt(sum(x * x for x in total))
    return [x / norm for x in total] if norm else [1.0] + [0.0] * (dims - 1)


def _tokens(text: str) -> int:
    return len(text) // 4 + 1


def _usage(request: LMRequest, reply: Reply, copies: int = 1) -> tuple[int, int]:
    if reply.usage is not None:
        return reply.usage
    return _tokens(request.prompt), _tokens(reply.text or "") * copies


def _pieces(text: str) -> list[str]:
    return [text[i : i + 24] for i in range(0, len(text), 24)]


# The two protocols


@dataclass(frozen=True)
class _Failure:
    status: int
    message: str
    code: str | None = None
    retry_after: float | None = None


def _text_of(content: object) -> str:
    """The text of a message's content, given as a string or as blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (_text_of(b.get("text", b.get("content"))) for b in content if isinstance(b, dict))
    return "\n".join(text for text in texts if text)


def _texts(messages: object) -> list[dict[str, str]]:
    if not isinstance(messages, list):
        return []
    return [
        {"role": str(m.get("role")), "content": _text_of(m.get("content"))}
        for m in messages
        if isinstance(m, dict)
    ]


def _schema_in(body: Mapping[str, Any], *path: str) -> Schema | None:
    node: Any = body
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else None


class _Protocol(ABC):
    """How one protocol spells requests, replies and errors."""

    name: ProtocolName

    @abstractmethod
    def key(self, headers: Mapping[str, str]) -> str | None:
        """The api key that a request brings."""

    @abstractmethod
    def flaw(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
        """What is wrong with a request, if anything."""

    @abstractmethod
    def read(self, body: dict[str, Any], headers: dict[str, str], index: int) -> LMRequest:
        """The request that a body holds."""

    @abstractmethod
    def reply(self, request: LMRequest, reply: Reply) -> object:
        """The body of a good reply."""

    @abstractmethod
    def events(self, request: LMRequest, reply: Reply) -> Iterator[str]:
        """The server-sent events of a good reply."""

    @abstractmethod
    def error(self, failure: _Failure) -> object:
        """The body of an error."""

    @abstractmethod
    def models(self, names: Sequence[str]) -> object:
        """The body of the list of models."""

    @abstractmethod
    def model(self, name: str) -> object:
        """The entry of one model."""


def _bearer(headers: Mapping[str, str]) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key.strip() else None


class _OpenAI(_Protocol):
    name: ProtocolName = "openai"

    def key(self, headers: Mapping[str, str]) -> str | None:
        return _bearer(headers)

    def flaw(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
        return None if _texts(body.get("messages")) else "Missing required parameter: 'messages'."

    def read(self, body: dict[str, Any], headers: dict[str, str], index: int) -> LMRequest:
        return LMRequest(
            protocol="openai",
            model=str(body.get("model")),
            messages=_texts(body["messages"]),
            response_schema=_schema_in(body, "response_format", "json_schema", "schema"),
            body=body,
            index=index,
            headers=headers,
        )

    def reply(self, request: LMRequest, reply: Reply) -> object:
        message = {"role": "assistant", "content": reply.text, "refusal": None}
        return {
            **self._head(request, "chat.completion"),
            "choices": [
                {
                    "index": i,
                    "message": message,
                    "logprobs": None,
                    "finish_reason": reply.finish_reason,
                }
                for i in range(_copies(request))
            ],
            "usage": self._usage(request, reply),
        }

    def events(self, request: LMRequest, reply: Reply) -> Iterator[str]:
        head = self._head(request, "chat.completion.chunk")
        options = request.body.get("stream_options")
        with_usage = isinstance(options, dict) and bool(options.get("include_usage"))
        if with_usage:
            head["usage"] = None
        for index in range(_copies(request)):
            for delta, reason in self._deltas(reply):
                choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
                yield f"data: {_dumped({**head, 'choices': [choice]})}\n\n"
        if with_usage:
            last = {**head, "choices": [], "usage": self._usage(request, reply)}
            yield f"data: {_dumped(last)}\n\n"
        yield "data: [DONE]\n\n"

    def error(self, failure: _Failure) -> object:
        kinds = {429: "requests", 402: "insufficient_quota"}
        kind = "server_error" if failure.status >= 500 else "invalid_request_error"
        codes = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
        error = {
            "message": failure.message,
            "type": kinds.get(failure.status, kind),
            "param": None,
            "code": failure.code or codes.get(failure.status),
        }
        return {"error": error}

    def models(self, names: Sequence[str]) -> object:
        return {"object": "list", "data": [self.model(name) for name in names]}

    def model(self, name: str) -> object:
        return {"id": name, "object": "model", "created": 1700000000, "owned_by": "tests"}

    def _head(self, request: LMRequest, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{request.index}",
            "object": kind,
            "created": int(time.time()),
            "model": request.model,
            "system_fingerprint": None,
        }

    def _deltas(self, reply: Reply) -> Iterator[tuple[dict[str, str], str | None]]:
        yield {"role": "assistant", "content": ""}, None
        for piece in _pieces(reply.text or ""):
            yield {"content": piece}, None
        yield {}, reply.finish_reason

    def _usage(self, request: LMRequest, reply: Reply) -> dict[str, Any]:
        prompt, completion = _usage(request, reply, _copies(request))
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        }


def _copies(request: LMRequest) -> int:
    wanted = request.body.get("n")
    return wanted if isinstance(wanted, int) and wanted > 0 else 1


class _Anthropic(_Protocol):
    name: ProtocolName = "anthropic"
    reasons: ClassVar[dict[str, str]] = {
        "stop": "end_turn",
        "length": "max_tokens",
        "tool_calls": "tool_use",
        "content_filter": "refusal",
    }
    kinds: ClassVar[dict[int, str]] = {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        504: "timeout_error",
        529: "overloaded_error",
    }

    def key(self, headers: Mapping[str, str]) -> str | None:
        return headers.get("x-api-key") or _bearer(headers)

    def flaw(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
        if "anthropic-version" not in headers:
            return "anthropic-version: header is required"
        if not isinstance(body.get("max_tokens"), int):
            return "max_tokens: Field required"
        messages = _texts(body.get("messages"))
        if any(message["role"] in _SYSTEM_ROLES for message in messages):
            return "messages: Unexpected role: the system prompt is a top-level parameter"
        return None if messages else "messages: at least one message is required"

    def read(self, body: dict[str, Any], headers: dict[str, str], index: int) -> LMRequest:
        system = _text_of(body.get("system"))
        first = [{"role": "system", "content": system}] if system else []
        return LMRequest(
            protocol="anthropic",
            model=str(body.get("model")),
            messages=[*first, *_texts(body["messages"])],
            response_schema=_schema_in(body, "output_config", "format", "schema"),
            body=body,
            index=index,
            headers=headers,
        )

    def reply(self, request: LMRequest, reply: Reply) -> object:
        return {
            **self._head(request),
            "content": [{"type": "text", "text": reply.text}],
            "stop_reason": self.reasons.get(reply.finish_reason, reply.finish_reason),
            "stop_sequence": None,
            "usage": self._usage(request, reply),
        }

    def events(self, request: LMRequest, reply: Reply) -> Iterator[str]:
        for event in self._stream(request, reply):
            yield f"event: {event['type']}\ndata: {_dumped(event)}\n\n"

    def error(self, failure: _Failure) -> object:
        default = "api_error" if failure.status >= 500 else "invalid_request_error"
        kind = self.kinds.get(failure.status, default)
        if failure.status != 404:
            kind = failure.code or kind
        return {"type": "error", "error": {"type": kind, "message": failure.message}}

    def models(self, names: Sequence[str]) -> object:
        return {
            "data": [self.model(name) for name in names],
            "has_more": False,
            "first_id": names[0] if names else None,
            "last_id": names[-1] if names else None,
        }

    def model(self, name: str) -> object:
        day = "2024-01-01T00:00:00Z"
        return {"type": "model", "id": name, "display_name": name, "created_at": day}

    def _head(self, request: LMRequest) -> dict[str, Any]:
        return {
            "id": f"msg_{request.index}",
            "type": "message",
            "role": "assistant",
            "model": request.model,
        }

    def _stream(self, request: LMRequest, reply: Reply) -> Iterator[dict[str, Any]]:
        usage = self._usage(request, reply)
        empty: Schema = {"content": [], "stop_reason": None, "stop_sequence": None}
        begun = {**self._head(request), **empty, "usage": {**usage, "output_tokens": 1}}
        yield {"type": "message_start", "message": begun}
        block = {"type": "text", "text": ""}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "ping"}
        for piece in _pieces(reply.text or ""):
            delta = {"type": "text_delta", "text": piece}
            yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        reason = self.reasons.get(reply.finish_reason, reply.finish_reason)
        ended = {"stop_reason": reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": ended, "usage": usage}
        yield {"type": "message_stop"}

    def _usage(self, request: LMRequest, reply: Reply) -> dict[str, Any]:
        prompt, completion = _usage(request, reply)
        return {
            "input_tokens": prompt - reply.cached_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": reply.cached_tokens,
            "output_tokens": completion,
        }


_OPENAI = _OpenAI()
_ANTHROPIC = _Anthropic()


# The HTTP side


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _HTTPServer
    exchange: _Exchange | None = None

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        self._handle(self._get)

    def do_POST(self) -> None:
        self._handle(self._post)

    def _handle(self, action: Callable[[str], None]) -> None:
        try:
            action(self.path.partition("?")[0].rstrip("/"))
        except ConnectionError:
            self.close_connection = True

    @property
    def _lm(self) -> LMServer:
        return self.server.lm

    def _lower_headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _get(self, path: str) -> None:
        headers = self._lower_headers()
        anthropic = "anthropic-version" in headers or "x-api-key" in headers
        protocol: _Protocol = _ANTHROPIC if anthropic else _OPENAI
        listing = path == "/v1/models"
        name = path.removeprefix("/v1/models/")
        failure = self._wrong_key(protocol, headers)
        if failure is None and not listing:
            failure = _no_route(path) if name == path else self._wrong_model(protocol, name)
        if failure is not None:
            self._refuse(protocol, failure)
        elif listing:
            self._send(200, protocol.models(self._lm.models))
        else:
            self._send(200, protocol.model(name))

    def _post(self, path: str) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path == "/v1/chat/completions":
            self._complete(_OPENAI, raw)
        elif path == "/v1/messages":
            self._complete(_ANTHROPIC, raw)
        elif path == "/v1/embeddings":
            self._embed(raw)
        else:
            self._refuse(_OPENAI, _no_route(path))

    def _complete(self, protocol: _Protocol, raw: bytes) -> None:
        headers = self._lower_headers()
        body = _object_in(raw)
        failure = self._unusable(protocol, body, headers)
        if failure is None and (flaw := protocol.flaw(body or {}, headers)) is not None:
            failure = _Failure(400, flaw)
        if body is None or failure is not None:
            self._refuse(protocol, failure or _Failure(400, "unreadable"))
            return
        self.exchange = self._lm._begin(protocol, body, headers)
        try:
            self._deliver(protocol, self.exchange.request, self.exchange.script)
        finally:
            self.exchange.finish()
            self.exchange = None

    def _deliver(self, protocol: _Protocol, request: LMRequest, script: Reply | None) -> None:
        reply = self._lm._reply(request, script)
        if not self._pause(self._lm.latency_s) or self._failed(protocol, reply):
            return
        if request.body.get("stream"):
            self._send_events(list(protocol.events(request, reply)), reply.truncate)
        else:
            self._send(200, protocol.reply(request, reply), truncate=reply.truncate)

    def _embed(self, raw: bytes) -> None:
        body = _object_in(raw)
        failure = self._unusable(_OPENAI, body, self._lower_headers())
        texts = _embedding_inputs((body or {}).get("input"))
        if failure is None and not texts:
            failure = _Failure(400, "'input' must be a text or a list of texts")
        if body is None or failure is not None:
            self._refuse(_OPENAI, failure or _Failure(400, "unreadable"))
            return
        reply = self._lm._embedded(texts)
        if self._pause(self._lm.latency_s) and not self._failed(_OPENAI, reply):
            made = _embedding_body(body, texts, self._lm.dims)
            self._send(200, made, truncate=reply.truncate)

    # Refusals

    def _unusable(
        self, protocol: _Protocol, body: dict[str, Any] | None, headers: dict[str, str]
    ) -> _Failure | None:
        failure = self._wrong_key(protocol, headers)
        if failure is not None:
            return failure
        if body is None:
            return _Failure(400, "The body of the request is not a JSON object.")
        return self._wrong_model(protocol, str(body.get("model")))

    def _wrong_key(self, protocol: _Protocol, headers: dict[str, str]) -> _Failure | None:
        if self._lm.api_key in (None, protocol.key(headers)):
            return None
        wrong = "Incorrect API key provided." if protocol is _OPENAI else "invalid x-api-key"
        return _Failure(401, wrong)

    def _wrong_model(self, protocol: _Protocol, name: str) -> _Failure | None:
        if name in self._lm.models:
            return None
        long = f"The model `{name}` does not exist or you do not have access to it."
        return _Failure(404, long if protocol is _OPENAI else f"model: {name}", "model_not_found")

    def _refuse(self, protocol: _Protocol, failure: _Failure) -> None:
        self._lm._refused(Refusal(failure.status, self.path, self._lower_headers()))
        self._send_failure(protocol, failure)

    # Sending

    def _failed(self, protocol: _Protocol, reply: Reply) -> bool:
        """Act on a reply that is not a good one; tell whether that was all."""
        if not self._pause(math.inf if reply.hang else reply.delay_s or 0.0):
            return True
        if reply.drop:
            self._hang_up()
        elif reply.status != 200:
            message = reply.text or f"scripted error {reply.status}"
            failure = _Failure(reply.status, message, reply.error_code, reply.retry_after)
            self._send_failure(protocol, failure, truncate=reply.truncate)
        return reply.drop or reply.status != 200

    def _send_failure(
        self, protocol: _Protocol, failure: _Failure, *, truncate: bool = False
    ) -> None:
        extra: dict[str, str] = {}
        if failure.retry_after is not None:
            extra["Retry-After"] = f"{failure.retry_after:g}"
        self._send(failure.status, protocol.error(failure), extra, truncate=truncate)

    def _send(
        self,
        status: int,
        body: object,
        extra: Mapping[str, str] | None = None,
        *,
        truncate: bool = False,
    ) -> None:
        data = _dumped(body).encode()
        self._start(status, {"Content-Type": "application/json", **(extra or {})}, len(data))
        self._mark_end()
        self.wfile.write(data[: len(data) // 2] if truncate else data)
        if truncate:
            self._hang_up()

    def _send_events(self, events: list[str], truncate: bool) -> None:
        kept = events[: len(events) // 2] if truncate else events
        self._start(200, {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}, None)
        for i, event in enumerate(kept):
            if i == len(kept) - 1:
                self._mark_end()
            data = event.encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        if truncate:
            self._hang_up()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _start(self, status: int, headers: Mapping[str, str], length: int | None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        request_id = f"req_{self.exchange.request.index if self.exchange else 'none'}"
        self.send_header("x-request-id", request_id)
        self.send_header("request-id", request_id)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _mark_end(self) -> None:
        if self.exchange is not None:
            self.exchange.finish()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _pause(self, seconds: float) -> bool:
        """Wait; false when the client left or the server closed meanwhile."""
        if seconds > 0 and self._left_within(None if seconds == math.inf else seconds):
            self._hang_up()
            return False
        return True

    def _left_within(self, seconds: float | None) -> bool:
        end = None if seconds is None else time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            ready = selector.select(seconds)
        if not ready:
            return False
        with suppress(OSError):
            if self.connection.recv(1, socket.MSG_PEEK):  # the next request came early
                left = None if end is None else max(0.0, end - time.monotonic())
                return self.server.closing.wait(left)
        return True


def _no_route(path: str) -> _Failure:
    return _Failure(404, f"Invalid URL ({path})", "unknown_url")


def _object_in(raw: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _embedding_inputs(given: object) -> list[str]:
    """The texts to embed; lists of token numbers are embedded as their spelling."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list):
        return []
    if all(isinstance(item, int) for item in given):
        return [json.dumps(given)] if given else []
    return [item if isinstance(item, str) else json.dumps(item) for item in given]


def _embedding_body(body: Mapping[str, Any], texts: Sequence[str], dims: int) -> object:
    wanted = body.get("dimensions")
    dims = wanted if isinstance(wanted, int) and wanted > 0 else dims
    packed = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": i, "embedding": _vector(embedding(text, dims), packed)}
        for i, text in enumerate(texts)
    ]
    used = sum(_tokens(text) for text in texts)
    usage = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def _vector(values: list[float], packed: bool) -> str | list[float]:
    if not packed:
        return values
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode("ascii")


class _HTTPServer(ThreadingHTTPServer):
    """Keeps track of its connections, so that it can end them all."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, lm: LMServer, port: int) -> None:
        self.lm = lm
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking for the name of the host, which can be slow."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.socket.getsockname()[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        thread = threading.Thread(
            target=self.process_request_thread,
            args=(request, client_address),
            name="lm-server-connection",
            daemon=True,
        )
        with self._lock:
            self._open[thread] = request
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection, and forget it when it is over."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open.pop(threading.current_thread(), None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep an error for the test instead of printing it; clients that leave are none."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self.lm._broke(error)

    def end(self) -> None:
        """Stop listening, close every connection and wait for their threads."""
        self.closing.set()
        self.shutdown()
        self.server_close()
        with self._lock:
            left = dict(self._open)
        for connection in left.values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in left:
            thread.join(timeout=5.0)


# The server


@dataclass
class _Log:
    """What a server saw since it was started or cleared."""

    requests: list[LMRequest] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    embedded: list[list[str]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    intervals: dict[int, tuple[float, float]] = field(default_factory=dict)
    active: int = 0
    peak: int = 0


class _Exchange:
    """One request being answered."""

    def __init__(
        self, log: _Log, lock: threading.Lock, request: LMRequest, script: Reply | None
    ) -> None:
        self.request = request
        self.script = script
        self._log, self._lock = log, lock
        self._start = time.monotonic()
        self._finished = False

    def finish(self) -> None:
        """Note the end of the exchange, once."""
        with self._lock:
            if not self._finished:
                self._finished = True
                self._log.active -= 1
                self._log.intervals[self.request.index] = (self._start, time.monotonic())


class _Caught:
    """Keeps an error of a responder, which becomes a reply."""

    error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


class LMServer:
    """A server on a free local port, from entering its context to leaving it."""

    def __init__(
        self,
        responder: Responder | None = None,
        models: Sequence[str] = ("test-model",),
        latency_s: float = 0.0,
        api_key: str | None = None,
        *,
        dims: int = 32,
        port: int = 0,
    ) -> None:
        self.responder: Responder = responder or fill_fields
        self.models = tuple(models)
        self.latency_s = latency_s
        self.api_key = api_key
        self.dims = dims
        self._wanted_port = port
        self._lock = threading.Lock()
        self._log = _Log()
        self._scripted: deque[Reply] = deque()
        self._scripted_embeddings: deque[Reply] = deque()
        self._http: _HTTPServer | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> None:
        """Begin to listen."""
        if self._http is not None:
            raise RuntimeError("the server is running")
        self._http = _HTTPServer(self, self._wanted_port)
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), name="lm-server", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening and end every connection; requests that hang are dropped."""
        if self._http is None or self._thread is None:
            return
        self._http.end()
        self._thread.join(timeout=5.0)
        self._http = self._thread = None

    @property
    def port(self) -> int:
        """The port the server listens on."""
        if self._http is None:
            raise RuntimeError("the server is not running")
        return int(self._http.server_port)

    @property
    def root_url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """The address that clients of both protocols take, ending in `/v1`."""
        return f"{self.root_url}/v1"

    def script(self, *replies: Reply | str) -> None:
        """Queue replies; they are served first, one to each request in the order of arrival."""
        with self._lock:
            self._scripted.extend(_as_reply(reply) for reply in replies)

    def script_embeddings(self, *replies: Reply) -> None:
        """Queue what happens to the next requests for embeddings; the texts are not used."""
        with self._lock:
            self._scripted_embeddings.extend(replies)

    @property
    def unserved(self) -> int:
        """How many scripted replies still wait."""
        with self._lock:
            return len(self._scripted) + len(self._scripted_embeddings)

    @property
    def requests(self) -> list[LMRequest]:
        """The accepted requests, in the order of arrival."""
        with self._lock:
            return list(self._log.requests)

    @property
    def refusals(self) -> list[Refusal]:
        """The requests that the server refused by itself: a wrong key, model, path or body."""
        with self._lock:
            return list(self._log.refusals)

    @property
    def embedded(self) -> list[list[str]]:
        """The texts of each request for embeddings."""
        with self._lock:
            return list(self._log.embedded)

    @property
    def errors(self) -> list[Exception]:
        """What the responder raised; its requests were answered with status 500."""
        with self._lock:
            return list(self._log.errors)

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Start and end (monotonic) of each finished request, in the order of arrival.

        The end is noted just before the last bytes of a reply are sent, so a client that has its
        reply finds it here.
        """
        with self._lock:
            return [times for _, times in sorted(self._log.intervals.items())]

    @property
    def max_concurrent(self) -> int:
        """The most requests that were being answered at the same time."""
        with self._lock:
            return self._log.peak

    def clear(self) -> None:
        """Forget what was seen and scripted; the next request has index 0 again."""
        with self._lock:
            self._log = _Log()
            self._scripted.clear()
            self._scripted_embeddings.clear()

    # For the handler

    def _begin(
        self, protocol: _Protocol, body: dict[str, Any], headers: dict[str, str]
    ) -> _Exchange:
        with self._lock:
            log = self._log
            request = protocol.read(body, headers, len(log.requests))
            log.requests.append(request)
            log.active += 1
            log.peak = max(log.peak, log.active)
            script = self._scripted.popleft() if self._scripted else None
            return _Exchange(log, self._lock, request, script)

    def _reply(self, request: LMRequest, script: Reply | None) -> Reply:
        if script is not None and (script.text is not None or _is_fault(script)):
            return script
        with _Caught() as caught:
            made = _as_reply(self.responder(request))
            if made.text is None and not _is_fault(made):
                made = replace(made, text=fill_fields(request))
        if caught.error is not None:
            self._broke(caught.error)
            return Reply(f"the responder raised {caught.error!r}", status=500)
        return made if script is None or _is_fault(made) else replace(script, text=made.text)

    def _embedded(self, texts: list[str]) -> Reply:
        with self._lock:
            self._log.embedded.append(texts)
            return self._scripted_embeddings.popleft() if self._scripted_embeddings else Reply()

    def _refused(self, refusal: Refusal) -> None:
        with self._lock:
            self._log.refusals.append(refusal)

    def _broke(self, error: Exception) -> None:
        with self._lock:
            self._log.errors.append(error)


def _as_reply(reply: Reply | str) -> Reply:
    return Reply(reply) if isinstance(reply, str) else reply


def _is_fault(reply: Reply) -> bool:
    return reply.hang or reply.drop or reply.status != 200
