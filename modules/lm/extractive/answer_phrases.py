"""Phrases that hold the sentences of an answer together; none of them asserts a fact.

``{line}`` is the question without its stop.
"""

from __future__ import annotations

from typing import Final

FOUND: Final = (
    "The passages at hand say this to the question.",
    "What the passages at hand say to the question is the following.",
)
ON_ONE_SIDE: Final = (
    "People disagree about this. On one side, these reasons are given.",
    "There is no agreement on this. Some would say yes, for these reasons.",
    "Opinions differ. Those in favour give these reasons.",
)
ON_THE_OTHER: Final = (
    "On the other side, these reasons are given.",
    "Others disagree, for these reasons.",
    "Those who think otherwise point to something else.",
)
DISPUTED: Final = (
    "\u201c{line}\u201d is a question on which people disagree, and the passages at hand speak "
    "for both sides.",
    "People disagree over the question \u201c{line}\u201d, and there are reasons on both sides.",
    "The question \u201c{line}\u201d is disputed: the passages at hand are of two minds.",
)
ONE_VIEW: Final = (
    "The passages at hand take one view on the question \u201c{line}\u201d.",
    "On the question \u201c{line}\u201d the passages at hand do not contradict one another.",
)
IN_FAVOUR: Final = (
    "Those in favour give these reasons.",
    "On the one side, supporters argue as follows.",
    "For it, these reasons are given.",
)
AGAINST: Final = (
    "Those against it answer with reasons of their own.",
    "On the other side, opponents argue as follows.",
    "Against it, these reasons are given.",
)
OPEN: Final = (
    "Which of these reasons weighs more depends on what one values; the passages do not settle it.",
    "The passages leave it open which side has the better case.",
    "Which side is right turns on how these reasons are weighed, and the passages do not decide "
    "that.",
)

__all__ = [name for name in dir() if name.isupper()]
