"""Deferral: rules that wait for the end of the transaction that has triggered them, and the end itself.

Their events were noticed when they happened, and `$delta` was bound then. When a unit has done all it had to, at this
super-peer and with those that it waits for, all the rules that it and they have triggered are judged together: does the
event still stand, by what the transaction has changed at that peer and not undone again, and does the condition hold on
the state of now? Then those that fire act, in the order of their precedence, whatever has triggered them. What these
trigger waits for the next such round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triplewire.federation.execution.aborting import abort, release_waiting
from triplewire.federation.execution.conditions.evaluation import ConditionEvaluation
from triplewire.federation.execution.conditions.sub_queries import pursue
from triplewire.federation.execution.effects import ConditionFailed, UnitCommitted
from triplewire.federation.execution.firing import before_the_rest, dispatch, in_order, is_too_deep
from triplewire.federation.execution.lanes import Phase, Update
from triplewire.federation.execution.state import ExecutionState, Judgement
from triplewire.federation.execution.units import Firing, Status, Trigger, Unit, aborts_parent
from triplewire.federation.registration.records import rule_of
from triplewire.federation.sites.terms import outward_changes
from triplewire.rules.changes import Changes, NetChanges


def put_off(state: ExecutionState, unit: Unit, trigger: Trigger) -> None:
    """A unit has triggered a deferred rule."""
    top = state.units.get(unit.top, unit)
    (top if top.status is Status.ACTIVE else unit).deferred.append(trigger)


def finish(state: ExecutionState, unit: Unit) -> None:
    """Everything that a unit had to do is done: now the rules that have waited for it, then it commits."""
    triggers = [*unit.deferred]
    unit.deferred.clear()
    if _judge(state, triggers, unit.id):
        state.lane_of(unit).update = Update(unit.id, Phase.DEFERRED)
        return
    state.end(unit, Status.COMMITTED)
    state.emit(UnitCommitted(unit.id))
    release_waiting(state, unit)


def go_on(state: ExecutionState) -> bool:
    """Do what can be done about rules that have waited; whether something was."""
    put_off, state.put_off = state.put_off, []
    begun = _judge(state, put_off, None)
    decided = [one for one in state.judgements if _is_decided(state, one)]
    for judgement in decided:
        # What one of them leads to may abort the unit of another.
        if judgement in state.judgements:
            state.judgements.remove(judgement)
            _act(state, judgement)
    return begun or bool(decided)


def fired(state: ExecutionState, conditions: Iterable[ConditionEvaluation]) -> list[tuple[str, Firing]]:
    """What comes of conditions that are decided: firings, each with the unit that has triggered the rule.

    A condition that nobody could evaluate is a failure of what it would have led to.
    """
    conditions = list(conditions)
    for condition in conditions:
        del state.conditions[condition.id]
        if condition.failure is not None:
            state.emit(ConditionFailed(condition.unit, condition.record.id, condition.failure))
            state.units[condition.unit].lacks(f"{condition.record.id}: {condition.failure}")
        if not condition.firings:
            # Had it read something else, it might have fired.
            state.come_of(condition.id).units.append(condition.unit)
    for condition in conditions:
        if condition.failure is not None and aborts_parent(rule_of(condition.record.text).abort):
            abort(state, condition.unit, f"{condition.record.id}: {condition.failure}")
    return [(condition.unit, firing) for condition in conditions for firing in condition.firings]


# Private


def _judge(state: ExecutionState, triggers: Sequence[Trigger], unit: str | None) -> bool:
    """Begin to evaluate the conditions of rules that have waited; whether there are any."""
    there = [trigger for trigger in triggers if _is_there(state, trigger.cause)]
    # Where several updates made the same change, the last one is the cause.
    last = {key: trigger.id for trigger in there for key in _keys(trigger)}
    found = [_evaluation(state, trigger, last) for trigger in there]
    if not found:
        return False
    state.judgements.append(Judgement(unit, [condition.id for condition in found]))
    for condition in found:
        state.conditions[condition.id] = condition
        if condition.id in state.spoiled:
            condition.fail(state.spoiled[condition.id])
        pursue(state, condition)
    return True


def _evaluation(state: ExecutionState, trigger: Trigger, last: dict[tuple[object, ...], str]) -> ConditionEvaluation:
    cause = state.units[trigger.cause]
    deltas = zip(trigger.deltas, _keys(trigger), strict=True)
    own = Trigger(
        trigger.id,
        trigger.record,
        tuple(delta for delta, key in deltas if last[key] == trigger.id),
        trigger.classes,
        trigger.cause,
    )
    changes = outward_changes(_net_changes(state, cause), cause.peer)
    until = state.now + state.given.timings.condition
    return ConditionEvaluation(own, cause.root, cause.group, cause.peer, changes, until, None)


def _net_changes(state: ExecutionState, unit: Unit) -> Changes:
    """What a unit and those that belong to it have changed at its peer, without what is undone."""
    top = state.local(unit.top) or unit
    members = [state.units[name] for name in top.members if name in state.units]
    there = [one for one in members if one.peer == unit.peer and not one.is_aborted]
    net = NetChanges()
    for _, changes in sorted((done for one in there for done in one.changed), key=lambda done: done[0]):
        net.include(changes)
    return net.changes


def _keys(trigger: Trigger) -> list[tuple[object, ...]]:
    parts = ([*delta.items()] for delta in trigger.deltas)
    return [(trigger.record.id, *sorted((component.value, str(term)) for component, term in part)) for part in parts]


def _is_there(state: ExecutionState, unit: str) -> bool:
    cause = state.local(unit)
    return cause is not None and not cause.is_aborted


def _is_decided(state: ExecutionState, judgement: Judgement) -> bool:
    conditions = (state.conditions.get(name) for name in judgement.conditions)
    return all(condition is None or condition.is_decided for condition in conditions)


def _act(state: ExecutionState, judgement: Judgement) -> None:
    """Everything is decided. A condition is gone if what has triggered it has aborted."""
    names = judgement.conditions
    firings = fired(state, [state.conditions[name] for name in names if name in state.conditions])
    causes = {id(firing): unit for unit, firing in firings}
    children: list[Unit] = []
    for firing in in_order(state, [firing for _, firing in firings]):
        cause = state.local(causes[id(firing)])
        if cause is not None and not cause.is_aborted and not is_too_deep(state, cause, firing):
            children += dispatch(state, firing, cause)
    _then(state, state.local(judgement.unit), [child for child in children if not child.is_aborted])


def _then(state: ExecutionState, unit: Unit | None, children: list[Unit]) -> None:
    if unit is None or unit.is_aborted:
        for child in children:
            state.lane_of(child).ready.append(child.id)
        return
    state.lane_of(unit).update = None
    if children:
        before_the_rest(state, unit, children)
    else:
        state.lane_of(unit).ready.appendleft(unit.id)
