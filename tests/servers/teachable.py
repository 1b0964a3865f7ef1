"""A synthetic writer that can be taught: it writes better the more its prompt tells it to.

This is no language model and proves nothing about one. It exists to prove machinery: that
optimizers find what can be found, that reflection carries feedback into instructions, and that
feedback which names the fault helps more than a bare score.

Untaught, it cites some of its sentences and speaks for some of those concerned, more or fewer by a
hash of the question. Two lessons make it better, wherever in the prompt they stand, and so does
each demonstration in which every sentence is cited. At a roundtable it repeats what others said
unless taught (or shown turns) to be new, and it searches for an argument by its topic alone unless
taught to name what the argument says. Whatever the seed, its texts on a question are the same
unless taught to differ. As a judge it finds all texts good unless taught to be strict. As a
reflector it takes up what feedback names and knows no lesson by itself; asked to make instructions
up, it draws among a few, most of them useless. Replies depend on the prompt alone, and on the seed
where that is said above.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .debaters import debaters
from .lm import LMRequest, Reply, answer, fill_fields, requested_fields
from .messages import Responder

CITE = "Give every single sentence a citation."
CONCERNED = "Look for everyone who is concerned, and say what each of them would hold."
USELESS = ("Write with confidence.", "Be brief.", "Think step by step.", "Mind your spelling.")
FRESH = "Say what nobody at the table has said yet."
NAMED = "Put the argument's own words into the query."
STRICT = "Be strict: give the highest rating to hardly any text."
APART = "Let each text on a question make points of its own."
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
    if "personas" in fields:
        return debaters(request)
    if "replies_to" in fields:
        return answer(request, _turn(request))
    if "query" in fields:
        return answer(request, {"query": _query(request)})
    if "text" in fields:
        return answer(request, {"text": _cited_argument(request)})
    if "quality" in fields:
        return answer(request, _rating(request))
    if "verdict" in fields or "better" in fields or "judgements" in fields:
        return answer(request, _verdict(request, fields))
    if "ratings" in fields:
        return answer(request, _annotation(request))
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
    if APART in request.system and found:  # each seed has a few of its own
        start = _hash(str(request.body.get("seed"))) % len(found)
        found = [*found[start:], *found[:start]][:2]
    drawn = 1 + _hash(request.user) % 4
    cited = min(drawn + 2 * lessons(request), SENTENCES)
    sentences = []
    for place, (number, text) in enumerate(found[:SENTENCES]):
        first = re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0].rstrip(".!? ")
        sentences.append(f"{first} [{number}]." if place < cited else f"{first}.")
    return " ".join(sentences) or "Nothing is known of this [1]."


def _turn(request: LMRequest) -> dict[str, Any]:
    """Three points out of the passages: the first, or those that were not made yet."""
    heard = _field(request.user, "history")
    found = [_first(json.loads(f'"{text}"')) for _, _, text in PASSAGE.findall(request.user)]
    shown = sum("\n- " in m["content"] for m in request.messages if m["role"] == "assistant")
    fresh = [point for point in found if point not in heard]
    new = min(1 + shown, 3) if FRESH not in request.system else 3
    points = [*fresh[: new - 1], *found, *fresh][:3]
    lines = "\n".join(f"- Point: {point}." for point in points)
    said = re.findall(r'"id": ?"(t\d+)"', heard)
    return {
        "text": f"I have thought about it.\n\n{lines}",
        "replies_to": said[-1] if said else None,
        "relation": "oppose" if said else "none",
    }


def _query(request: LMRequest) -> str:
    """The topic, or the argument's own words."""
    if NAMED not in request.system:
        return _field(request.user, "topic")
    words = re.findall(r"[A-Za-z]{4,}", _argument(request))
    return " ".join(list(dict.fromkeys(words))[:24])


def _cited_argument(request: LMRequest) -> str:
    """The argument, so many of its sentences with a passage that has them word for word."""
    found = [(int(n), json.loads(f'"{text}"')) for n, _, text in PASSAGE.findall(request.user)]
    shown = sum(_cited(m["content"]) for m in request.messages if m["role"] == "assistant")
    most = SENTENCES if CITE in request.system else 1 + _hash(request.user) % 2 + shown
    sentences = []
    for sentence in re.split(r"(?<=[.!?])\s", _argument(request).strip()):
        plain = sentence.rstrip(".!? ")
        number = next((n for n, text in found if plain in " ".join(text.split())), None)
        cites = number is not None and most > 0
        most -= cites
        sentences.append(f"{plain} [{number}]." if cites else f"{plain}.")
    return " ".join(sentences)


def _argument(request: LMRequest) -> str:
    return str(json.loads(_field(request.user, "argument"))["text"])


def _first(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0].rstrip(".!? ")


def _revised(request: LMRequest) -> str:
    """The instruction, and the lessons that the feedback asks for; none, and it guesses."""
    instruction = _field(request.user, "instruction")
    learnt = []
    if "without a citation" in request.user and CITE not in instruction:
        learnt.append(CITE)
    if re.search(r"\b(missing|the least likely): ", request.user) and CONCERNED not in instruction:
        learnt.append(CONCERNED)
    if "too high" in request.user and STRICT not in instruction:
        learnt.append(STRICT)
    if "most alike (" in request.user and APART not in instruction:
        learnt.append(APART)
    if "repeats most" in request.user and FRESH not in instruction:
        learnt.append(FRESH)
    searches = "search query" in instruction
    if searches and "sentences supported; the first without" in request.user:
        learnt += [NAMED] if NAMED not in instruction else []
    if not learnt:
        learnt.append(USELESS[_hash(request.user) % len(USELESS)])
    return "\n".join([instruction, *learnt])


def _rating(request: LMRequest) -> dict[str, Any]:
    """One star for each exclamation mark of the text, and two too many unless taught better."""
    stars = max(1, min(5, _field(request.user, "essay").count("!")))
    given = stars if STRICT in request.system else min(5, stars + 2)
    return {"explanation": f"It exclaims {stars} times.", "quality": given}


def _verdict(request: LMRequest, fields: Collection[str]) -> dict[str, Any]:
    """What exclaims is right; untaught, all that is judged is, and the first of two is better."""
    strict = STRICT in request.system
    if "verdict" in fields:
        right = not strict or "!" in _field(request.user, "answer")
        return {"explanation": "So it is.", "verdict": int(right)}
    if "judgements" in fields:
        right = not strict or "!" in _field(request.user, "citations")
        held = "supported" if right else "unsupported"
        return {"judgements": [{"number": 1, "verdict": held, "quote": ""}]}
    one, other = (_field(request.user, name).count("!") for name in ("first", "second"))
    better = "tie" if one == other else "first" if one > other else "second"
    return {"explanation": "Compared.", "better": better if strict else "first"}


def _annotation(request: LMRequest) -> dict[str, Any]:
    """The same of a comment, by the first criterion."""
    (name,) = re.findall(r'"criterion": ?"(\w+)"', request.user)[:1]
    stars = max(1, min(5, _field(request.user, "comment").count("!")))
    given = stars if STRICT in request.system else min(5, stars + 2)
    return {"ratings": [{"criterion": name, "rating": given}]}


def _proposed(request: LMRequest, fields: set[str]) -> dict[str, Any]:
    """The instruction it was shown with one line more, drawn by the prompt."""
    shown = _field(request.user, "basic_instruction") or _best_attempt(request.user)
    own = FRESH if "roundtable" in shown else NAMED if "search query" in shown else None
    lines = (*USELESS[:2], *(LESSONS if own is None else (own, CITE)))
    line = lines[_hash(request.prompt) % len(lines)]
    made = {"proposed_instruction": f"{shown}\n{line}"}
    if "proposed_prefix_for_output_field" in fields:
        made["proposed_prefix_for_output_field"] = "Text:"
    return made


def _advice(request: LMRequest) -> dict[str, Any]:
    names = re.findall(r'"([\w.\[\]]+)"', _field(request.user, "module_names"))
    return {
        "discussion": "The better text cites more of what it says.",
        "module_advice": dict.fromkeys(names, FRESH if "replies_to" in request.user else CITE),
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


__all__ = [
    "APART",
    "CITE",
    "CONCERNED",
    "FRESH",
    "LESSONS",
    "NAMED",
    "STRICT",
    "knowing",
    "lessons",
    "teachable",
]
