"""A transaction across super-peers as a tree, and its abort graph, in words, in DOT and as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from triplewire.cli.rules import tree_drawing
from triplewire.cli.rules.tree_drawing import DrawnUnit
from triplewire.wire.network_rules import NetworkTrace, NetworkUnit

_INDENT = "  "


class Placed(Struct, frozen=True):
    """A unit, how deep it stands, and the number of the one that it stands below."""

    unit: NetworkUnit
    depth: int
    above: int | None


def placed(units: Sequence[NetworkUnit]) -> list[Placed]:
    """Each unit below its parent. One whose parent is not known, as its super-peer is silent, begins a tree itself."""
    known = {unit.id for unit in units}
    children: dict[str | None, list[NetworkUnit]] = {}
    for unit in units:
        children.setdefault(unit.parent if unit.parent in known else None, []).append(unit)
    found: list[Placed] = []
    waiting: list[Placed] = [Placed(unit, 0, None) for unit in reversed(children.get(None, ()))]
    while waiting:
        found.append(waiting.pop())
        below = children.get(found[-1].unit.id, ())
        waiting += [Placed(each, found[-1].depth + 1, len(found)) for each in reversed(below)]
    return found


def lines(trace: NetworkTrace, short: Callable[[str], str] = str) -> Iterator[str]:
    """The tree, and below it who aborts with whom, what was not scheduled, and why."""
    for each in placed(trace.units):
        yield f"{_INDENT * each.depth}{short(_head(each.unit))}: {short(_ending(each.unit))}"
    if trace.arcs:
        yield "abort graph: if the first aborts, so does the second"
        endings = {unit.id: f"{unit.id} ({_status(unit)})" for unit in trace.units}
        for arc in trace.arcs:
            yield short(f"{_INDENT}{endings.get(arc.unit, arc.unit)} -> {endings.get(arc.other, arc.other)}")
    if trace.not_scheduled:
        yield "not scheduled"
        yield from (f"{_INDENT}{short(reason)}" for reason in trace.not_scheduled)


def as_dot(trace: NetworkTrace, short: Callable[[str], str] = str) -> str:
    """The tree in DOT, the language of Graphviz."""
    return tree_drawing.as_dot("transaction", [*_drawn(trace, short)])


def as_svg(trace: NetworkTrace, short: Callable[[str], str] = str) -> str:
    """The tree as SVG. More than anybody can look at is refused."""
    return tree_drawing.as_svg([*_drawn(trace, short)])


def texts(trace: NetworkTrace) -> Iterator[str]:
    """Every text with names in it."""
    for unit in trace.units:
        yield from (_head(unit), unit.reason)
    for arc in trace.arcs:
        yield from (arc.unit, arc.other)
    yield from (*trace.not_scheduled, *trace.unanswered)


def _drawn(trace: NetworkTrace, short: Callable[[str], str]) -> Iterator[DrawnUnit]:
    arcs = {(arc.unit, arc.other) for arc in trace.arcs}
    for number, each in enumerate(placed(trace.units), start=1):
        unit = each.unit
        yield DrawnUnit(
            number=number,
            cause=each.above,
            label=short(unit.rule or unit.id),
            head=short(_head(unit)),
            ending=short(_ending(unit)),
            abort=unit.abort or "",
            is_transaction=unit.rule is None,
            is_undone=unit.status == "aborted",
            aborts_with_cause=(unit.parent, unit.id) in arcs,
            aborts_cause=(unit.id, unit.parent) in arcs,
        )


def _head(unit: NetworkUnit) -> str:
    where = unit.super_peer if unit.peer == unit.super_peer else f"{unit.peer} of {unit.super_peer}"
    if unit.rule is None:
        return f"transaction {unit.id} at {where}"
    for_delta = unit.delta.get("delta")
    bound = "" if for_delta is None else f" for {for_delta}"
    return f"rule {unit.rule}, {unit.abort}{bound}, as {unit.id} at {where}"


def _ending(unit: NetworkUnit) -> str:
    reason = f": {unit.reason}" if unit.reason else ""
    sealed = ", for good before the network heard of it" if unit.is_sealed else ""
    return f"{_status(unit)}{sealed}{reason}"


def _status(unit: NetworkUnit) -> str:
    return "undone" if unit.status == "aborted" else unit.status
