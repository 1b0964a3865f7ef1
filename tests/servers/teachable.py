"""A synthetic writer that can be taught: it writes better the more its prompt tells it to.

This is no language model and proves nothing about one. It exists to prove machinery: that
optimizers find what can be found, that reflection carries feedback into instructions, and that
feedback which names the fault helps more than a bare score.

Untaught, it cites some of its sentences and speaks for some of those concerned, more or fewer by a
hash of the question. Two lessons make it better, wherever in the prompt they stand, and so does
each demonstration in which every sentence is cited. As a reflector it takes up what feedback names
and knows no lesson by itself; asked to make instructions up, it draws among a few, most of them
useless. Replies depend on the prompt alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .lm import LMRequest, Reply, answer, fill_fields, requested_fields
from .messages import Responder

CITE = "Give every single sentence a citation."
CONCERNED = "Look for everyone who is concerned, and say what each of them would hold."
USELESS = ("Write with confidence.", "Be brief.", "Think step by step.", "Mind your spelling.")
STRICT = "Be strict: give the highest rating to hardly any text."
LESSONS = (CITE, CONCERNED)

TEXTS = {"essay", "answer", "overview", "detailed_answer"}
"""Output fields that are texts."""

SENTENCES = 8
"""Sentences of a text."""

STRING = r'"((?:[^"\\]|\\.)*)"'
PASSAGE = re.compile(rf'"number": ?(\d+), ?"title": ?{STRING}, ?"text": ?{STRING}')


def knowing(views: Mapping[str, Sequence[str]]) -> Responder:
    """A writer that also knows the points of view on some questions: question -> views. Untaught
    it states the first; taught to look for everyone concerned, all of them.
    """

    def respond(request: LMRequest) -> Reply | str:
        fields = requested_fields(request)
        known = views.get(_field(request.user, "question"), ())
        if not known or not TEXTS & set(fields):
            return teachable(request)
        said = known if CONCERNED in request.system else known[:1]
        (name,) = TEXTS & set(fields)
        return answer(request, {name: " ".join([_text(request), *said])})

    return respond


def teachable(request: LMRequest) -> Reply | str:
    """Answer one request by the output fields it asks for."""
    fields = requested_fields(request)
    for name in TEXTS & set(fields):
        return answer(request, {name: _text(request)})
    if "quality" in fields:
        return answer(request, _rating(request))
    if "revised" in fields:
        return answer(request, {"revised": _revised(request)})
    if "proposed_instruction" in fields:
        return answer(request, _proposed(request, set(fields)))
    if "module_advice" in fields:
        return answer(request, _advice(request))
    return fill_fields(request)


def lessons(request: LMRequest) -> int:
    """How much the prompt teaches, from 0 to 4."""
    known = sum(lesson in request.system for lesson in LESSONS)
    shown = sum(_cited(m["content"]) for m in request.messages if m["role"] == "assistant")
    return min(known * 2 + shown, 4)


def _text(request: LMRequest) -> str:
    """Sentences of the passages, word for word, so many of them with their citation."""
    found = [(int(n), json.loads(f'"{text}"')) for n, _, text in PASSAGE.findall(request.user)]
    drawn = 1 + _hash(request.user) % 4
    cited = min(drawn + 2 * lessons(request), SENTENCES)
    sentences = []
    for place, (number, text) in enumerate(found[:SENTENCES]):
        first = re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0].rstrip(".!? ")
        sentences.append(f"{first} [{number}]." if place < cited else f"{first}.")
    return " ".join(sentences) or "Nothing is known of this [1]."


def _revised(request: LMRequest) -> str:
    """The instruction, and the lessons that the feedback asks for; none, and it guesses."""
    instruction = _field(request.user, "instruction")
    learnt = []
    if "without a citation" in request.user and CITE not in instruction:
        learnt.append(CITE)
    if re.search(r"\bmissing: ", request.user) and CONCERNED not in instruction:
        learnt.append(CONCERNED)
    if "too high" in request.user and STRICT not in instruction:
        learnt.append(STRICT)
    if not learnt:
        learnt.append(USELESS[_hash(request.user) % len(USELESS)])
    return "\n".join([instruction, *learnt])


def _rating(request: LMRequest) -> dict[str, Any]:
    """One star for each exclamation mark of the text, and two too many unless taught better."""
    stars = max(1, min(5, _field(request.user, "essay").count("!")))
    given = stars if STRICT in request.system else min(5, stars + 2)
    return {"explanation": f"It exclaims {stars} times.", "quality": given}


def _proposed(request: LMRequest, fields: set[str]) -> dict[str, Any]:
    """The instruction it was shown with one line more, drawn by the prompt."""
    shown = _field(request.user, "basic_instruction") or _best_attempt(request.user)
    lines = (*USELESS[:2], *LESSONS)
    line = lines[_hash(request.prompt) % len(lines)]
    made = {"proposed_instruction": f"{shown}\n{line}"}
    if "proposed_prefix_for_output_field" in fields:
        made["proposed_prefix_for_output_field"] = "Text:"
    return made


def _advice(request: LMRequest) -> dict[str, Any]:
    names = re.findall(r'"([\w.\[\]]+)"', _field(request.user, "module_names"))
    return {
        "discussion": "The better text cites more of what it says.",
        "module_advice": dict.fromkeys(names, CITE),
    }


def _best_attempt(text: str) -> str:
    found = re.findall(r"Instruction #\d+: (.*?)(?=Prefix #|\Z)", text, re.DOTALL)
    return str(found[-1]).strip(" \n\"',»«]") if found else "Do the task."


def _field(text: str, name: str) -> str:
    """An input field of a chat prompt, or of a JSON one."""
    end = r"(?=\n\[\[ ## |\n\nRespond with|\Z)"
    match = re.search(rf"\[\[ ## {name} ## \]\]\n(.*?){end}", text, re.DOTALL)
    return match[1].strip() if match else ""


def _cited(text: str) -> bool:
    """Whether nearly every sentence of a demonstration carries a marker."""
    sentences = [s for s in re.split(r"(?<=[.!?])\s", text) if len(s.split()) > 3]
    return bool(sentences) and sum("[" in s for s in sentences) >= 0.4 * len(sentences)


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


__all__ = ["CITE", "CONCERNED", "LESSONS", "STRICT", "knowing", "lessons", "teachable"]
