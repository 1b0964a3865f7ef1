"""The perspective of a query by its grammar: what a request says before or after its subject."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

_ASKS = re.compile(
    r"^(?:please\s+)?(?:find|search for|look for|get|show|give|fetch|retrieve)\s+(?:me\s+)?",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\s+(?:on|about)\s+(?:the\s+)?(?:topic|subject|question)\b|\s+and\s+(?:has|is)?\s*(?:the\s+)?"
    r"(?:same|similar)\b",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"\b(?:from\s+(?:the\s+)?[\w-]+(?:[\s-]wing)?\s+(?:media|press|point of view|perspective|view|"
    r"side)|that\s+(?:supports?|opposes?|refutes?|undermines?|is neutral)|(?:in\s+favou?r\s+of|"
    r"against|supporting|opposing|refuting))\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r".*\s((?:in|from|during|before|after|since|outside|without|according to)\s+[^?.,:]+)[?.]?$",
    re.IGNORECASE,
)
_HEAD = 24
"""Words before a colon up to which they are a request; more are a sentence of the subject."""


def find_perspective(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """What is asked for before a colon; else words of a side; else a question's last adjunct."""
    query = str(inputs["query"]["text"])
    head, colon, rest = query.partition(":")
    if colon and rest.strip() and len(head.split()) <= _HEAD:
        wanted = _ASKS.sub("", head)
        cut = _ABOUT.search(wanted)
        return {"perspective": (wanted[: cut.start()] if cut else wanted).strip()}
    found = _SIDE.search(query) or _WHERE.search(query)
    if found is None:
        return {"perspective": None}
    return {"perspective": found.group(found.lastindex or 0).strip()}
