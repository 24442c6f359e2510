"""An update on a lane (section 3.2), phase by phase.

The peer executes it and reports the change. If the group's schema has grown with it, the rules that are needed now are
waited for. Rules whose event part is annotated with the peer, and that wait for such data, have their event queries
sent to the peer. The conditions of those that are triggered are evaluated wherever they are c-relevant, and what fires
is put where it belongs.
"""

from __future__ import annotations

from triplewire.federation.execution.aborting import abort, compensate, compensated, compensation_refused
from triplewire.federation.execution.conditions.deferral import finish, fired, put_off
from triplewire.federation.execution.conditions.evaluation import ConditionEvaluation
from triplewire.federation.execution.conditions.sub_queries import pursue
from triplewire.federation.execution.effects import RulesMissing, ToPeer
from triplewire.federation.execution.firing import fire
from triplewire.federation.execution.journal import Who
from triplewire.federation.execution.lanes import Lane, Phase, Update
from triplewire.federation.execution.ordering import note_read, note_write
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import Trigger, Unit
from triplewire.federation.registration.records import rule_of
from triplewire.federation.sites.requests import (
    Compensated,
    Detect,
    Detected,
    EventQuery,
    Execute,
    Executed,
    Refused,
    Reply,
    Request,
)
from triplewire.federation.sites.terms import outward_changes
from triplewire.languages.rdftl.syntax import AbortAction, Coupling
from triplewire.rules.execution.units import Work

# What comes next on a lane


def advance(state: ExecutionState, lane: Lane) -> bool:
    """Do what can be done on a lane without hearing from anybody; whether something was."""
    if lane.outstanding is not None or not lane.is_here:
        return False
    if lane.update is not None:
        return _go_on(state, lane, lane.update)
    if compensate(state, lane):
        assert lane.outstanding is not None
        state.emit(ToPeer(lane.peer, lane.outstanding))
        return True
    return bool(lane.ready) and _begin(state, lane, state.units[lane.ready.popleft()])


def has_waited_for_rules(state: ExecutionState, update: Update, now: float) -> bool:
    """Whether the rules that a change needs are here, or have been waited for long enough."""
    return not state.given.registrar.asking or update.until <= now


def replied(state: ExecutionState, lane: Lane, serial: int, reply: Reply) -> None:
    """The peer has answered what was outstanding, and has told that as this serial."""
    update = lane.update
    if update is None:
        _compensated(state, lane, reply)
        return
    unit = state.units[update.unit]
    match reply:
        case Executed():
            update.serial = serial
            _executed(state, lane, update, unit, reply)
        case Detected():
            _detected(state, lane, update, unit, reply)
        case Refused(reason):
            lane.update = None
            abort(state, unit.id, reason)
            if not unit.is_aborted:
                _end_update(state, lane, unit)
        case Compensated():
            raise AssertionError("nothing was compensated")


def _begin(state: ExecutionState, lane: Lane, unit: Unit) -> bool:
    reported = lane.reported.pop(unit.id, None)
    if reported is not None:
        reported.until = state.now + state.given.timings.growth
        lane.update = reported
        return True
    if not unit.pending:
        finish(state, unit)
        return True
    action = unit.pending.pop(0)
    if isinstance(action.action, AbortAction):
        abort(state, unit.id, f"{unit.rule.id if unit.rule else unit.id} aborts: {action.action.reason}")
        return True
    lane.update = Update(unit.id)
    lets, delta, classes = action.lets, action.delta, action.classes
    _ask(state, lane, Execute(unit.id, action.action, lets, delta, classes, unit.guard, unit.owner))
    return True


def _ask(state: ExecutionState, lane: Lane, request: Request) -> None:
    state.emit(ToPeer(lane.peer, lane.ask(state.now, request)))


def _go_on(state: ExecutionState, lane: Lane, update: Update) -> bool:
    if update.phase is Phase.RULES:
        if not has_waited_for_rules(state, update, state.now):
            return False
        if state.given.registrar.is_missing_rules:
            state.emit(RulesMissing(update.unit))
            state.units[update.unit].lacks("rules may be missing: super-peers have not answered in time")
        _detect(state, lane, update)
        return True
    if update.phase is Phase.DEFERRED:
        return False
    assert update.phase is Phase.CONDITIONS, "the peer was asked for something"
    conditions = [state.conditions[name] for name in update.conditions]
    if not all(condition.is_decided for condition in conditions):
        return False
    _fire(state, lane, update, conditions)
    return True


# Phases


def _executed(state: ExecutionState, lane: Lane, update: Update, unit: Unit, done: Executed) -> None:
    update.number = note_write(state, lane.peer, Who(unit.id, unit.root, unit.group), done)
    state.given.group.lost(lane.peer, done.index)
    state.emit(*state.given.follow_index(state.now, lane.peer, done.index))
    if unit.is_aborted:
        # It has aborted while the peer was at it.
        lane.update = None
        lane.undone[unit.id] = None
        return
    update.changes = update.net = done.changes
    unit.changed.append((update.number, done.changes))
    if not done.changes:
        _end_update(state, lane, unit)
        return
    update.phase, update.until = Phase.RULES, state.now + state.given.timings.growth


def _detect(state: ExecutionState, lane: Lane, update: Update) -> None:
    view = state.given.group.before_and_after(lane.peer)
    records = state.given.registrar.base.may_be_triggered(update.changes, view)
    if not records:
        _end_update(state, lane, state.units[update.unit])
        return
    update.phase = Phase.DETECTING
    rules = [rule_of(record.text) for record in records]
    _ask(state, lane, Detect(update.serial, tuple(EventQuery(rule.id, rule.event, rule.lets) for rule in rules)))


def _detected(state: ExecutionState, lane: Lane, update: Update, unit: Unit, found: Detected) -> None:
    if unit.is_aborted:
        lane.update = None
        return
    base = state.given.registrar.base
    update.phase = Phase.CONDITIONS
    # A rule may have been unregistered since the event query was sent.
    for name in [rule for rule in found.deltas if rule in base]:
        trigger = Trigger(state.number(), base[name], found.deltas[name], found.classes, unit.id)
        rule = rule_of(trigger.record.text)
        state.note(trigger.id, Work(rule, ()))
        note_read(state, lane.peer, Who(trigger.id, unit.root, unit.group), found.reads, of=update.number)
        if rule.coupling is Coupling.DEFERRED:
            put_off(state, unit, trigger)
            continue
        update.conditions.append(trigger.id)
        changes, until = outward_changes(update.net, lane.peer), state.now + state.given.timings.condition
        condition = ConditionEvaluation(trigger, unit.root, unit.group, lane.peer, changes, until, trigger.deltas)
        state.conditions[trigger.id] = condition
        pursue(state, condition)
    if not found.deltas:
        note_read(state, lane.peer, Who(unit.id, unit.root, unit.group), found.reads, of=update.number)


def _fire(state: ExecutionState, lane: Lane, update: Update, conditions: list[ConditionEvaluation]) -> None:
    """Everything is decided."""
    unit = state.units[update.unit]
    lane.update = None
    firings = fired(state, conditions)
    if unit.is_aborted:
        return
    fire(state, unit, [firing for _, firing in firings])
    if not unit.is_aborted:
        _end_update(state, lane, unit)


def _end_update(state: ExecutionState, lane: Lane, unit: Unit) -> None:
    lane.update = None
    if not unit.waiting:
        lane.ready.appendleft(unit.id)


def _compensated(state: ExecutionState, lane: Lane, reply: Reply) -> None:
    if isinstance(reply, Refused):
        compensation_refused(state, lane, reply)
    else:
        assert isinstance(reply, Compensated), "nothing else was asked for"
        state.given.group.lost(lane.peer, reply.index)
        state.emit(*state.given.follow_index(state.now, lane.peer, reply.index))
        compensated(lane)
    lane.compensating = ()
