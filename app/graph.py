"""Who answered whom: the argument graph, to point at and to move about in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from flows.debate_events import Scene
from flows.debate_html import SIGNS
from modules.markup import one_line
from signatures.table import TableTurn
from signatures.types import Persona

EDGES = {"support": "#009E73", "oppose": "#D55E00"}
SAYS = 160
"""Characters of a turn that its mark tells."""


def show(now: Scene, people: Mapping[str, Persona], shades: Mapping[str, str]) -> None:
    """Turns from left to right, a row for each persona, a line for each answer."""
    turns = [t.content for r in now.rounds().values() for t in r if t.content is not None]
    if not turns:
        st.info("There is nothing to draw yet.")
        return
    name = _names(people)
    spec = _spec(_nodes(turns, people, name), _edges(turns, name), name, shades)
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
            "stance": people[t.speaker].stance,
            "says": one_line(t.text)[:SAYS],
        }
        for place, t in enumerate(turns, start=1)
    ]


def _edges(turns: Sequence[TableTurn], name: Mapping[str, str]) -> list[dict[str, Any]]:
    at = {t.id: (place, name[t.speaker]) for place, t in enumerate(turns, start=1)}
    found = []
    for t in turns:
        if t.replies_to in at and t.relation != "none":
            (place, speaker), (place2, speaker2) = at[t.replies_to], at[t.id]
            found.append(
                {
                    "place": place,
                    "speaker": speaker,
                    "place2": place2,
                    "speaker2": speaker2,
                    "relation": t.relation,
                    "says": f"{t.id} {t.relation}s {t.replies_to}",
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
    y = {"field": "speaker", "type": "nominal", "title": None, "sort": order}
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
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.8},
        "encoding": {
            "x": x,
            "y": y,
            "x2": {"field": "place2"},
            "y2": {"field": "speaker2"},
            "color": {"field": "relation", "type": "nominal", "scale": kinds, "title": "answers"},
            "strokeDash": {"field": "relation", "type": "nominal", "scale": dashes, "legend": None},
            "tooltip": {"field": "says", "type": "nominal", "title": "answer"},
        },
    }
    along = {"type": "interval", "encodings": ["x"]}
    told = ("turn", "speaker", "stance", "says")
    points = {
        "data": {"values": nodes},
        "mark": {"type": "point", "filled": True, "size": 260, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            "fill": {"field": "speaker", "type": "nominal", "scale": people, "legend": None},
            "shape": {"field": "stance", "type": "nominal", "scale": sides, "legend": None},
            "tooltip": [{"field": field, "type": "nominal"} for field in told],
        },
        "params": [{"name": "view", "select": along, "bind": "scales"}],
    }
    return {"height": 60 + 46 * len(order), "layer": [lines, points]}


__all__ = ["show"]
