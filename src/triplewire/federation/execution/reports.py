"""What a peer tells, in its order (section 3.2): answers to what it was asked, and changes that it has made by itself.

What comes early is held back, what is old is ignored. A change of the peer's own becomes a unit that is sealed: it is
committed for good. It is noted in the journal at once, since that is its place in the order of things; its events and
conditions wait for their turn on the lane.
"""

from __future__ import annotations

from triplewire.federation.execution.conditions import sub_queries
from triplewire.federation.execution.effects import ToPeer, UnitScheduled
from triplewire.federation.execution.journal import Who
from triplewire.federation.execution.lanes import Lane, Phase, Update
from triplewire.federation.execution.ordering import note_write, seal
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import Unit
from triplewire.federation.execution.update_phases import replied
from triplewire.federation.sites.requests import Forget, Matched, NumberedReply, Received, Report, Told
from triplewire.rules.changes import Changes

MOST_EARLY = 1_000
"""What is held back of one peer. It repeats what there is no room for."""


def joined(lane: Lane, next_serial: int) -> None:
    """A peer is here, and tells from this serial on: what was before, this super-peer need not have heard."""
    lane.next_serial = max(lane.next_serial, next_serial)
    lane.early = {serial: told for serial, told in lane.early.items() if serial >= lane.next_serial}


def heard(state: ExecutionState, lane: Lane, told: Told) -> None:
    """A peer has told something. Whatever is due with it is taken, in the peer's order."""
    if told.serial < lane.next_serial:
        _old(state, lane, told)
    elif told.serial == lane.next_serial or len(lane.early) < MOST_EARLY:
        lane.early[told.serial] = told
    while (due := lane.early.pop(lane.next_serial, None)) is not None:
        lane.next_serial += 1
        _take(state, lane, due)
    state.emit(ToPeer(lane.peer, Received(lane.next_serial - 1)))
    _take_matched(state, lane)


def matched(state: ExecutionState, lane: Lane, found: Matched) -> None:
    """A peer has answered a sub-query. Whatever it had done before comes first."""
    asked = state.asked.get(found.query)
    if asked is not None and asked.peer == lane.peer:
        lane.early_matched[found.query] = found
    _take_matched(state, lane)


def forget(state: ExecutionState, lane: Lane) -> None:
    """Tell a peer which changes nobody will ask for any more."""
    upto = _needed(lane) - 1
    if upto == lane.next_serial - 1:
        state.given.group.all_seen(lane.peer)
    if upto > lane.forgotten and lane.is_here:
        lane.forgotten = upto
        state.emit(ToPeer(lane.peer, Forget(upto)))


def _needed(lane: Lane) -> int:
    """The first serial whose change may still be asked for."""
    # Changes of the peer's own are looked at in their order.
    first = next((reported.serial for reported in lane.reported.values()), lane.next_serial)
    update = lane.update
    if update is not None and update.serial and update.phase in (Phase.RULES, Phase.DETECTING):
        return min(first, update.serial)
    return first


def _take_matched(state: ExecutionState, lane: Lane) -> None:
    for found in list(lane.early_matched.values()):
        if found.after < lane.next_serial:
            del lane.early_matched[found.query]
            sub_queries.matched(state, lane.peer, found)


def _old(state: ExecutionState, lane: Lane, told: Told) -> None:
    """It was taken, unless the peer has told it to another super-peer: an answer that is waited for is an answer."""
    outstanding = lane.outstanding
    if isinstance(told.what, NumberedReply) and outstanding is not None and outstanding.number == told.what.number:
        _take(state, lane, told)


def _take(state: ExecutionState, lane: Lane, told: Told) -> None:
    match told.what:
        case Report():
            _reported(state, lane, told.serial, told.what)
        case NumberedReply(number, reply):
            if lane.outstanding is not None and lane.outstanding.number == number:
                lane.outstanding = None
                replied(state, lane, told.serial, reply)


def _reported(state: ExecutionState, lane: Lane, serial: int, report: Report) -> None:
    """A change of the peer's own is a unit of one update, which is done already."""
    name = state.number()
    unit = Unit(name, name, name, None, None, 0, lane.peer, name, [], since=state.now, is_sealed=True)
    unit.author, unit.name = report.author, report.name
    state.units[name] = unit
    state.emit(UnitScheduled(name, name, None, None, lane.peer, is_sealed=True))
    seal(state, name)
    number = note_write(state, lane.peer, Who(name, name, name), report)
    update = Update(name, Phase.RULES, _events(report), net=report.changes, serial=serial, number=number)
    unit.members.append(name)
    unit.changed.append((number, report.changes))
    if update.changes:
        lane.reported[name] = update
        state.given.group.lost(lane.peer, report.index)
    state.emit(*state.given.follow_index(state.now, lane.peer, report.index))
    lane.ready.append(name)


def _events(report: Report) -> Changes:
    """All that has come and gone, also what has not stayed so: it may have triggered a rule."""
    if len(report.updates) <= 1:
        return report.updates[0].changes if report.updates else report.changes
    inserted = dict.fromkeys(triple for update in report.updates for triple in update.changes.inserted)
    deleted = dict.fromkeys(triple for update in report.updates for triple in update.changes.deleted)
    return Changes(report.changes.edits, tuple(inserted), tuple(deleted))
