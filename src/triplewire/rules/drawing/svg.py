"""The triggering graph as SVG, which any browser shows; the reason of an edge is its tooltip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from triplewire.errors import LimitExceeded
from triplewire.rules.analysis import Analysis
from triplewire.rules.drawing.layers import layers
from triplewire.rules.drawing.parts import ALARM, HEIGHT, INK, LAYER, Box, arrow, descent, page, rectangle, width_of

MOST_EDGES = 20_000

_GAP = 30
_MARGIN = 40


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
    return page(boxes.values(), _MARGIN, [*_arrows(analysis, edges, boxes), *_names(analysis, boxes)])


def _placed(analysis: Analysis) -> Mapping[int, Box]:
    rows = layers(analysis.graph)
    widths = [width_of(rule.id) for rule in analysis.rules]
    totals = [sum(widths[rule] + _GAP for rule in row) - _GAP for row in rows]
    boxes: dict[int, Box] = {}
    for number, (row, total) in enumerate(zip(rows, totals, strict=True)):
        x = _MARGIN + (max(totals) - total) / 2
        for rule in row:
            boxes[rule] = Box(x, _MARGIN + number * LAYER, widths[rule])
            x += widths[rule] + _GAP
    return boxes


def _arrows(analysis: Analysis, edges: list[tuple[int, int]], boxes: Mapping[int, Box]) -> Iterator[str]:
    graph, rules = analysis.graph, analysis.rules
    for first, second in edges:
        name, colour = arrow(graph.on_cycle(first, second))
        trigger = analysis.may_trigger(rules[first].id, rules[second].id)
        assert trigger is not None, "an edge of the graph has a reason"
        yield (
            f'<path d="{_curve(boxes[first], boxes[second])}" stroke="{colour}" marker-end="url(#{name})">'
            f"<title>{escape(trigger.reason)}</title></path>"
        )


def _curve(start: Box, end: Box) -> str:
    if start == end:
        x, y = start.x + start.width, start.y
        return f"M{x} {y + 8}C{x + 28} {y},{x + 28} {y + HEIGHT},{x} {y + HEIGHT - 8}"
    if start.y == end.y:
        y = start.y + HEIGHT
        return f"M{start.middle} {y}C{start.middle} {y + 28},{end.middle} {y + 28},{end.middle} {y}"
    return descent(start, end)


def _names(analysis: Analysis, boxes: Mapping[int, Box]) -> Iterator[str]:
    for rule, box in boxes.items():
        colour = ALARM if analysis.graph.in_cycles >> rule & 1 else INK
        yield rectangle(box, analysis.rules[rule].id, colour)
