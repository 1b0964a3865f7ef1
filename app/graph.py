"""Who answered whom: the argument graph, to point at and to move about in."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from flows.debate_events import Scene
from flows.debate_html import SIGNS
from modules.markup import one_line
from signatures.table import TableTurn
from signatures.types import Persona

EDGES = {"support": "#009E73", "oppose": "#D55E00"}
BEND = 0.45
"""How far a curve bends, in rows, over one turn; over more it grows with their square root."""
STEPS = 12
SAYS = 160
"""Characters of a turn that its mark tells."""


def show(now: Scene, people: Mapping[str, Persona], shades: Mapping[str, str]) -> None:
    """Turns from left to right, a row for each persona, a line for each answer."""
    turns = [t.content for r in now.rounds().values() for t in r if t.content is not None]
    if not turns:
        st.info("There is nothing to draw yet.")
        return
    name = _names(people)
    spec = _spec(_nodes(turns, people, name), _edges(turns, list(name)), name, shades)
    st.vega_lite_chart(spec, width="stretch")
    st.caption(
        "▲ for, ▼ against, ◆ neutral. Solid lines support, dashed lines oppose. "
        "Point at a mark to read it; drag and scroll to move and zoom."
    )


def _names(people: Mapping[str, Persona]) -> dict[str, str]:
    """A row's name for everybody; two of one title are told apart."""
    titles = [one_line(p.title) for p in people.values()]
    return {
        key: title if titles.count(title) == 1 else f"{title} ({key})"
        for key, title in zip(people, titles, strict=True)
    }


def _nodes(
    turns: Sequence[TableTurn], people: Mapping[str, Persona], name: Mapping[str, str]
) -> list[dict[str, Any]]:
    return [
        {
            "turn": t.id,
            "place": place,
            "speaker": name[t.speaker],
            "row": list(name).index(t.speaker),
            "stance": people[t.speaker].stance,
            "says": one_line(t.text)[:SAYS],
        }
        for place, t in enumerate(turns, start=1)
    ]


def _edges(turns: Sequence[TableTurn], rows: Sequence[str]) -> list[dict[str, Any]]:
    """The answers as curves, point by point: the further apart two turns, the more it is bent, so
    that answers along one line do not hide each other.
    """
    at = {t.id: (place, rows.index(t.speaker)) for place, t in enumerate(turns, start=1)}
    found = []
    for t in turns:
        if t.replies_to in at and t.relation != "none":
            (x1, y1), (x2, y2) = at[t.replies_to], at[t.id]
            bent = BEND * math.sqrt(max(0, x2 - x1 - 1))
            for step in range(STEPS + 1):
                share = step / STEPS
                found.append(
                    {
                        "answer": f"{t.id} {t.relation}s {t.replies_to}",
                        "relation": t.relation,
                        "step": step,
                        "place": round(x1 + share * (x2 - x1), 3),
                        "row": round(y1 + share * (y2 - y1) - bent * 4 * share * (1 - share), 3),
                    }
                )
    return found


def _spec(
    nodes: list[dict[str, Any]],
    edges: list[dict[str, Any]],
    name: Mapping[str, str],
    shades: Mapping[str, str],
) -> dict[str, Any]:
    """The drawing in Vega-Lite."""
    order = list(name.values())
    top = min([0, *(point["row"] for point in edges)]) - 0.5
    y = {
        "field": "row",
        "type": "quantitative",
        "title": None,
        "axis": {
            "values": list(range(len(order))),
            "labelExpr": f"{json.dumps(order)}[datum.value]",
            "labelLimit": 160,
            "grid": False,
        },
        "scale": {"domain": [len(order) - 0.5, top], "nice": False, "zero": False},
    }
    x = {
        "field": "place",
        "type": "quantitative",
        "title": "turn",
        "axis": {"tickMinStep": 1, "grid": False},
        "scale": {"domain": [0.5, len(nodes) + 0.5], "nice": False},
    }
    people = {"domain": order, "range": [shades[key] for key in name]}
    sides = {"domain": list(SIGNS), "range": ["triangle-up", "triangle-down", "diamond"]}
    kinds = {"domain": list(EDGES), "range": list(EDGES.values())}
    dashes = {"domain": list(EDGES), "range": [[1, 0], [5, 4]]}
    lines = {
        "data": {"values": edges},
        "mark": {"type": "line", "strokeWidth": 2, "opacity": 0.8},
        "encoding": {
            "x": x,
            "y": y,
            "detail": {"field": "answer", "type": "nominal"},
            "order": {"field": "step"},
            "color": {"field": "relation", "type": "nominal", "scale": kinds, "title": "answers"},
            "strokeDash": {"field": "relation", "type": "nominal", "scale": dashes, "legend": None},
            "tooltip": {"field": "answer", "type": "nominal"},
        },
    }
    along = {"type": "interval", "encodings": ["x"]}
    told = ("turn", "speaker", "stance", "says")
    points = {
        "data": {"values": nodes},
        # The edge keeps a mark in sight on grounds of its own lightness.
        "mark": {"type": "point", "filled": True, "size": 260, "opacity": 1, "stroke": "gray"},
        "encoding": {
            "x": x,
            "y": y,
            "fill": {"field": "speaker", "type": "nominal", "scale": people, "legend": None},
            "shape": {"field": "stance", "type": "nominal", "scale": sides, "legend": None},
            "tooltip": [{"field": field, "type": "nominal"} for field in told],
        },
        "params": [{"name": "view", "select": along, "bind": "scales"}],
    }
    answers = len({point["answer"] for point in edges})
    about = f"Who answered whom: {len(nodes)} turns, {answers} answers."
    return {"description": about, "height": 60 + 46 * len(order), "layer": [lines, points]}


__all__ = ["show"]
