"""What tuning changed, for people: instructions before and after, and demonstrations."""

from __future__ import annotations

import difflib
import json
import textwrap
from collections.abc import Mapping
from typing import Any

from evals.optimizing.compiled import PredictorState

LONG = 300
"""Characters shown of a demonstration's field."""


def diff(before: Mapping[str, PredictorState], after: Mapping[str, PredictorState]) -> str:
    """The change as Markdown: what stays the same is not shown."""
    parts = [
        _predictor(name, before[name], after[name])
        for name in sorted(after)
        if before[name] != after[name]
    ]
    return "\n\n".join(parts) if parts else "Nothing was changed."


def instructions_diff(
    before: Mapping[str, PredictorState], after: Mapping[str, PredictorState]
) -> str:
    """The change of instructions alone, as a unified diff."""
    lines: list[str] = []
    for name in sorted(after):
        old, new = _wrapped(before[name].instructions), _wrapped(after[name].instructions)
        lines += difflib.unified_diff(old, new, f"{name} before", f"{name} after", lineterm="", n=1)
    return "\n".join(lines)


def _predictor(name: str, before: PredictorState, after: PredictorState) -> str:
    lines = [f"## {name}"]
    if before.instructions == after.instructions:
        lines += ["", "The instruction stays as it was."]
    else:
        lines += ["", "Before:", "", _quoted(before.instructions)]
        lines += ["", "After:", "", _quoted(after.instructions)]
        changed = difflib.unified_diff(
            _wrapped(before.instructions), _wrapped(after.instructions), lineterm="", n=0
        )
        body = "\n".join(line for line in changed if not line.startswith(("---", "+++", "@@")))
        lines += ["", "Line by line:", "", _fenced(body, "diff")]
    if after.demos != before.demos:
        lines += ["", f"Demonstrations: {len(before.demos)} before, {len(after.demos)} after."]
        for number, demo in enumerate(after.demos, start=1):
            shown = {k: _short(v) for k, v in demo.items() if k != "augmented"}
            text = json.dumps(shown, indent=2, ensure_ascii=False)
            lines += ["", f"{number}.", "", _fenced(text, "json")]
    return "\n".join(lines)


def _fenced(text: str, language: str) -> str:
    """A code block that the text cannot close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _wrapped(text: str) -> list[str]:
    return [line for part in text.splitlines() for line in textwrap.wrap(part, 96) or [""]]


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONG:
        return value
    return text[:LONG].rstrip() + f" … ({len(text)} characters)"


__all__ = ["diff", "instructions_diff"]
