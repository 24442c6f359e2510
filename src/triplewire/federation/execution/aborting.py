"""Aborts (section 3.2): who aborts with whom along the abort graph, and the compensation of what was done.

A unit aborts here, and whoever its arcs lead to is told, wherever it is. What a unit has done may have been committed
long ago; it is compensated all the same, at its peer, as soon as the peer is there and between two updates. Those of
other transactions that have read what is undone abort as well, unless they commute with it.
"""

from __future__ import annotations

from triplewire.federation.execution.effects import CompensationRefused, NotCompensated, SealedStays, UnitAborted
from triplewire.federation.execution.journal import Who
from triplewire.federation.execution.lanes import Lane, Phase
from triplewire.federation.execution.messages import AbortWanted
from triplewire.federation.execution.ordering import withdraw
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import Status, Unit, super_peer_of
from triplewire.federation.sites.requests import Compensate, Refused

_NOT_AT_THE_PEER = (Phase.RULES, Phase.CONDITIONS, Phase.DEFERRED)


def abort(state: ExecutionState, target: str, reason: str, *, upward: bool = False) -> None:
    """Abort a unit, or all that came of an instance or a condition. `upward`: and everything that caused it."""
    waiting = [target]
    while waiting:
        name = waiting.pop()
        unit = state.units.get(name)
        if unit is not None:
            waiting += _abort_unit(state, unit, reason)
            if upward and unit.parent is not None:
                _abort_cause(state, unit.parent, reason)
        elif name in state.dispatched:
            come_of_it = state.dispatched[name]
            waiting += come_of_it.units
            for instance, other in come_of_it.instances:
                state.send(other, AbortWanted(instance, reason))
        elif name in state.conditions:
            state.conditions[name].fail(reason)
        elif super_peer_of(name) != state.given.me:
            state.send(super_peer_of(name), AbortWanted(name, reason))
        elif name in state.noted_at:
            # It waits for the end of a transaction.
            state.spoiled[name] = reason


def _abort_cause(state: ExecutionState, parent: str, reason: str) -> None:
    if parent in state.units:
        abort(state, parent, reason, upward=True)
    else:
        state.send(super_peer_of(parent), AbortWanted(parent, reason, upward=True))


def _abort_unit(state: ExecutionState, unit: Unit, reason: str) -> list[str]:
    """Abort one unit; returns those that abort with it. One that is sealed stays, and so does what it leads to."""
    if unit.is_aborted:
        return []
    if unit.is_sealed:
        state.emit(SealedStays(unit.id, reason))
        return []
    unit.reason = reason
    state.end(unit, Status.ABORTED)
    unit.pending.clear()
    _put_off_the_rest(state, unit)
    state.emit(UnitAborted(unit.id, reason))
    lane = state.lane_of(unit)
    _leave_lane(state, lane, unit)
    if lane.journal.abort(unit.id):
        lane.undone[unit.id] = None
    if unit.group == unit.id:
        withdraw(state, unit.id)
    readers = lane.journal.readers(unit.id, state.commute)
    for reader in readers:
        abort(state, reader.name, f"has read what {unit.id} had changed before it was compensated")
    release_waiting(state, unit)
    return list(state.aborts.after(unit.id))


def _put_off_the_rest(state: ExecutionState, unit: Unit) -> None:
    """What waits for the end of a unit that aborts, or is judged there, goes on without it."""
    waiting = [*unit.deferred]
    unit.deferred.clear()
    for judgement in [one for one in state.judgements if one.unit == unit.id]:
        state.judgements.remove(judgement)
        waiting += [state.conditions.pop(name).trigger for name in judgement.conditions if name in state.conditions]
    state.put_off += [trigger for trigger in waiting if trigger.cause != unit.id]


def _leave_lane(state: ExecutionState, lane: Lane, unit: Unit) -> None:
    if unit.id in lane.ready:
        lane.ready.remove(unit.id)
    for name in [name for name, condition in state.conditions.items() if condition.unit == unit.id]:
        del state.conditions[name]
    update = lane.update
    # What the peer was asked for it will answer, and what it did will be compensated then.
    if update is not None and update.unit == unit.id and update.phase in _NOT_AT_THE_PEER:
        lane.update = None


def release_waiting(state: ExecutionState, unit: Unit) -> None:
    """What waits for a subtransaction goes on when nothing is left to wait for."""
    other = state.local(unit.waited_for_by)
    if other is None:
        return
    other.waiting.discard(unit.id)
    if not other.waiting and other.status is Status.ACTIVE:
        state.lane_of(other).ready.appendleft(other.id)


# Compensation


def compensate(state: ExecutionState, lane: Lane) -> bool:
    """Begin to compensate what has aborted at a peer; whether there is something."""
    if not lane.undone:
        return False
    lane.compensating, lane.compensated_since = tuple(lane.undone), lane.journal.number
    edits = lane.journal.compensation(lane.compensating)
    lane.undone.clear()
    lane.ask(state.now, Compensate(edits))
    return True


def compensated(lane: Lane) -> None:
    """A compensation is done. If the peer has changed the same by itself meanwhile, it is made anew."""
    edits = lane.journal.compensation(lane.compensating)
    lane.journal.compensated(edits)
    if lane.journal.is_touched_since(lane.compensated_since, (*edits.inserted, *edits.deleted)):
        lane.undone.update(dict.fromkeys(lane.compensating))


def compensation_refused(state: ExecutionState, lane: Lane, refused: Refused) -> None:
    """What would be left does not conform: somebody has built on what is undone, and has to go with it."""
    undone = lane.compensating
    blocking = lane.journal.blocking(refused.violated, undone)
    if blocking is None:
        state.emit(CompensationRefused(lane.peer, refused.reason))
        return
    unit = state.local(blocking.name)
    if unit is None or unit.is_sealed:
        _leave(state, lane, blocking, refused)
        return
    lane.undone.update(dict.fromkeys(undone))
    abort(state, blocking.name, f"what it has built on is compensated: {refused.reason}")


def _leave(state: ExecutionState, lane: Lane, sealed: Who, refused: Refused) -> None:
    """What a sealed unit has built on stays as it is, although who has made it so has aborted.

    So does what one has built on that was decided so long ago that nobody knows it any more.
    """
    stays = lane.journal.built_on(sealed, refused.violated, lane.compensating)
    if not stays:
        state.emit(CompensationRefused(lane.peer, refused.reason))
        return
    lane.undone.update(dict.fromkeys(lane.compensating))
    lane.journal.adopt(state.now, sealed, stays)
    there = tuple(triple for triple, is_there in stays.items() if is_there)
    gone = tuple(triple for triple, is_there in stays.items() if not is_there)
    state.emit(NotCompensated(lane.peer, sealed.name, there, gone))
