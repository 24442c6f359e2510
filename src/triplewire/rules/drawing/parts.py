"""What pictures are made of: boxes with names in layers, lines between them, and the page around it all."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

from msgspec import Struct

HEIGHT, LAYER = 30, 90
INK, ALARM = "#264653", "#d1495b"
_LETTER, _ROOM = 8, 20
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<style>text{{font:13px monospace;fill:{ink}}}.small{{font-size:10px}}path{{fill:none}}</style>
<defs>{markers}</defs>
<rect width="100%" height="100%" fill="white"/>"""
_MARKER = (
    '<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto-start-reverse"><path d="M0 0L8 4L0 8Z" style="fill:{colour}"/></marker>'
)


class Box(Struct, frozen=True):
    """Where a name stands."""

    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def width_of(name: str) -> int:
    """How wide a box has to be."""
    return len(name) * _LETTER + _ROOM


def rectangle(box: Box, name: str, colour: str, corner: int = 5) -> str:
    """A box with its name in it."""
    return (
        f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{HEIGHT}" rx="{corner}" fill="#f4f1ea" '
        f'stroke="{colour}"/><text x="{box.middle}" y="{box.y + 19}" text-anchor="middle">{escape(name)}</text>'
    )


def descent(start: Box, end: Box) -> str:
    """The line from the lower edge of a box to the upper edge of another."""
    y = start.y + HEIGHT
    return f"M{start.middle} {y}C{start.middle} {y + 30},{end.middle} {end.y - 30},{end.middle} {end.y}"


def arrow(is_alarm: bool) -> tuple[str, str]:
    """The name of an arrow's head, and the colour of its line."""
    return ("alarm", ALARM) if is_alarm else ("ink", INK)


def page(boxes: Iterable[Box], margin: int, lines: Iterable[str]) -> str:
    """The whole picture, as large as its boxes need."""
    placed = tuple(boxes)
    width = max((box.x + box.width for box in placed), default=0) + margin
    height = max((box.y for box in placed), default=0) + HEIGHT + margin
    markers = "".join(_MARKER.format(name=name, colour=colour) for name, colour in (arrow(False), arrow(True)))
    head = _HEAD.format(width=round(width), height=round(height), ink=INK, markers=markers)
    return "\n".join([head, *lines, "</svg>", ""])
