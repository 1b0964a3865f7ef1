"""A responder that plays users, moderators and annotators of discussions.

Its replies are valid and depend on the prompt alone. What it says is not meant to be clever.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from .lm import LMRequest, answer, requested_fields


def forum(request: LMRequest) -> str:
    """Answer one request of the discuss or the annotate flow by the fields it asks for."""
    fields = requested_fields(request)
    if "ratings" in fields:
        return answer(request, _ratings(request))
    if "ban_rounds" in fields:
        return answer(request, _moderation(request))
    if {"action", "text"} <= set(fields):
        return answer(request, {"action": "comment", "text": f"I say {mark(request)} to that."})
    raise AssertionError(f"nobody plays {sorted(fields)}")


def _ratings(request: LMRequest) -> dict[str, Any]:
    names = list(dict.fromkeys(re.findall(r'"criterion": ?"(\w+)"', request.user)))
    number = int(mark(request), 16)
    ratings = [{"criterion": n, "rating": 1 + (number + i) % 5} for i, n in enumerate(names)]
    return {"ratings": ratings}


def _moderation(request: LMRequest) -> dict[str, Any]:
    if int(mark(request), 16) % 2:
        return {"action": "silence", "text": "", "target": None, "ban_rounds": None}
    text = f"Please stay calm, case {mark(request)}."
    return {"action": "reply", "text": text, "target": None, "ban_rounds": None}


def mark(request: LMRequest) -> str:
    """A word of its own for every prompt and seed."""
    told = f"{request.prompt}{request.body.get('seed')}"
    return hashlib.sha256(told.encode()).hexdigest()[:6]
