"""A responder that plays every role of an essay, so that flows can run against the test server.

Its replies are valid and depend on the prompt alone. What it says is not meant to be clever.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from .lm import LMRequest, answer, requested_fields

TITLES = ["Taxpayer", "Curator", "Teacher", "Visitor", "Guard", "Historian", "Neighbour"]


def debaters(request: LMRequest) -> str:
    """Answer one request of the essay flow by the output fields it asks for."""
    fields = requested_fields(request)
    for name, play in PLAYS.items():
        if name in fields:
            return answer(request, play(request))
    raise AssertionError(f"nobody plays {sorted(fields)}")


def _personas(request: LMRequest) -> dict[str, Any]:
    return {
        "personas": [
            {
                "title": title,
                "description": f"A {title.lower()} of many years.",
                "claim": f"Fees matter to every {title.lower()} in town {_mark(request)}.",
                "emoji": "🏛️",
                "stance": "for" if number % 3 == 2 else "against",
                "values": ["fairness"],
            }
            for number, title in enumerate(TITLES)
        ]
    }


def _choices(request: LMRequest) -> dict[str, Any]:
    ids = list(dict.fromkeys(re.findall(r'"id": ?"(p\d+)"', request.user)))
    size = int(re.search(r"team_size ## \]\]\s*(\d+)|\"?team_size\"?\D{1,4}(\d+)", request.user)[1])  # type: ignore[index]
    return {"choices": [{"id": i, "reason": f"{i} adds a stake of its own."} for i in ids[:size]]}


def _turn(request: LMRequest) -> dict[str, Any]:
    known = re.findall(r'"id": ?"(t\d+)"', request.user)
    turn: dict[str, Any] = {
        "text": f"Fees pay for conservation and for opening hours, as case {_mark(request)} shows.",
        "replies_to": known[-1] if known else "none",
        "relation": "oppose" if known else "none",
        "evidence_used": [1, 99],
    }
    end = "persuaded" if "persuaded" in requested_fields(request) else "satisfied"
    return turn | {end: False}


def _plan(request: LMRequest) -> dict[str, Any]:
    points = ["Fees fund conservation", "Fees steady the budget", "Fees spread visitors"]
    return {
        "plan": {
            "acknowledgment": "Fees keep some families away.",
            "points": [
                {"point": p, "subpoints": [f"{p} in town {_mark(request)}"]} for p in points
            ],
        }
    }


def _essay(request: LMRequest) -> dict[str, Any]:
    numbers = [int(n) for n in re.findall(r'"number": ?(\d+)', request.user)]
    body = [
        f"Paragraph {n} of {_mark(request)} argues that fees keep a museum open and kept [{n}]. "
        + "It adds a thought of its own about budgets, visitors, staff and buildings. " * 2
        for n in numbers[:6] or [1]
    ]
    return {"essay": "\n\n".join([*body, "A made-up source says otherwise [999]."])}


def _table_turn(request: LMRequest) -> dict[str, Any]:
    known = re.findall(r'"id": ?"(t\d+)"', request.user)
    mark = _mark(request)
    text = (
        f"I have thought about case {mark} for years. It is about who pays and who comes.\n\n"
        f"- Money: Fees pay for conservation and for opening hours, as case {mark} shows. [7]\n"
        "- Visitors: Museums without an entrance fee draw more visitors from poor families.\n"
        "- Staff: A budget that can be planned keeps trained staff in the museum."
    )
    return {
        "text": text,
        "replies_to": known[-1] if known else "none",
        "relation": "oppose" if known else "none",
    }


def _shortened(request: LMRequest) -> dict[str, Any]:
    return {"shortened": "I say it in fewer words.\n\n- Money: Fees pay for conservation."}


def _moderation(request: LMRequest) -> dict[str, Any]:
    return {
        "summary": f"Both sides spoke of money in round {_mark(request)}.",
        "question": "Who should pay?",
    }


def _closing(request: LMRequest) -> dict[str, Any]:
    positions = [
        {"speakers": ["Taxpayer", "Nobody here"], "view": "Visitors should pay."},
        {"speakers": ["Teacher"], "view": "Everybody should pay."},
    ]
    return {
        "closing": {
            "agreements": ["Museums cost money."],
            "disagreements": [{"issue": "who pays", "positions": positions}],
            "open_questions": ["What do visitors spend elsewhere?"],
        }
    }


def _recommendation(request: LMRequest) -> dict[str, Any]:
    return {
        "recommendation": {
            "advice": "Try it for a year.",
            "reasons": ["The Teacher says that pupils would come."],
            "against": "It costs money.",
            "depends_on": ["the budget"],
        }
    }


def _claim(request: LMRequest) -> dict[str, Any]:
    return {"claim": f"Museums should charge, because fees pay in town {_mark(request)}."}


def _reasons(request: LMRequest) -> dict[str, Any]:
    named = ["Fees fund conservation", "Fees steady the budget", "Fees spread visitors"]
    why = f"This was seen in town {_mark(request)}."
    return {"reasons": [{"reason": f"{r}.", "explanation": why} for r in named]}


def _concession(request: LMRequest) -> dict[str, Any]:
    return {"concession": {"objection": "Fees keep families away.", "answer": "Passes do not."}}


def _review(request: LMRequest) -> dict[str, Any]:
    """A concession can stand; every other component is sent back."""
    if "strongest objection" in request.user or "Passes do not." in request.user:
        return {"adequate": True, "feedback": None}
    return {"adequate": False, "feedback": f"Say more about town {_mark(request)}."}


def _quality(request: LMRequest) -> dict[str, Any]:
    return {"explanation": "It holds together.", "quality": 1 + int(_mark(request), 16) % 5}


def _query(request: LMRequest) -> dict[str, Any]:
    return {"query": "museum entrance fees visitors conservation budget"}


def _cited(request: LMRequest) -> dict[str, Any]:
    """An argument to be cited, word for word, with a marker in its first sentence."""
    argument = re.search(r'"text": ?("(?:[^"\\]|\\.)*")', request.user)
    assert argument is not None, request.user
    return {"text": str(json.loads(argument[1])).replace(".", " [1].", 1)}


def _judgements(request: LMRequest) -> dict[str, Any]:
    """The first citation of each request is unsupported; a quote is the passage's beginning."""
    passages = [json.loads(it) for it in re.findall(rf'"passage": ?({_STRING})', request.user)]
    numbers = [int(n) for n in re.findall(r'"number": ?(\d+)', request.user)]
    return {
        "judgements": [
            {
                "number": number,
                "verdict": "unsupported" if place == 0 else "supported",
                "quote": "" if place == 0 else passage[:40],
            }
            for place, (number, passage) in enumerate(zip(numbers, passages, strict=True))
        ]
    }


def _repaired(request: LMRequest) -> dict[str, Any]:
    """Each sentence gives way to the first one of a passage it cites."""
    texts = [json.loads(it) for it in re.findall(rf'"text": ?({_STRING})', request.user)]
    numbers = [int(n) for n in re.findall(r'"number": ?(\d+)', request.user)]
    # A sentence's number comes before those of its passages; each of these tests has one.
    pairs = zip(numbers[::2], numbers[1::2], texts, strict=True)
    return {
        "repaired": [
            {"number": number, "text": f"{text.split('. ')[0].rstrip('.')} [{cited}]."}
            for number, cited, text in pairs
        ]
    }


def _mark(request: LMRequest) -> str:
    """A word of its own for every prompt, so that nothing downstream is reused by chance."""
    return hashlib.sha256(request.prompt.encode()).hexdigest()[:6]


_STRING = r'"(?:[^"\\]|\\.)*"'


def _answer(request: LMRequest) -> dict[str, Any]:
    """An answer that cites its first passage, and one that it does not have."""
    said = f"People disagree about fees in town {_mark(request)}, and for reasons [1]."
    text = f"{said} Some say that fees keep families away [999]. Others say that they pay."
    (name,) = {f for f in requested_fields(request) if f.endswith("answer")}
    return {name: text}


def _frame(request: LMRequest) -> dict[str, Any]:
    """Whatever asks what should be is disputed."""
    disputed = "should" in request.user.lower()
    return {"disputed": disputed, "proposition": "Museums should be free." if disputed else None}


def _views(request: LMRequest) -> dict[str, Any]:
    """Two points of view, of the first voice and of the last."""
    ids = list(dict.fromkeys(re.findall(r'"id": ?"(p\d+)"', request.user)))
    return {
        "views": [
            {
                "point_of_view": f"{answer} Museums should be free.",
                "explanation": f"This was seen in town {_mark(request)} [{number}].",
                "held_by": [who],
            }
            for number, (answer, who) in enumerate([("Yes.", ids[0]), ("No.", ids[-1])], start=1)
        ]
    }


def _step(request: LMRequest) -> dict[str, Any]:
    """Two searches, of which the second asks for something else, and the end."""
    made = request.user.count("observation_")
    if made < 2:
        query = ["museum entrance fees", "museum budgets and staff"][made]
        args: dict[str, Any] = {"query": query}
        return {"next_thought": "More.", "next_tool_name": "search", "next_tool_args": args}
    return {"next_thought": "Enough.", "next_tool_name": "finish", "next_tool_args": {}}


def _useful(request: LMRequest) -> dict[str, Any]:
    """The second passage found, the first, and one that nobody found."""
    return {"useful": [2, 1, 999]}


def _queries(request: LMRequest) -> dict[str, Any]:
    return {"queries": ["museum entrance fees income", "museum visitors poor families"]}


def _points(request: LMRequest) -> dict[str, Any]:
    """Three points of view on what should be, and one on any other question."""
    if "Should all museums" not in request.user:
        return {"points": [{"point_of_view": "It is so.", "documents": [1]}]}
    views = ["Yes, entry should be free.", "No, visitors should pay.", "Some should pay."]
    return {
        "points": [
            {"point_of_view": view, "documents": [number, 1]}
            for number, view in enumerate(views, start=1)
        ]
    }


def _explained(request: LMRequest) -> dict[str, Any]:
    said = f"In town {_mark(request)} the documents give reasons that people hold to be good. "
    return {"view_explanation": said * 4}


PLAYS: dict[str, Callable[[LMRequest], dict[str, Any]]] = {
    "queries": _queries,
    "points": _points,
    "view_explanation": _explained,
    "answer": _answer,
    "comprehensive_answer": _answer,
    "detailed_answer": _answer,
    "balanced_answer": _answer,
    "disputed": _frame,
    "views": _views,
    "next_tool_name": _step,
    "useful": _useful,
    "personas": _personas,
    "choices": _choices,
    "persuaded": _turn,
    "satisfied": _turn,
    "plan": _plan,
    "essay": _essay,
    "claim": _claim,
    "reasons": _reasons,
    "concession": _concession,
    "adequate": _review,
    "quality": _quality,
    "shortened": _shortened,
    "closing": _closing,
    "recommendation": _recommendation,
    "question": _moderation,
    "relation": _table_turn,
    "query": _query,
    "judgements": _judgements,
    "repaired": _repaired,
    "text": _cited,
}
