"""An LM whose answers a test writes down, reached the way every backend is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, Usage

from modules.lm.adapter import JSONBlockAdapter

Answers = Callable[[str, dict[str, Any]], dict[str, Any]]


class FakeEngine:
    """Answers by calling ``answers(signature, inputs)``, and remembers what it was asked."""

    def __init__(self, answers: Answers) -> None:
        self.adapter = JSONBlockAdapter()
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._answers = answers

    def complete(self, request: Request) -> Response:
        block = json.loads(request.messages[-1].text or "")
        self.asked.append((block["signature"], block["inputs"]))
        text = json.dumps(self._answers(block["signature"], block["inputs"]))
        return Response(
            id=None,
            model=request.model,
            message=Message.assistant([TextPart(text)]),
            finish_reason="stop",
            usage=Usage(input_tokens=1, output_tokens=1),
        )

    def stream(self, request: Request) -> Iterator[Any]:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is held open."""


def fake_lm(answers: Answers) -> dspy.LM:
    """An uncached LM over a :class:`FakeEngine`, which is ``lm.engine``."""
    return dspy.LM("fake/fake", engine=FakeEngine(answers), cache=False, num_retries=0)
