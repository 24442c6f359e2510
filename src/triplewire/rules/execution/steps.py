"""One step of execution: state and input in, new state and effects out. The graph is only read.

The order of things (section 2.2): what an immediate rule does comes before the rest of the unit that triggered it; what
deferred rules ask and do comes at the end of the transaction; a detached rule begins a transaction at the end of the
schedule.
"""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from triplewire.rules.execution.aborts import abort_requested, refused
from triplewire.rules.execution.context import Result, StepContext
from triplewire.rules.execution.dataset_updates import AnyUpdate
from triplewire.rules.execution.state import (
    AbortRequested,
    Advance,
    Applied,
    Ended,
    Finished,
    Input,
    Refused,
    State,
    Submit,
)
from triplewire.rules.execution.units import Pending, Status, Unit, root_of, with_units
from triplewire.rules.execution.update_steps import applied, execute, judge_deferred


def step(state: State, given: Input, context: StepContext) -> Result:
    """Take one input."""
    match given:
        case Submit(updates):
            assert not state.schedule, "a state takes one schedule"
            return replace(state, schedule=updates, counts=Counter(update.transaction for update in updates)), ()
        case Advance():
            return _advance(state, context)
        case Applied():
            return applied(state, given, context)
        case Refused(error):
            return refused(state, error, context)
        case AbortRequested(transaction):
            return abort_requested(state, transaction, context)


# What comes next


def _advance(state: State, context: StepContext) -> Result:
    assert state.busy is None, "an answer is awaited"
    if state.stack:
        return execute(replace(state, stack=state.stack[:-1]), state.stack[-1], context)
    for number, left in state.active.items():
        if left == 0:
            return _at_the_end(state, number, context)
    if state.position < len(state.schedule):
        return _take_update(state)
    if state.detached:
        return _begin_detached(state), ()
    return state, (Finished(),)


def _at_the_end(state: State, number: int, context: StepContext) -> Result:
    """The rest of a transaction is done: now its deferred rules, until none of them is left, then it commits."""
    return judge_deferred(state, number, context) if state.deferred.get(number) else _commit(state, number)


def _commit(state: State, number: int) -> Result:
    units = state.units
    members = [u for u in units.values() if u.status is Status.ACTIVE and root_of(units, u).number == number]
    committed = tuple(replace(unit, status=Status.COMMITTED) for unit in members)
    active = {root: left for root, left in state.active.items() if root != number}
    deferred = {root: waiting for root, waiting in state.deferred.items() if root != number}
    state = replace(state, active=active, deferred=deferred, units=with_units(state.units, *committed))
    if not state.active and not state.detached:
        # Nobody is left who could abort one of them or with one of them.
        state = replace(state, units={})
    return state, (Ended(committed),) if committed else ()


def _take_update(state: State) -> Result:
    update = state.schedule[state.position]
    state = replace(state, position=state.position + 1)
    number = _named(state, update.transaction)
    if number is None:
        state = _begin(state, update)
        number = state.last_unit
    unit = state.units[number]
    state = replace(state, active={**state.active, number: state.active[number] - 1})
    if unit.status is Status.ABORTED:
        return state, ()
    unit = replace(unit, updates=(*unit.updates, update))
    pending = Pending(number, update.action, update.lets)
    return replace(state, units=with_units(state.units, unit), stack=(pending,)), ()


def _begin(state: State, update: AnyUpdate) -> State:
    """Begin the transaction of an update; without a name, it is of that update only."""
    number = state.last_unit + 1
    unit = Unit(number=number, transaction=update.transaction or f"#{number}")
    left = state.counts[update.transaction] if update.transaction else 1
    active = {**state.active, number: left}
    return replace(state, last_unit=number, units=with_units(state.units, unit), active=active)


def _named(state: State, transaction: str) -> int | None:
    """The transaction of that name that has begun and not come to its end."""
    known = (number for number in state.active if state.units[number].rule is None)
    return next((number for number in known if state.units[number].transaction == transaction), None)


def _begin_detached(state: State) -> State:
    first, *rest = state.detached
    active = {**state.active, first[0].unit: 0}
    return replace(state, detached=tuple(rest), stack=first[::-1], active=active)
