"""A schedule as a tree: each transaction with the firings that it led to, in words, in DOT and as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.cli.rules import tree_drawing
from triplewire.cli.rules.tree_drawing import MOST_UNITS, DrawnUnit
from triplewire.wire.schedules import TracedSchedule, TracedUnit

__all__ = ["MOST_UNITS", "as_dot", "as_svg", "lines"]
_INDENT = "  "


def lines(schedule: TracedSchedule) -> Iterator[str]:
    """One line a unit, below its cause."""
    caused: dict[int | None, list[TracedUnit]] = {}
    for unit in schedule.units:
        caused.setdefault(unit.cause, []).append(unit)
    waiting = [(unit, 0) for unit in reversed(caused.get(None, ()))]
    while waiting:
        unit, depth = waiting.pop()
        yield f"{_INDENT * depth}{_head(unit)}: {_ending(unit)}"
        waiting += [(each, depth + 1) for each in reversed(caused.get(unit.number, ()))]


def as_dot(schedule: TracedSchedule) -> str:
    """The tree in DOT, the language of Graphviz."""
    return tree_drawing.as_dot("schedule", [*_drawn(schedule.units)])


def as_svg(schedule: TracedSchedule) -> str:
    """The tree as SVG; pointed at, a box tells how it ended. More than anybody can look at is refused."""
    return tree_drawing.as_svg([*_drawn(schedule.units)])


def _drawn(units: Iterable[TracedUnit]) -> Iterator[DrawnUnit]:
    for unit in units:
        yield DrawnUnit(
            number=unit.number,
            cause=unit.cause,
            label=unit.rule or unit.transaction,
            head=_head(unit),
            ending=_ending(unit),
            abort=unit.abort or "",
            is_transaction=unit.rule is None,
            is_undone=unit.status == "aborted",
            aborts_with_cause=unit.abort in ("MUTUAL", "PARENTCHILD"),
            aborts_cause=unit.abort in ("MUTUAL", "CHILDPARENT"),
        )


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
