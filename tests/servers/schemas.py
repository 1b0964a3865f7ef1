"""Instances of JSON schemas."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .chance import number, words
from .messages import Schema
from .strings import FORMATS, matching

_DEEP = 8


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
            return matching(str(schema["pattern"]), seed)
        if schema.get("format") in FORMATS:
            return FORMATS[schema["format"]](seed)
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
        return low + number(self._seed(path), min(high - low + 1, 10))

    def _float(self, schema: Schema, path: str, depth: int) -> object:
        low, high = _float_bounds(schema)
        step = schema.get("multipleOf")
        if step:
            value = step * math.ceil(low / step)
            return value + step if value == schema.get("exclusiveMinimum") else value
        part = (5 + number(self._seed(path), 91)) / 100
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
