"""An adapter that sends a signature's inputs as one JSON block.

Prose prompts have to be parsed back by an engine that is not an LM, and break on text that looks
like their markers. A JSON block does not.
"""

from __future__ import annotations

import json
from functools import cache
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


def signature_name(signature: Any) -> str:
    """The name of a signature by its fields: optimizers rebuild the class and lose its name."""
    return _names().get(_shape(signature), str(signature.__name__))


@cache
def _names() -> dict[tuple[frozenset[str], frozenset[str]], str]:
    return {_shape(s): s.__name__ for s in catalogue()}


def _shape(signature: Any) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(signature.input_fields), frozenset(signature.output_fields)


__all__ = ["JSONBlockAdapter", "signature_name"]
