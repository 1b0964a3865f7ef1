"""An argument graph as an SVG picture: one lane for each speaker, one row for each turn.

Speakers differ by colour (Okabe and Ito's palette, safe for the colour-blind) and by shape. As in
S1's Figure 2 a solid arrow opposes and a dashed one supports what it points at.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from modules.markup import one_line
from signatures.types import ArgumentEdge, ArgumentGraph, ArgumentNode

ROW, LANE, LEFT, SAYS, RADIUS = 66, 74, 92, 560, 17
"""Height of a turn, width of a lane, the rounds' margin, the texts' width, a node's radius; px."""

LINE, LEGEND = 80, 26
"""Characters in a line of text; height of a line of the legend, px."""

_FORBIDDEN = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")


class _Look(NamedTuple):
    """How a speaker is drawn: a shape of ``corners`` (0: a circle), turned by ``turn`` degrees."""

    colour: str
    ink: str
    corners: int
    turn: float


_CRITIC = _Look("#000000", "#ffffff", 8, 22.5)
_LOOKS = (
    _Look("#0072b2", "#ffffff", 0, 0),
    _Look("#e69f00", "#000000", 4, 45),
    _Look("#009e73", "#ffffff", 3, -90),
    _Look("#cc79a7", "#000000", 4, 0),
    _Look("#56b4e9", "#000000", 6, 0),
    _Look("#d55e00", "#ffffff", 5, -90),
    _Look("#f0e442", "#000000", 3, 90),
)


def draw(graph: ArgumentGraph, title: str) -> str:
    """The SVG document; a graph without nodes is a picture that says so.

    Args:
        graph: What to draw.
        title: The proposition, shown above.
    """
    return "\n".join(_Picture(graph, title).parts()) + "\n"


class _Picture:
    def __init__(self, graph: ArgumentGraph, title: str) -> None:
        self.graph = graph
        self.heading = textwrap.wrap(_clean(title), 96)[:2]
        self.speakers = list(dict.fromkeys(n.speaker for n in graph.nodes))
        self.names = {n.speaker: n.name for n in graph.nodes}
        self.rows = {n.id: i for i, n in enumerate(graph.nodes)}
        team = [s for s in self.speakers if s != "critic"]
        self.looks = {s: _LOOKS[i % len(_LOOKS)] for i, s in enumerate(team)}
        self.looks["critic"] = _CRITIC
        keys = math.ceil((len(self.speakers) + 2) / 2)
        self.top = 34 + 22 * len(self.heading) + LEGEND * keys
        self.texts = LEFT + LANE * max(len(self.speakers), 1) + 16
        self.width = self.texts + SAYS
        self.height = self.top + ROW * max(len(graph.nodes), 1) + 16

    def parts(self) -> Iterator[str]:
        """The document's lines, from the back of the picture to its front."""
        size = f'width="{self.width}" height="{self.height}"'
        box = f'viewBox="0 0 {self.width} {self.height}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img"'
        yield '  font-family="Helvetica, Arial, sans-serif">'
        yield f"<title>Argument graph: {escape(' '.join(self.heading))}</title>"
        yield "<defs>"
        yield from (_arrow(relation) for relation in ("oppose", "support"))
        yield "</defs>"
        yield f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>'
        for i, line in enumerate(self.heading):
            yield _text(16, 28 + 22 * i, line, size=17, weight="bold")
        yield from self._legend()
        if not self.graph.nodes:
            yield _text(16, self.top + 24, "There was no debate.", size=13)
        yield from self._rounds()
        yield from map(self._edge, self.graph.edges)
        for node in self.graph.nodes:
            yield from self._node(node)
        yield "</svg>"

    def _place(self, node: str) -> tuple[float, float]:
        row = self.rows[node]
        lane = self.speakers.index(self.graph.nodes[row].speaker)
        return LEFT + LANE * (lane + 0.5), self.top + ROW * (row + 0.5)

    def _legend(self) -> Iterator[str]:
        """Two columns: the speakers, then what the arrows mean."""
        top = 36 + 22 * len(self.heading)

        def spot(i: int) -> tuple[float, float]:
            return 28 + (i % 2) * self.width / 2, top + LEGEND * (i // 2)

        for i, speaker in enumerate(self.speakers):
            x, y = spot(i)
            yield _shape(self.looks[speaker], x, y, 9)
            yield _text(x + 18, y + 5, textwrap.shorten(_clean(self.names[speaker]), 44), size=13)
        if self.graph.nodes:
            for i, relation in enumerate(("oppose", "support"), start=len(self.speakers)):
                x, y = spot(i)
                yield _line(f"M {x - 12} {y} L {x + 12} {y}", relation)
                yield _text(x + 22, y + 5, f"{relation}s the turn it points at", size=13)

    def _rounds(self) -> Iterator[str]:
        """A band behind the turns of each round."""
        for number in sorted({n.round for n in self.graph.nodes}):
            rows = [self.rows[n.id] for n in self.graph.nodes if n.round == number]
            y, height = self.top + ROW * min(rows), ROW * len(rows)
            fill = "#f2f4f7" if number % 2 else "#ffffff"
            yield f'<rect y="{y}" width="{self.width}" height="{height}" fill="{fill}"/>'
            yield _text(16, y + 24, f"Round {number}", size=13, weight="bold")

    def _edge(self, edge: ArgumentEdge) -> str:
        """An arrow that bends around what lies between its ends."""
        (x, y), (to_x, to_y) = self._place(edge.source), self._place(edge.target)
        apart = abs(self.rows[edge.source] - self.rows[edge.target])
        middle = ((x + to_x) / 2, (y + to_y) / 2)
        if apart > 1:
            middle = (max(x, to_x) + LANE * min(0.3 + 0.1 * apart, 1.1), middle[1])
        start, end = _towards((x, y), middle, RADIUS), _towards((to_x, to_y), middle, RADIUS + 5)
        path = f"M {start[0]:.1f} {start[1]:.1f} Q {middle[0]:.1f} {middle[1]:.1f}"
        return _line(f"{path} {end[0]:.1f} {end[1]:.1f}", edge.relation)

    def _node(self, node: ArgumentNode) -> Iterator[str]:
        x, y = self._place(node.id)
        look = self.looks[node.speaker]
        yield f"<g><title>{escape(_clean(f'{node.name}: {node.label}'))}</title>"
        yield _shape(look, x, y, RADIUS)
        yield _text(x, y + 4, node.id, size=11, colour=look.ink, anchor="middle", weight="bold")
        yield "</g>"
        heading = textwrap.shorten(_clean(node.name), 60, placeholder="…")
        yield _text(self.texts + 8, y - 13, f"{node.id}  {heading}", size=12, weight="bold")
        wrapped = textwrap.wrap(_clean(node.label), LINE, max_lines=2, placeholder="…")
        for i, line in enumerate(wrapped):
            yield _text(self.texts + 8, y + 4 + 16 * i, line, size=12)


def _clean(text: str) -> str:
    """One visible line that XML can hold."""
    return _FORBIDDEN.sub("", one_line(text))


def _towards(a: Sequence[float], b: Sequence[float], distance: float) -> tuple[float, float]:
    """The point ``distance`` away from ``a`` on the way to ``b``."""
    length = math.dist(a, b) or 1.0
    return a[0] + (b[0] - a[0]) * distance / length, a[1] + (b[1] - a[1]) * distance / length


def _shape(look: _Look, x: float, y: float, radius: float) -> str:
    style = f'fill="{look.colour}" stroke="#222222" stroke-width="1"'
    if not look.corners:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {style}/>'
    reach = radius * (1.3 if look.corners == 3 else 1.15)
    turns = (math.radians(look.turn + 360 * i / look.corners) for i in range(look.corners))
    points = " ".join(f"{x + reach * math.cos(t):.1f},{y + reach * math.sin(t):.1f}" for t in turns)
    return f'<polygon points="{points}" {style}/>'


def _arrow(relation: str) -> str:
    fill = "#222222" if relation == "oppose" else "#ffffff"
    return (
        f'<marker id="{relation}" viewBox="0 0 10 10" refX="6" refY="5" markerWidth="8" '
        f'markerHeight="8" orient="auto"><path d="M 1 1 L 9 5 L 1 9 z" fill="{fill}" '
        'stroke="#222222" stroke-dasharray="none"/></marker>'
    )


def _line(path: str, relation: str) -> str:
    dash = "" if relation == "oppose" else ' stroke-dasharray="5 4"'
    return (
        f'<path d="{path}" fill="none" stroke="#222222" stroke-width="1.5"{dash} '
        f'marker-end="url(#{relation})"/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int,
    weight: str = "normal",
    colour: str = "#222222",
    anchor: str = "start",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}" text-anchor="{anchor}">{escape(_clean(text))}</text>'
    )


__all__ = ["draw"]
