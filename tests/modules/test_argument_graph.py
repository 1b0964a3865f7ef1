"""The argument graph: its nodes and edges, and a picture that no text can break."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from modules.argument_graph import LABEL, argument_graph
from modules.graph_svg import draw
from signatures.types import ArgumentGraph, Debate, Turn
from tests.modules.test_debate import PERSONAS

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = 'A <script>alert("x")</script> & ]]> \x1b[31m \u202e \ufffe ' + "word " * 200


def debate() -> Debate:
    rows = [
        ("t1", 1, "p1", None, "none"),
        ("t2", 1, "p3", "t1", "support"),
        ("t3", 1, "critic", "t1", "oppose"),
        ("t4", 2, "p1", "t3", "oppose"),
        ("t5", 2, "p3", "t4", "none"),
    ]
    turns = [
        Turn.model_validate(
            {
                "id": name, "round": number, "speaker": speaker, "text": HOSTILE,
                "replies_to": answered, "relation": relation,
                "role": "critic" if speaker == "critic" else "team",
            }
        )
        for name, number, speaker, answered, relation in rows
    ]  # fmt: skip
    return Debate(turns=turns, ended="max_rounds")


def test_turns_are_nodes_and_answers_edges() -> None:
    graph = argument_graph(debate(), PERSONAS)
    assert [(n.id, n.name) for n in graph.nodes][:3] == [
        ("t1", "P1"),
        ("t2", "P3"),
        ("t3", "Critic"),
    ]
    assert [(e.source, e.target, e.relation) for e in graph.edges] == [
        ("t2", "t1", "support"), ("t3", "t1", "oppose"), ("t4", "t3", "oppose"),
    ]  # fmt: skip
    assert all(len(n.label) <= LABEL for n in graph.nodes)


def test_the_picture_is_sound_whatever_the_texts() -> None:
    svg = draw(argument_graph(debate(), PERSONAS), HOSTILE)
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own text
    assert not list(root.iter(f"{NAMESPACE}script"))
    texts = [element.text or "" for element in root.iter(f"{NAMESPACE}text")]
    assert {"Round 1", "Round 2", "t5", "Critic"} <= set(texts)
    assert any("<script>" in text for text in texts)


def test_solid_arrows_oppose_and_dashed_ones_support() -> None:
    svg = draw(argument_graph(debate(), PERSONAS), "P")
    edges = re.findall(r'<path d="[^"]*Q[^"]*"[^>]*url\(#(\w+)\)', svg)
    assert edges == ["support", "oppose", "oppose"]
    for line in svg.splitlines():
        if "url(#support)" in line:
            assert "stroke-dasharray" in line
        if "url(#oppose)" in line:
            assert "stroke-dasharray" not in line


def test_speakers_differ_by_colour_and_shape() -> None:
    svg = draw(argument_graph(debate(), PERSONAS), "P")
    assert {"#0072b2", "#e69f00", "#000000"} <= set(re.findall('fill="(#[0-9a-f]{6})"', svg))
    assert "<circle" in svg
    assert "<polygon" in svg


def test_no_debate_is_said() -> None:
    svg = draw(ArgumentGraph(), "P")
    ElementTree.fromstring(svg)  # noqa: S314 - our own text
    assert "There was no debate." in svg
