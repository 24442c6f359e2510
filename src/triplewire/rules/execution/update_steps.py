"""Steps that execute an update: plan it, note what it changed, and put what triggered rules do on the schedule."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from triplewire.errors import AbortedByRule, BudgetExceeded, DepthExceeded, InputError, TriplewireError
from triplewire.languages.rdftl.syntax import AbortAction, Coupling
from triplewire.rules.changes import Changes, NetChanges
from triplewire.rules.execution.aborts import abort, abort_line, compensated
from triplewire.rules.execution.actions import ActionEdits, Planner
from triplewire.rules.execution.context import Limits, Principals, Result, StepContext
from triplewire.rules.execution.dataset_updates import DatasetAction
from triplewire.rules.execution.state import Applied, Apply, Compensating, Executed, Fired, Running, State
from triplewire.rules.execution.triggering.deferral import judged
from triplewire.rules.execution.triggering.firing import Cause, Firing, fire
from triplewire.rules.execution.units import Pending, ReadSet, Unit, Units, WriteSet, lineage, root_of, with_units
from triplewire.rules.graphs import Graph, Lookup, RecordingGraph


def execute(state: State, pending: Pending, context: StepContext) -> Result:
    is_foreign = state.units[pending.unit].is_foreign
    if (state.executed_by_others if is_foreign else state.executed) >= context.limits.updates:
        allowed = f"a schedule may execute {context.limits.updates:,} updates, its rules' actions included"
        return abort_line(state, pending.unit, BudgetExceeded(allowed, found="more"), context)
    if isinstance(pending.action, AbortAction):
        return abort(state, {pending.unit: _on_purpose(state.units[pending.unit], pending.action)}, context)
    graph = RecordingGraph(context.graph)
    try:
        planned = _planned(pending, graph, context)
    except InputError as error:
        # It is kept for longer, and need not keep alive what was asked of the graph.
        return abort(state, {pending.unit: error.with_traceback(None)}, context)
    busy = Running(pending, planned, tuple(graph.lookups))
    if is_foreign:
        state = replace(state, executed_by_others=state.executed_by_others + 1)
    else:
        state = replace(state, executed=state.executed + 1)
    return replace(state, busy=busy), (Apply(planned.edits),)


def _on_purpose(unit: Unit, action: AbortAction) -> AbortedByRule:
    assert unit.rule is not None, "only rules abort on purpose"
    return AbortedByRule(unit.rule.id, action.reason)


def _planned(pending: Pending, graph: Graph, context: StepContext) -> ActionEdits:
    if isinstance(pending.action, DatasetAction):
        found = pending.action.plan(context.deadline.check)
        return found if isinstance(found, ActionEdits) else ActionEdits(found)
    assert not isinstance(pending.action, AbortAction), "there is nothing to plan"
    planner = Planner(graph, context.rules.schema, pending.lets, pending.delta, context.limits.edits)
    return planner.plan(pending.action)


def applied(state: State, given: Applied, context: StepContext) -> Result:
    if isinstance(state.busy, Compensating):
        return compensated(state, state.busy)
    running = state.busy
    assert running is not None, "nothing was handed out"
    unit, changes = state.units[running.pending.unit], given.changes
    tried = _tried(running, context)
    unit = replace(
        unit,
        writes=(*unit.writes, WriteSet(state.time, changes)),
        reads=(*unit.reads, ReadSet(state.time, (*running.lookups, *tried))),
        checks=(*unit.checks, ReadSet(state.time, given.checked)),
    )
    state = replace(state, busy=None, time=state.time + 1, units=with_units(state.units, unit))
    executed = Executed(unit.number, running.pending.action, running.planned, changes)
    if not changes and not changes.edits:
        return state, (executed,)
    refusal = _refusal(unit, changes, context)
    if refusal is not None:
        state, effects = abort(state, {unit.number: refusal}, context)
        return state, (executed, *effects)
    if not changes:
        return state, (executed,)
    state, effects = _trigger(state, unit, running, changes, context)
    return state, (executed, *effects)


def _tried(running: Running, context: StepContext) -> tuple[Lookup, ...]:
    """What it tried to insert and found there, it has read as well.

    Updates of a dataset are one transaction: where no rule can fire, there is nobody else who might depend on it.
    """
    if isinstance(running.pending.action, DatasetAction) and not len(context.rules):
        return ()
    return tuple(Lookup(t.subject, t.predicate, t.object) for t in running.planned.edits.inserted)


def _refusal(unit: Unit, changes: Changes, context: StepContext) -> TriplewireError | None:
    """Why a rule of somebody else's may not have done this. What the author may, is asked for all of it at the end."""
    if not unit.is_foreign or unit.rule is None:
        return None
    return context.principals.refusal(context.principals.owner_of(unit.rule.id), changes.edits)


def _trigger(state: State, unit: Unit, running: Running, changes: Changes, context: StepContext) -> Result:
    cause = Cause(unit.number, state.time, changes, running.planned.moved)
    found = fire(cause, context.graph, context.rules, context.principals.disabled)
    if found.idle:
        state = _having_read(state, unit.number, ReadSet(state.time, found.idle))
    if found.waiting:
        root = root_of(state.units, unit).number
        waiting = (*state.deferred.get(root, ()), *found.waiting)
        state = replace(state, deferred={**state.deferred, root: waiting})
    return _fired(state, found.firings, context)


def judge_deferred(state: State, number: int, context: StepContext) -> Result:
    """A transaction has come to its end: which of the deferred rules that it has triggered fire?"""
    firings, idle = judged(
        state.deferred[number], context.graph, _net_changes(state.units, number, context), state.time
    )
    for cause, read in idle:
        state = _having_read(state, cause, read)
    if _first_too_deep(state, firings, context) is None:
        state = replace(state, deferred={root: rest for root, rest in state.deferred.items() if root != number})
    return _fired(state, firings, context)


def _net_changes(units: Units, number: int, context: StepContext) -> Changes:
    """What a transaction has changed so far, without what was compensated."""
    members = [unit for unit in units.values() if unit.writes and root_of(units, unit).number == number]
    net = NetChanges()
    for write in sorted((write for unit in members for write in unit.writes), key=lambda write: write.time):
        context.deadline.check()
        net.include(write.changes)
    return net.changes


def _having_read(state: State, number: int, read: ReadSet) -> State:
    unit = state.units[number]
    return replace(state, units=with_units(state.units, replace(unit, reads=(*unit.reads, read))))


def _fired(state: State, firings: Sequence[Firing], context: StepContext) -> Result:
    if not firings:
        return state, ()
    deep = _first_too_deep(state, firings, context)
    if deep is not None:
        unit = state.units[deep.cause]
        return abort_line(state, unit.number, _too_deep(state.units, unit, deep, context.limits), context)
    ordered = context.rules.precedence.ordered(context.arrange(firings), lambda firing: firing.rule.id)
    return _schedule(state, ordered, context.principals)


def _first_too_deep(state: State, firings: Sequence[Firing], context: StepContext) -> Firing | None:
    return next((firing for firing in firings if state.units[firing.cause].depth >= context.limits.depth), None)


def _schedule(state: State, firings: Sequence[Firing], principals: Principals) -> Result:
    """Put each firing's actions where its coupling says. Of deferred rules, the time to act has come."""
    now: list[Pending] = []
    detached: list[tuple[Pending, ...]] = []
    fired: list[Fired] = []
    for firing in firings:
        unit = _unit_of(firing, state.units[firing.cause], state.last_unit + 1 + len(fired), principals)
        fired.append(Fired(unit, firing.delta))
        actions = [Pending(unit.number, action, firing.rule.lets, firing.delta) for action in firing.rule.actions]
        if firing.rule.coupling is Coupling.DETACHED:
            detached.append(tuple(actions))
        else:
            now += actions
    state = replace(
        state,
        last_unit=state.last_unit + len(fired),
        units=with_units(state.units, *(one.unit for one in fired)),
        stack=(*state.stack, *reversed(now)),
        detached=(*state.detached, *detached),
    )
    return state, tuple(fired)


def _unit_of(firing: Firing, parent: Unit, number: int, principals: Principals) -> Unit:
    binds = principals.binds(firing.rule.id, None if parent.rule is None else parent.rule.id)
    detached = firing.rule.coupling is Coupling.DETACHED
    return Unit(
        number=number,
        transaction=f"#{number}" if detached else parent.transaction,
        rule=firing.rule,
        parent=parent.number,
        depth=parent.depth + 1,
        binds_parent=binds,
        is_foreign=parent.is_foreign or not binds,
        reads=tuple(read for read in firing.reads if read.lookups),
    )


def _too_deep(units: Units, unit: Unit, firing: Firing, limits: Limits) -> DepthExceeded:
    rules = [one.rule.id for one in lineage(units, unit) if one.rule is not None] + [firing.rule.id]
    last = len(rules) - 1
    # The shortest way back to the rule that would fire now.
    before = next((place for place in range(last - 1, -1, -1) if rules[place] == rules[last]), 0)
    return DepthExceeded(limits.depth, tuple(rules[before:]))
