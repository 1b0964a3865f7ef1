"""What both language-model protocols have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .messages import LMRequest, Reply, Schema


@dataclass(frozen=True)
class Failure:
    """An error that a client is told."""

    status: int
    message: str
    code: str | None = None
    retry_after: float | None = None


class Protocol(ABC):
    """How one protocol spells requests, replies and errors."""

    wrong_key: str
    wrong_model: str

    @abstractmethod
    def key(self, headers: Mapping[str, str]) -> str | None:
        """The api key that a request brings."""

    @abstractmethod
    def flaw(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
        """What is wrong with a request, if anything."""

    @abstractmethod
    def read(self, body: dict[str, Any], headers: dict[str, str], index: int) -> LMRequest:
        """The request that a body holds."""

    @abstractmethod
    def reply(self, request: LMRequest, reply: Reply) -> object:
        """The body of a good reply."""

    @abstractmethod
    def events(self, request: LMRequest, reply: Reply) -> Iterator[str]:
        """The server-sent events of a good reply."""

    @abstractmethod
    def error(self, failure: Failure) -> object:
        """The body of an error."""

    @abstractmethod
    def models(self, names: Sequence[str]) -> object:
        """The body of the list of models."""

    @abstractmethod
    def model(self, name: str) -> object:
        """The entry of one model."""


def bearer(headers: Mapping[str, str]) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key.strip() else None


def text_of(content: object) -> str:
    """The text of a message's content, given as a string or as blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (text_of(b.get("text", b.get("content"))) for b in content if isinstance(b, dict))
    return "\n".join(text for text in texts if text)


def texts_of(messages: object) -> list[dict[str, str]]:
    if not isinstance(messages, list):
        return []
    return [
        {"role": str(m.get("role")), "content": text_of(m.get("content"))}
        for m in messages
        if isinstance(m, dict)
    ]


def schema_in(body: Mapping[str, Any], *path: str) -> Schema | None:
    node: Any = body
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else None


def tokens(text: str) -> int:
    return len(text) // 4 + 1


def usage_of(request: LMRequest, reply: Reply, copies: int = 1) -> tuple[int, int]:
    if reply.usage is not None:
        return reply.usage
    return tokens(request.prompt), tokens(reply.text or "") * copies


def pieces(text: str) -> list[str]:
    return [text[i : i + 24] for i in range(0, len(text), 24)]
