"""Trees of transactions as pictures, in DOT and as SVG.

An edge leads from a cause to what it triggered, and names the abort dependency: an arrow at an end says that this end
aborts when the other one does. What was undone is red.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from msgspec import Struct

from triplewire.errors import LimitExceeded
from triplewire.rules.drawing.parts import ALARM, INK, LAYER, Box, arrow, descent, page, rectangle, width_of

MOST_UNITS = 5_000
_GAP, _MARGIN = 24, 30


class DrawnUnit(Struct, frozen=True, kw_only=True):
    """A box: what it is called, what it tells when pointed at, and who aborts with whom. A cause has a lower number."""

    number: int
    cause: int | None
    label: str
    head: str
    ending: str
    abort: str
    is_transaction: bool
    is_undone: bool
    aborts_with_cause: bool
    aborts_cause: bool


class _Branch(Struct, frozen=True):
    """A unit, and what it has triggered."""

    unit: DrawnUnit
    branches: tuple[_Branch, ...]


def as_dot(name: str, units: Sequence[DrawnUnit]) -> str:
    """The tree in DOT, the language of Graphviz."""
    return "\n".join([f"digraph {name} {{", "  node [shape=box];", *_statements(units), "}", ""])


def as_svg(units: Sequence[DrawnUnit]) -> str:
    """The tree as SVG; pointed at, a box tells how it ended. More than anybody can look at is refused."""
    if len(units) > MOST_UNITS:
        wanted = f"at most {MOST_UNITS:,} transactions and firings to draw"
        raise LimitExceeded("units", MOST_UNITS, wanted=wanted, found=f"{len(units):,}", hint="write DOT instead")
    boxes = _placed(_tree(units))
    return page(boxes.values(), _MARGIN, [*_edges(units, boxes), *_boxes(units, boxes)])


# DOT


def _statements(units: Iterable[DrawnUnit]) -> Iterator[str]:
    for unit in units:
        colour = " color=red" if unit.is_undone else ""
        shape = " shape=ellipse" if unit.is_transaction else ""
        yield f"  {unit.number} [label={_quoted(unit.label)} tooltip={_quoted(unit.ending)}{colour}{shape}];"
    for unit in units:
        if unit.cause is not None:
            head = "normal" if unit.aborts_with_cause else "none"
            tail = "normal" if unit.aborts_cause else "none"
            label = _quoted(unit.abort)
            yield f"  {unit.cause} -> {unit.number} [label={label} dir=both arrowhead={head} arrowtail={tail}];"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# SVG


def _tree(units: Sequence[DrawnUnit]) -> tuple[_Branch, ...]:
    caused: dict[int | None, list[DrawnUnit]] = {}
    for unit in units:
        caused.setdefault(unit.cause, []).append(unit)
    made: dict[int, _Branch] = {}
    for unit in sorted(units, key=lambda unit: -unit.number):
        made[unit.number] = _Branch(unit, tuple(made[each.number] for each in caused.get(unit.number, ())))
    return tuple(made[unit.number] for unit in caused.get(None, ()))


def _placed(roots: Sequence[_Branch]) -> Mapping[int, Box]:
    """Each branch has a column of its own, as wide as it needs; whoever leads to it stands in the middle above."""
    wide: dict[int, float] = {}
    for branch in _deepest_first(roots):
        below = sum(wide[each.unit.number] for each in branch.branches)
        wide[branch.unit.number] = max(below, width_of(branch.unit.label) + _GAP)
    boxes: dict[int, Box] = {}
    waiting: list[tuple[_Branch, float, int]] = []
    left = float(_MARGIN)
    for root in roots:
        waiting.append((root, left, 0))
        left += wide[root.unit.number]
    while waiting:
        branch, x, depth = waiting.pop()
        width = width_of(branch.unit.label)
        middle = x + wide[branch.unit.number] / 2
        boxes[branch.unit.number] = Box(middle - width / 2, _MARGIN + depth * LAYER, width)
        for each in branch.branches:
            waiting.append((each, x, depth + 1))
            x += wide[each.unit.number]
    return boxes


def _deepest_first(roots: Sequence[_Branch]) -> list[_Branch]:
    found: list[_Branch] = []
    waiting = list(roots)
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].branches
    return found[::-1]


def _edges(units: Iterable[DrawnUnit], boxes: Mapping[int, Box]) -> Iterator[str]:
    for unit in units:
        if unit.cause is None:
            continue
        start, end = boxes[unit.cause], boxes[unit.number]
        name, colour = arrow(unit.is_undone)
        marks = f' marker-end="url(#{name})"' if unit.aborts_with_cause else ""
        marks += f' marker-start="url(#{name})"' if unit.aborts_cause else ""
        yield (
            f'<path d="{descent(start, end)}" stroke="{colour}"{marks}/>'
            f'<text class="small" x="{end.middle + 4}" y="{end.y - 12}">{escape(unit.abort)}</text>'
        )


def _boxes(units: Iterable[DrawnUnit], boxes: Mapping[int, Box]) -> Iterator[str]:
    for unit in units:
        box = boxes[unit.number]
        colour = ALARM if unit.is_undone else INK
        title = escape(f"{unit.head}: {unit.ending}")
        drawn = rectangle(box, unit.label, colour, corner=15 if unit.is_transaction else 5)
        yield f"<g><title>{title}</title>{drawn}</g>"
