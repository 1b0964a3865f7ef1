"""What the server is asked and what it gives: requests, replies, refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Schema: TypeAlias = dict[str, Any]
ProtocolName: TypeAlias = Literal["openai", "anthropic"]

SYSTEM_ROLES = ("system", "developer")


@dataclass(frozen=True)
class Reply:
    """One answer of the server, good or bad.

    Without a text, a good reply takes its text from the responder; of a reply with an error
    status, the text is the message of the error body.
    """

    text: str | None = None
    status: int = 200
    retry_after: float | None = None
    delay_s: float | None = None
    hang: bool = False
    drop: bool = False
    truncate: bool = False
    finish_reason: str = "stop"
    usage: tuple[int, int] | None = None
    cached_tokens: int = 0
    error_code: str | None = None


@dataclass(frozen=True)
class LMRequest:
    """One accepted request, in a form that is the same for both protocols."""

    protocol: ProtocolName
    model: str
    messages: list[dict[str, str]]
    response_schema: Schema | None
    body: dict[str, Any]
    index: int
    headers: dict[str, str]

    @property
    def system(self) -> str:
        """The text of all system messages."""
        return "\n\n".join(m["content"] for m in self.messages if m["role"] in SYSTEM_ROLES)

    @property
    def user(self) -> str:
        """The text of the last user message."""
        texts = [m["content"] for m in self.messages if m["role"] == "user"]
        return texts[-1] if texts else ""

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n\n".join(m["content"] for m in self.messages)

    @property
    def json_mode(self) -> bool:
        """Whether the request asks for any JSON object."""
        wanted = self.body.get("response_format")
        return isinstance(wanted, dict) and wanted.get("type") == "json_object"


@dataclass(frozen=True)
class Refusal:
    """One request that the server refused on its own account (401, 404, 400)."""

    status: int
    path: str


Responder: TypeAlias = Callable[[LMRequest], "Reply | str"]
