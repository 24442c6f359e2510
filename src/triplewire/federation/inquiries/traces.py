"""What this super-peer knows of a transaction: units here, what has come of instances from elsewhere, where it goes on.

Our own group may know everything. Others get less: `$delta` of a unit only where their own instance has brought it, a
peer's name only if something of that peer is open to others, reasons without the terms in them, and of an instance that
led to nothing only that it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.federation.execution.state import Dispatched, ExecutionState
from triplewire.federation.execution.units import Status, Unit, super_peer_of
from triplewire.federation.inquiries.answers import MOST, shown, without_terms
from triplewire.federation.inquiries.messages import StatusName, TracedUnit, TraceFound, TraceWanted
from triplewire.federation.registration.records import rule_of
from triplewire.languages.rdftl.syntax import Abort

_STATUS: dict[Status, StatusName] = {
    Status.ACTIVE: "active",
    Status.COMMITTED: "committed",
    Status.ABORTED: "aborted",
}


def trace_here(state: ExecutionState, wanted: TraceWanted, asker: str) -> TraceFound:
    """Answer somebody, who may be we ourselves."""
    known = state.local(wanted.transaction)
    transaction = wanted.transaction if known is None else known.root
    units = _units(state, transaction, wanted.parents)
    parents = {*wanted.parents, *(unit.id for unit in units)}
    arrived = [
        one for one in state.dispatched.values() if one.parent and (one.root == transaction or one.parent in parents)
    ]
    told = units[:MOST]
    notes = [*_not_scheduled(state, told, arrived, asker)]
    if len(units) > MOST:
        notes.insert(0, f"{state.given.me} has {len(units):,} units of it, and tells of the first {MOST:,}")
    return TraceFound(
        wanted.inquiry,
        transaction if units or arrived else "",
        tuple(_told(state, unit, asker) for unit in told),
        tuple((unit.id, other) for unit in told for other in state.aborts.after(unit.id))[:MOST],
        tuple(map(shown, notes))[:MOST],
        tuple((other, unit.id) for unit in told for other in unit.sent_to)[:MOST],
    )


def _units(state: ExecutionState, transaction: str, parents: Iterable[str]) -> list[Unit]:
    """The units of a transaction here, and what has followed from any of them, or from one of `parents`.

    Who follows comes later: units are kept in the order in which they were scheduled.
    """
    before = set(parents)
    found = []
    for unit in state.units.values():
        if unit.root == transaction or unit.parent in before:
            found.append(unit)
            before.add(unit.id)
    return found


def _told(state: ExecutionState, unit: Unit, asker: str) -> TracedUnit:
    """A unit, as far as the asker may know it."""
    me = state.given.me
    parent_at = me if unit.parent is None else super_peer_of(unit.parent)
    is_ours = asker == me
    delta = unit.delta if is_ours or parent_at == asker else {}
    return TracedUnit(
        unit.id,
        unit.peer if is_ours or _is_open(state, unit) else "",
        unit.parent,
        None if unit.rule is None else unit.rule.id,
        unit.depth,
        _dependency(unit, is_local=parent_at == me),
        _STATUS[unit.status],
        shown(unit.reason if is_ours else without_terms(unit.reason)),
        unit.is_sealed,
        {component: shown(term) for component, term in delta.items()},
    )


def _is_open(state: ExecutionState, unit: Unit) -> bool:
    """Whether others may know of the peer: it does something for them, or they may read something there."""
    if unit.guard is not None:
        return True
    group = state.given.group
    return unit.peer in group and bool(state.privileges.readable(group[unit.peer]).nodes)


def _dependency(unit: Unit, *, is_local: bool) -> Abort | None:
    if unit.rule is None:
        return None
    return rule_of(unit.rule.text).abort if is_local else unit.rule.abort


def _not_scheduled(
    state: ExecutionState, units: Iterable[Unit], arrived: Iterable[Dispatched], asker: str
) -> Iterator[str]:
    me = state.given.me
    for unit in units:
        for reason in unit.not_scheduled:
            yield f"{unit.id}: {reason if asker == me else without_terms(reason)}"
    for one in arrived:
        if asker == me:
            yield from (f"{one.parent}: {one.rule}: {reason}" for reason in one.refused)
        if not one.units and not (asker == me and one.refused):
            yield f"{one.parent}: {one.rule}: its actions concern nothing at {me} that is open to others"
