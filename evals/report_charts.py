"""The charts of a report, as inline SVG: no scripts, no fonts to fetch, light and dark.

Methods have a colour of Okabe and Ito's palette, told apart with any kind of colour vision, and
backends a shape, so that colour is never the only sign. Colours are CSS variables with a fallback,
so that a chart also stands alone as a file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from modules.markup import one_line

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#7F7F7F")

INK, SOFT, GRID, PAPER, CARD = (
    "var(--ink,#1b1f24)", "var(--soft,#5b6470)", "var(--grid,#e3e6ea)", "var(--paper,#fff)",
    "var(--card,#fff)",
)  # fmt: skip

Ends = tuple[float, float] | None


class Point(NamedTuple):
    """A cell in a scatter: where it lies, how surely, and how it looks."""

    label: str
    x: float
    y: float
    colour: str
    shape: int
    x_ends: Ends = None
    y_ends: Ends = None
    hover: str = ""


class Line(NamedTuple):
    """A row of a forest plot."""

    label: str
    value: float
    ends: Ends
    colour: str
    note: str
    strong: bool


class Frame(NamedTuple):
    """Where data lies on the canvas."""

    x0: float
    x1: float
    y0: float
    y1: float
    low_x: float
    high_x: float
    low_y: float
    high_y: float

    def x(self, value: float) -> float:
        return self.x0 + (value - self.low_x) / (self.high_x - self.low_x) * (self.x1 - self.x0)

    def y(self, value: float) -> float:
        return self.y1 - (value - self.low_y) / (self.high_y - self.low_y) * (self.y1 - self.y0)


def text(value: str) -> str:
    """Text as text, on one line."""
    return escape(one_line(value), quote=True)


def colours(names: Sequence[str]) -> dict[str, str]:
    """Name -> colour, in order."""
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(dict.fromkeys(names))}


def scatter(
    points: Sequence[Point], x_title: str, y_title: str, title: str, frontier: Sequence[int] = ()
) -> str:
    """Points with whiskers and labels; ``frontier`` joins some of them, by index."""
    width, height = 520.0, 360.0
    frame = _frame(points, width, height)
    parts = [_axes(frame, x_title, y_title, width, height)]
    if len(frontier) > 1:
        path = " ".join(f"{frame.x(points[i].x):.1f},{frame.y(points[i].y):.1f}" for i in frontier)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{SOFT}" stroke-width="1.5" '
            'stroke-dasharray="5 4"/>'
        )
    for p in points:
        parts.append(_whiskers(p, frame))
    for p in points:
        parts.append(
            f"<g><title>{text(p.hover or p.label)}</title>"
            f"{mark(frame.x(p.x), frame.y(p.y), p.shape, p.colour, 6.5)}</g>"
        )
    parts += _labels(points, frame, width)
    return _svg(width, height, title, parts)


def forest(lines: Sequence[Line], title: str, axis: str, zero: float | None = 0.0) -> str:
    """Intervals one below the other, around a line at ``zero``."""
    row, head = 27.0, 14.0
    width, height = 760.0, head + row * len(lines) + 40.0
    left, right = 232.0, width - 196.0
    ends = [e for line in lines for e in (line.value, *(line.ends or ()))]
    low, high = _padded([*ends, *([] if zero is None else [zero])])
    frame = Frame(left, right, head, height - 40.0, low, high, 0.0, 1.0)
    parts = _x_axis(frame, axis)
    if zero is not None:
        x = frame.x(zero)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{head - 6:.1f}" y2="{frame.y1:.1f}" '
            f'stroke="{SOFT}" stroke-width="1.5"/>'
        )
    for number, line in enumerate(lines):
        y = head + row * (number + 0.5)
        weight = ' font-weight="600"' if line.strong else ""
        parts.append(
            f'<text x="{left - 14:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="{INK}"{weight}>'
            f"{text(_short(line.label, 36))}</text>"
        )
        if line.ends is not None:
            a, b = frame.x(line.ends[0]), frame.x(line.ends[1])
            parts.append(
                f'<line x1="{a:.1f}" x2="{b:.1f}" y1="{y:.1f}" y2="{y:.1f}" '
                f'stroke="{line.colour}" stroke-width="3.5" stroke-linecap="round" opacity=".55"/>'
            )
        parts.append(mark(frame.x(line.value), y, 0, line.colour, 5.5))
        parts.append(
            f'<text x="{right + 16:.1f}" y="{y + 4:.1f}" fill="{SOFT}"{weight}>'
            f"{text(line.note)}</text>"
        )
    return _svg(width, height, title, parts)


def strip(value: float, ends: Ends, low: float, high: float, colour: str) -> str:
    """A value and its interval on a scale from ``low`` to ``high``, small enough for a table."""
    width, height = 112.0, 14.0
    span = (high - low) or 1.0

    def x(at: float) -> float:
        return 5 + (min(max(at, low), high) - low) / span * (width - 10)

    parts = [
        f'<line x1="2" x2="{width - 2}" y1="7" y2="7" stroke="{GRID}" stroke-width="2" '
        'stroke-linecap="round"/>'
    ]
    if ends is not None:
        parts.append(
            f'<line x1="{x(ends[0]):.1f}" x2="{x(ends[1]):.1f}" y1="7" y2="7" stroke="{colour}" '
            'stroke-width="4" stroke-linecap="round" opacity=".45"/>'
        )
    parts.append(mark(x(value), 7, 0, colour, 4))
    return (
        f'<svg class="strip" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" aria-hidden="true">{"".join(parts)}</svg>'
    )


def mark(x: float, y: float, shape: int, colour: str, r: float) -> str:
    """A circle, square, diamond or triangle, ringed so that overlapping ones stay apart."""
    ring = f'fill="{colour}" stroke="{PAPER}" stroke-width="1.5"'
    kind = shape % 4
    if kind == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" {ring}/>'
    if kind == 1:
        s = r * 0.9
        side = f'width="{2 * s:.1f}" height="{2 * s:.1f}"'
        return f'<rect x="{x - s:.1f}" y="{y - s:.1f}" {side} {ring}/>'
    s = r * 1.3
    corners = (
        [(x, y - s), (x + s, y), (x, y + s), (x - s, y)]
        if kind == 2
        else [(x, y - s), (x + s, y + s * 0.8), (x - s, y + s * 0.8)]
    )
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    return f'<polygon points="{path}" {ring}/>'


def legend(shades: Mapping[str, str], shapes: Mapping[str, int]) -> str:
    """What colours and shapes stand for."""
    items = [
        f'<span><svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">'
        f"{mark(7, 7, 0, colour, 5)}</svg> {text(name)}</span>"
        for name, colour in shades.items()
    ]
    if len(shapes) > 1:
        items += [
            f'<span class="shape"><svg viewBox="0 0 14 14" width="14" height="14" '
            f'aria-hidden="true">{mark(7, 7, shape, SOFT, 5)}</svg> {text(name)}</span>'
            for name, shape in shapes.items()
        ]
    return f'<p class="legend">{"".join(items)}</p>'


def standalone(svg: str) -> str:
    """A chart as a file of its own, on white."""
    return svg.replace(">", ' style="background:#fff">', 1)


def pareto(points: Sequence[Point], better: str) -> list[int]:
    """The points that none beats in both cost (x, less is better) and quality (y), by cost."""
    sign = 1 if better == "higher" else -1
    order = sorted(range(len(points)), key=lambda i: (points[i].x, -sign * points[i].y))
    front: list[int] = []
    for i in order:
        if not front or sign * points[i].y > sign * points[front[-1]].y:
            front.append(i)
    return front


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between the ends, at most ``most`` + 1."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw)
    first = math.ceil(low / step - 1e-9) * step
    count = int((high - first) / step + 1e-9) + 1
    return [first + i * step for i in range(count)]


def _padded(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    pad = 0.08 * (high - low) or max(abs(high), 1.0) * 0.1
    return low - pad, high + pad


def _frame(points: Sequence[Point], width: float, height: float) -> Frame:
    xs = [v for p in points for v in (p.x, *(p.x_ends or ()))]
    ys = [v for p in points for v in (p.y, *(p.y_ends or ()))]
    return Frame(64.0, width - 22.0, 16.0, height - 52.0, *_padded(xs), *_padded(ys))


def _axes(frame: Frame, x_title: str, y_title: str, width: float, height: float) -> str:
    parts = _x_axis(frame, x_title)
    for at in ticks(frame.low_y, frame.high_y):
        y = frame.y(at)
        parts.append(
            f'<line x1="{frame.x0:g}" x2="{frame.x1:g}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="{GRID}"/><text x="{frame.x0 - 8:g}" y="{y + 4:.1f}" text-anchor="end" '
            f'fill="{SOFT}">{_figure(at)}</text>'
        )
    middle = (frame.y0 + frame.y1) / 2
    parts.append(
        f'<text x="16" y="{middle:.1f}" text-anchor="middle" fill="{INK}" '
        f'transform="rotate(-90 16 {middle:.1f})">{text(y_title)}</text>'
    )
    return "".join(parts)


def _x_axis(frame: Frame, title: str) -> list[str]:
    parts = []
    for at in ticks(frame.low_x, frame.high_x):
        x = frame.x(at)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{frame.y0:g}" y2="{frame.y1:g}" '
            f'stroke="{GRID}"/><text x="{x:.1f}" y="{frame.y1 + 17:g}" text-anchor="middle" '
            f'fill="{SOFT}">{_figure(at)}</text>'
        )
    parts.append(
        f'<text x="{(frame.x0 + frame.x1) / 2:.1f}" y="{frame.y1 + 36:g}" text-anchor="middle" '
        f'fill="{INK}">{text(title)}</text>'
    )
    return parts


def _whiskers(p: Point, frame: Frame) -> str:
    style = f'stroke="{p.colour}" stroke-width="2" opacity=".4" stroke-linecap="round"'
    found, x, y = "", frame.x(p.x), frame.y(p.y)
    if p.x_ends is not None:
        a, b = frame.x(p.x_ends[0]), frame.x(p.x_ends[1])
        found += f'<line x1="{a:.1f}" x2="{b:.1f}" y1="{y:.1f}" y2="{y:.1f}" {style}/>'
    if p.y_ends is not None:
        a, b = frame.y(p.y_ends[0]), frame.y(p.y_ends[1])
        found += f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{a:.1f}" y2="{b:.1f}" {style}/>'
    return found


def _labels(points: Sequence[Point], frame: Frame, width: float) -> list[str]:
    """Each label where it covers no point and no other label, if there is such a place."""
    taken = [(frame.x(p.x) - 8, frame.y(p.y) - 8, frame.x(p.x) + 8, frame.y(p.y) + 8)
             for p in points]  # fmt: skip
    parts = []
    for p in points:
        label = _short(p.label, 26)
        x, y, wide = frame.x(p.x), frame.y(p.y), 6.4 * len(label)
        places = [
            (x + 11, y + 4, "start"), (x - 11, y + 4, "end"), (x, y - 12, "middle"),
            (x, y + 21, "middle"), (x + 11, y - 12, "start"), (x - 11, y + 20, "end"),
            (x + 11, y + 20, "start"), (x - 11, y - 12, "end"),
        ]  # fmt: skip
        boxes = [(_box(at, wide), at) for at in places]
        free = (at for box, at in boxes if _fits(box, taken, frame, width))
        at = next(free, None)
        if at is None:
            continue  # the legend and the hover name it
        taken.append(_box(at, wide))
        parts.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{at[2]}" fill="{INK}" '
            f'font-size="12" stroke="{CARD}" stroke-width="3" paint-order="stroke">'
            f"{text(label)}</text>"
        )
    return parts


Box = tuple[float, float, float, float]


def _box(at: tuple[float, float, str], wide: float) -> Box:
    left = {"start": at[0], "end": at[0] - wide, "middle": at[0] - wide / 2}[at[2]]
    return left, at[1] - 11, left + wide, at[1] + 3


def _fits(box: Box, taken: Sequence[Box], frame: Frame, width: float) -> bool:
    inside = box[0] >= frame.x0 and box[2] <= width and box[1] >= 2 and box[3] <= frame.y1
    return inside and not any(
        box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in taken
    )


def _figure(value: float) -> str:
    if abs(value) >= 10_000:
        return f"{value / 1000:g}k"
    return f"{value:.6g}"


def _short(value: str, most: int) -> str:
    return value if len(value) <= most else value[: most - 1] + "…"


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{text(title)}" font-family="system-ui,sans-serif" font-size="12.5">'
        f"<title>{text(title)}</title>{''.join(parts)}</svg>"
    )


__all__ = [
    "Line", "Point", "colours", "forest", "legend", "mark", "pareto", "scatter", "standalone",
    "strip", "text", "ticks",
]  # fmt: skip
