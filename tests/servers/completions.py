"""The older completions protocol: prompts that come back with their log-probabilities.

Both ways of asking are spoken: ``echo`` with ``logprobs`` (nothing generated), and vLLM's
``prompt_logprobs``. Who reads a prompt, given as text or as token ids, is the test's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class PromptRead(NamedTuple):
    """A prompt's tokens by id and spelling, and the log-probability of each but the first."""

    ids: list[int]
    tokens: list[str]
    logprobs: list[float | None]


PromptReader = Callable[[str | list[int]], PromptRead]


def prompts_in(given: object) -> list[str | list[int]]:
    """The prompts of a request: one or several, as text or as token ids."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list) or not given:
        return []
    if all(isinstance(item, int) for item in given):
        return [given]
    return [item for item in given if isinstance(item, (str, list))]


def completion_of(body: Mapping[str, Any], read: list[PromptRead]) -> object:
    """The body of a good reply."""
    used = sum(len(one.ids) for one in read)
    new = int(body.get("max_tokens", 16))
    return {
        "id": "cmpl-1",
        "object": "text_completion",
        "created": 1700000000,
        "model": body["model"],
        "choices": [_choice(body, index, one) for index, one in enumerate(read)],
        "usage": {
            "prompt_tokens": used,
            "completion_tokens": new * len(read),
            "total_tokens": used + new * len(read),
        },
    }


def _choice(body: Mapping[str, Any], index: int, read: PromptRead) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": index,
        "text": "",
        "finish_reason": "length",
        "logprobs": None,
    }
    if body.get("echo") and body.get("logprobs") is not None:
        choice["text"] = "".join(read.tokens)
        choice["logprobs"] = {
            "tokens": read.tokens,
            "token_logprobs": read.logprobs,
            "top_logprobs": [None] * len(read.tokens),
            "text_offset": [0] * len(read.tokens),
        }
    if body.get("prompt_logprobs") is not None:
        choice["prompt_logprobs"] = [
            None
            if value is None
            else {str(token): {"logprob": value, "rank": 1, "decoded_token": spelling}}
            for token, spelling, value in zip(read.ids, read.tokens, read.logprobs, strict=True)
        ]
    return choice
