"""The triggering graph as SVG, which any browser shows; the reason of an edge is its tooltip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from msgspec import Struct

from triplewire.errors import LimitExceeded
from triplewire.rules.analysis import Analysis
from triplewire.rules.drawing.layers import layers

MOST_EDGES = 20_000

_LETTER = 8
_HEIGHT = 30
_GAP = 30
_LAYER = 90
_MARGIN = 40
_INK, _ALARM = "#264653", "#d1495b"
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<style>text{{font:13px monospace;fill:{ink}}}path{{fill:none}}</style>
<defs>{markers}</defs>
<rect width="100%" height="100%" fill="white"/>"""
_MARKER = (
    '<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0L8 4L0 8Z" style="fill:{colour}"/></marker>'
)


class Box(Struct, frozen=True):
    """Where a rule's name stands."""

    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def as_svg(analysis: Analysis) -> str:
    """The picture. More edges than anybody can follow are refused."""
    edges = analysis.graph.edges()
    if len(edges) > MOST_EDGES:
        raise LimitExceeded(
            "edges",
            MOST_EDGES,
            wanted=f"at most {MOST_EDGES:,} edges to draw",
            found=f"{len(edges):,}",
            hint="write DOT instead",
        )
    boxes = _placed(analysis)
    width = max((box.x + box.width for box in boxes.values()), default=0) + _MARGIN
    height = max((box.y for box in boxes.values()), default=0) + _HEIGHT + _MARGIN
    markers = _MARKER.format(name="ink", colour=_INK) + _MARKER.format(name="alarm", colour=_ALARM)
    head = _HEAD.format(width=round(width), height=round(height), ink=_INK, markers=markers)
    return "\n".join([head, *_arrows(analysis, edges, boxes), *_names(analysis, boxes), "</svg>", ""])


def _placed(analysis: Analysis) -> Mapping[int, Box]:
    rows = layers(analysis.graph)
    widths = [len(rule.id) * _LETTER + 20 for rule in analysis.rules]
    totals = [sum(widths[rule] + _GAP for rule in row) - _GAP for row in rows]
    boxes: dict[int, Box] = {}
    for number, (row, total) in enumerate(zip(rows, totals, strict=True)):
        x = _MARGIN + (max(totals) - total) / 2
        for rule in row:
            boxes[rule] = Box(x, _MARGIN + number * _LAYER, widths[rule])
            x += widths[rule] + _GAP
    return boxes


def _arrows(analysis: Analysis, edges: list[tuple[int, int]], boxes: Mapping[int, Box]) -> Iterator[str]:
    graph, rules = analysis.graph, analysis.rules
    for first, second in edges:
        name, colour = ("alarm", _ALARM) if graph.on_cycle(first, second) else ("ink", _INK)
        trigger = analysis.may_trigger(rules[first].id, rules[second].id)
        assert trigger is not None, "an edge of the graph has a reason"
        yield (
            f'<path d="{_curve(boxes[first], boxes[second])}" stroke="{colour}" marker-end="url(#{name})">'
            f"<title>{escape(trigger.reason)}</title></path>"
        )


def _curve(start: Box, end: Box) -> str:
    if start == end:
        x, y = start.x + start.width, start.y
        return f"M{x} {y + 8}C{x + 28} {y},{x + 28} {y + _HEIGHT},{x} {y + _HEIGHT - 8}"
    if start.y == end.y:
        y = start.y + _HEIGHT
        return f"M{start.middle} {y}C{start.middle} {y + 28},{end.middle} {y + 28},{end.middle} {y}"
    y = start.y + _HEIGHT
    return f"M{start.middle} {y}C{start.middle} {y + 30},{end.middle} {end.y - 30},{end.middle} {end.y}"


def _names(analysis: Analysis, boxes: Mapping[int, Box]) -> Iterator[str]:
    for rule, box in boxes.items():
        colour = _ALARM if analysis.graph.in_cycles >> rule & 1 else _INK
        yield (
            f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{_HEIGHT}" rx="5" fill="#f4f1ea" '
            f'stroke="{colour}"/><text x="{box.middle}" y="{box.y + 19}" text-anchor="middle">'
            f"{escape(analysis.rules[rule].id)}</text>"
        )
