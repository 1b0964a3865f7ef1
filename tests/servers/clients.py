"""How the tests of the server talk to it."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

import openai
import pydantic

from .lm import LMServer

MODELS = ("test-model", "gpt-4o-mini", "second-model")
QUESTION: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "What is this?"}]},
]


class Part(pydantic.BaseModel):
    name: str
    size: Annotated[int, pydantic.Field(ge=3, le=5)]


class Whole(pydantic.BaseModel):
    kind: Literal["first", "second"]
    parts: Annotated[list[Part], pydantic.Field(min_length=1, max_length=3)]
    share: Annotated[float, pydantic.Field(gt=0, lt=1)]
    note: str | None
    done: bool


def client_of(server: LMServer, **settings: Any) -> openai.OpenAI:
    defaults: dict[str, Any] = {"api_key": "secret", "max_retries": 0, "timeout": 5.0}
    return openai.OpenAI(base_url=server.base_url, **{**defaults, **settings})


def ask(client: openai.OpenAI, **settings: Any) -> Any:
    return client.chat.completions.create(model="test-model", messages=QUESTION, **settings)


def wait_for(condition: Any) -> None:
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()
