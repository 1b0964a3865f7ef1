"""The adapters that write our prompts.

The baseline's sends a signature's inputs as one JSON block: prose prompts have to be parsed back
by an engine that is not an LM, and break on text that looks like their markers. A server's are
DSPy's own, with the part of the prompt that does not change from call to call written once.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import Any

import dspy
from dspy.adapters.utils import parse_value, serialize_for_json
from dspy.utils.exceptions import AdapterParseError

from signatures import catalogue


class JSONBlockAdapter(dspy.Adapter):
    """Formats ``{"signature": name, "inputs": {...}}`` and reads a JSON object back."""

    def format(
        self, signature: Any, demos: list[dict[str, Any]], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        block = {
            "signature": signature_name(signature),
            "inputs": {k: serialize_for_json(v) for k, v in inputs.items()},
        }
        text = json.dumps(block, ensure_ascii=False, sort_keys=True)
        return [
            {"role": "system", "content": signature.instructions},
            {"role": "user", "content": text},
        ]

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        try:
            fields = json.loads(completion)
            return {
                name: parse_value(fields[name], field.annotation)
                for name, field in signature.output_fields.items()
            }
        except (ValueError, KeyError, TypeError) as error:
            raise AdapterParseError(
                adapter_name=type(self).__name__,
                signature=signature,
                lm_response=completion,
                message=str(error),
            ) from error


class ChatAdapter(dspy.ChatAdapter):
    """DSPy's adapter of field markers in prose."""

    def format_system_message(self, signature: Any) -> str:
        return _system(dspy.ChatAdapter, signature)


class JSONAdapter(dspy.JSONAdapter):
    """DSPy's adapter of a JSON object as the reply."""

    def format_system_message(self, signature: Any) -> str:
        return _system(dspy.JSONAdapter, signature)


@lru_cache(maxsize=256)
def _system(kind: Any, signature: Any) -> str:
    """The system message, a function of the signature alone; writing it takes half of a call."""
    return str(kind().format_system_message(signature))


def signature_name(signature: Any) -> str:
    """The name of a signature by its fields: optimizers rebuild the class and lose its name."""
    return _names().get(_shape(signature), str(signature.__name__))


@cache
def _names() -> dict[tuple[frozenset[str], frozenset[str]], str]:
    return {_shape(s): s.__name__ for s in catalogue()}


def _shape(signature: Any) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(signature.input_fields), frozenset(signature.output_fields)


__all__ = ["ChatAdapter", "JSONAdapter", "JSONBlockAdapter", "signature_name"]
