"""Queries taken apart: the perspective they ask for, and the root left over (S3, section 3.4)."""

from __future__ import annotations

import re
from typing import Any

from modules.lm.ask import Ask
from modules.retrieval.aiming import Aim, asked_side
from modules.stage import Stage
from signatures.judging import WrittenText
from signatures.perspectives import FindPerspective

_JOINTS = re.compile(r"^[\s:,;.\-]+|[\s:,;\-]+$")
"""What is left hanging where words were taken out at an end."""

_REQUEST = re.compile(
    r"^(?:please\s+)?(?:find|search|look|get|show|give|fetch|retrieve)\b\W*$", re.I
)
_LINK = re.compile(r"^(?:[^\s:]+\s+){0,8}[^\s:]+:\s*(?=\S)")
"""Words that only join a request to its subject: "on the topic:", "and similar to this news:"."""


_FEW = 5
"""Words up to which a perspective may leave unsaid what it is a perspective of."""


class PerspectiveExtraction(Stage):
    """Finds a query's perspective among its words.

    Example:
        >>> extract = PerspectiveExtraction()
        >>> with dspy.context(lm=dspy.LM("openai/gpt-4o-mini")):
        ...     aim = extract(query="Find a claim that opposes the argument: museums are free")
        >>> aim.perspective, aim.root
        ('Find a claim that opposes the argument', 'museums are free')
    """

    def __init__(self) -> None:
        super().__init__()
        self.ask = Ask(FindPerspective)

    def forward(self, *, query: str) -> Aim:
        """The query by its parts; without a perspective, ``perspective`` is empty.

        Raises:
            ReplyError: The model's replies stayed unusable.
            BackendError: The backend failed for good.
        """
        reply = self.ask(query=WrittenText(text=query), check=lambda r: _problem(query, r))
        return taken_apart(query, (reply.perspective or "").strip())


def taken_apart(query: str, perspective: str) -> Aim:
    """The query, what is left of it without the perspective, and that.

    The words of a request ("find ...", "... on the topic:") belong to neither. A query that is
    nothing but its perspective is its own root.
    """
    at = query.casefold().find(perspective.casefold())
    if not perspective or at < 0:
        return Aim(query, query, "")
    rest = [query[:at], query[at + len(perspective) :]]
    rest = ["" if _REQUEST.match(rest[0].strip()) else rest[0], _LINK.sub("", rest[1].lstrip(": "))]
    root = " ".join(part for part in (_JOINTS.sub("", each) for each in rest) if part)
    found = query[at : at + len(perspective)]
    # "arguments against" may be left as "against": what was cut out of a query is about arguments.
    side = asked_side(found if len(found.split()) > _FEW else f"argument {found}")
    return Aim(query, root or query, found, side)


def _problem(query: str, reply: Any) -> str | None:
    said = (reply.perspective or "").strip()
    if said.casefold() not in query.casefold():
        return f"the perspective {said!r} is not in the query word for word"
    return None


__all__ = ["PerspectiveExtraction", "taken_apart"]
