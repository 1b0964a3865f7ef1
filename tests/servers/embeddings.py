"""Embeddings, and how OpenAI's protocol spells them."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from .protocol import tokens

DIMS = 32


def embedding(text: str, dims: int) -> list[float]:
    """A unit vector for a text: equal texts get equal vectors, shared words bring them closer."""
    total = [0.0] * dims
    for word in text.lower().split() or [text]:
        for i, byte in enumerate(hashlib.shake_256(word.encode()).digest(dims)):
            total[i] += byte - 127.5
    norm = math.sqrt(sum(x * x for x in total))
    return [x / norm for x in total] if norm else [1.0] + [0.0] * (dims - 1)


def inputs(given: object) -> list[str]:
    """The texts to embed; lists of token numbers are embedded as their spelling."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list):
        return []
    if all(isinstance(item, int) for item in given):
        return [json.dumps(given)] if given else []
    return [item if isinstance(item, str) else json.dumps(item) for item in given]


def body_of(body: Mapping[str, Any], texts: Sequence[str]) -> object:
    """The body of a good reply."""
    wanted = body.get("dimensions")
    dims = wanted if isinstance(wanted, int) and wanted > 0 else DIMS
    packed = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": i, "embedding": _vector(embedding(text, dims), packed)}
        for i, text in enumerate(texts)
    ]
    used = sum(tokens(text) for text in texts)
    usage = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def _vector(values: list[float], packed: bool) -> str | list[float]:
    if not packed:
        return values
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode("ascii")
