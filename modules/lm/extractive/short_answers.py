"""A short answer by its form: the number or name that the passages have and the question lacks."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from modules.lm.extractive.wordlists import FUNCTION_WORDS
from modules.lm.extractive.words import stems
from modules.text import sentences

_NUMBER = re.compile(r"\b\d[\d.,:]*(?:\s?%|\s(?:million|billion|thousand|years?|percent))?")
_NAME = re.compile(r"\b[A-Z][\w'-]*(?:\s(?:of|the|de|van|and)?\s?[A-Z][\w'-]*)*")
_COUNTS = re.compile(
    r"^(?:when|how (?:many|much|old|long|far|tall)|what (?:year|age|date)|.*\bage\b)", re.IGNORECASE
)


def answer_shortly(inputs: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """The first fitting name or number of the sentence nearest to the question; else null."""
    question = str(inputs["question"])
    asked, known = set(stems(question)), question.casefold()
    lines = [line for held in inputs["knowledge"] for line in sentences(str(held["text"]))]
    lines.sort(key=lambda line: -len(asked & set(stems(line))))  # equal ones stay in their order
    kinds = (_NUMBER, _NAME) if _COUNTS.match(question) else (_NAME, _NUMBER)
    for line in lines:
        for kind in kinds:
            for match in kind.finditer(line):
                said = match.group().strip(" .,:")
                if said.casefold() not in known and said.casefold() not in FUNCTION_WORDS:
                    return {"answer": said}
    return {"answer": None}
