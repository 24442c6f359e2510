"""A schedule as a tree: each transaction with the firings that it led to, in words, in DOT and as SVG.

An edge leads from a cause to what it triggered, and names the abort dependency: an arrow at an end says that this end
aborts when the other one does. What was undone is red.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from msgspec import Struct

from triplewire.errors import LimitExceeded
from triplewire.rules.drawing.parts import ALARM, INK, LAYER, Box, arrow, descent, page, rectangle, width_of
from triplewire.wire.schedules import TracedSchedule, TracedUnit

MOST_UNITS = 5_000
_INDENT = "  "
_GAP, _MARGIN = 24, 30


class Branch(Struct, frozen=True):
    """A unit, and what it has triggered."""

    unit: TracedUnit
    branches: tuple[Branch, ...]


def tree(units: Sequence[TracedUnit]) -> tuple[Branch, ...]:
    """The transactions with no cause, each with all that it led to."""
    caused: dict[int | None, list[TracedUnit]] = {}
    for unit in units:
        caused.setdefault(unit.cause, []).append(unit)
    # A unit comes after its cause.
    made: dict[int, Branch] = {}
    for unit in sorted(units, key=lambda unit: -unit.number):
        made[unit.number] = Branch(unit, tuple(made[each.number] for each in caused.get(unit.number, ())))
    return tuple(made[unit.number] for unit in caused.get(None, ()))


def lines(schedule: TracedSchedule) -> Iterator[str]:
    """One line a unit, below its cause."""
    waiting = [(branch, 0) for branch in reversed(tree(schedule.units))]
    while waiting:
        branch, depth = waiting.pop()
        yield f"{_INDENT * depth}{_head(branch.unit)}: {_ending(branch.unit)}"
        waiting += [(each, depth + 1) for each in reversed(branch.branches)]


def as_dot(schedule: TracedSchedule) -> str:
    """The tree in DOT, the language of Graphviz."""
    return "\n".join(["digraph schedule {", "  node [shape=box];", *_statements(schedule.units), "}", ""])


def as_svg(schedule: TracedSchedule) -> str:
    """The tree as SVG; pointed at, a box tells how it ended. More than anybody can look at is refused."""
    if len(schedule.units) > MOST_UNITS:
        wanted = f"at most {MOST_UNITS:,} transactions and firings to draw"
        found = f"{len(schedule.units):,}"
        raise LimitExceeded("units", MOST_UNITS, wanted=wanted, found=found, hint="write DOT instead")
    boxes = _placed(tree(schedule.units))
    return page(boxes.values(), _MARGIN, [*_edges(schedule.units, boxes), *_boxes(schedule.units, boxes)])


# Words


def _head(unit: TracedUnit) -> str:
    if unit.rule is None:
        return f"transaction {unit.transaction}"
    for_delta = unit.delta.get("delta")
    bound = "" if for_delta is None else f" for {for_delta}"
    return f"rule {unit.rule}, {unit.coupling}, {unit.abort}{bound}"


def _ending(unit: TracedUnit) -> str:
    if unit.status == "aborted":
        return f"undone: {unit.error}"
    return f"committed, {unit.inserted:,} {'triple' if unit.inserted == 1 else 'triples'} more, {unit.deleted:,} fewer"


def _label(unit: TracedUnit) -> str:
    return unit.rule or unit.transaction


def _aborts_with_cause(unit: TracedUnit) -> bool:
    return unit.abort in ("MUTUAL", "PARENTCHILD")


def _aborts_cause(unit: TracedUnit) -> bool:
    return unit.abort in ("MUTUAL", "CHILDPARENT")


# DOT


def _statements(units: Iterable[TracedUnit]) -> Iterator[str]:
    for unit in units:
        colour = " color=red" if unit.status == "aborted" else ""
        shape = " shape=ellipse" if unit.rule is None else ""
        yield f"  {unit.number} [label={_quoted(_label(unit))} tooltip={_quoted(_ending(unit))}{colour}{shape}];"
    for unit in units:
        if unit.cause is not None:
            head = "normal" if _aborts_with_cause(unit) else "none"
            tail = "normal" if _aborts_cause(unit) else "none"
            label = _quoted(unit.abort or "")
            yield f"  {unit.cause} -> {unit.number} [label={label} dir=both arrowhead={head} arrowtail={tail}];"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# SVG


def _placed(roots: Sequence[Branch]) -> Mapping[int, Box]:
    """Each branch has a column of its own, as wide as it needs; whoever leads to it stands in the middle above."""
    wide: dict[int, float] = {}
    for branch in _deepest_first(roots):
        below = sum(wide[each.unit.number] for each in branch.branches)
        wide[branch.unit.number] = max(below, width_of(_label(branch.unit)) + _GAP)
    boxes: dict[int, Box] = {}
    waiting: list[tuple[Branch, float, int]] = []
    left = float(_MARGIN)
    for root in roots:
        waiting.append((root, left, 0))
        left += wide[root.unit.number]
    while waiting:
        branch, x, depth = waiting.pop()
        width = width_of(_label(branch.unit))
        middle = x + wide[branch.unit.number] / 2
        boxes[branch.unit.number] = Box(middle - width / 2, _MARGIN + depth * LAYER, width)
        for each in branch.branches:
            waiting.append((each, x, depth + 1))
            x += wide[each.unit.number]
    return boxes


def _deepest_first(roots: Sequence[Branch]) -> list[Branch]:
    found: list[Branch] = []
    waiting = list(roots)
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].branches
    return found[::-1]


def _edges(units: Iterable[TracedUnit], boxes: Mapping[int, Box]) -> Iterator[str]:
    for unit in units:
        if unit.cause is None:
            continue
        start, end = boxes[unit.cause], boxes[unit.number]
        name, colour = arrow(unit.status == "aborted")
        marks = f' marker-end="url(#{name})"' if _aborts_with_cause(unit) else ""
        marks += f' marker-start="url(#{name})"' if _aborts_cause(unit) else ""
        yield (
            f'<path d="{descent(start, end)}" stroke="{colour}"{marks}/>'
            f'<text class="small" x="{end.middle + 4}" y="{end.y - 12}">{unit.abort}</text>'
        )


def _boxes(units: Iterable[TracedUnit], boxes: Mapping[int, Box]) -> Iterator[str]:
    for unit in units:
        box = boxes[unit.number]
        colour = ALARM if unit.status == "aborted" else INK
        title = escape(f"{_head(unit)}: {_ending(unit)}")
        drawn = rectangle(box, _label(unit), colour, corner=15 if unit.rule is None else 5)
        yield f"<g><title>{title}</title>{drawn}</g>"
