"""Steps that execute an update: plan it, note what it changed, and put what triggered rules do on the schedule."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from triplewire.errors import AbortedByRule, BudgetExceeded, DepthExceeded, InputError, TriplewireError
from triplewire.languages.rdftl.syntax import AbortAction, Coupling
from triplewire.rules.changes import Changes
from triplewire.rules.execution.aborts import abort, abort_line, compensated
from triplewire.rules.execution.actions import ActionEdits, Planner
from triplewire.rules.execution.context import Limits, Principals, Result, StepContext
from triplewire.rules.execution.dataset_updates import DatasetAction
from triplewire.rules.execution.state import Applied, Apply, Compensating, Executed, Fired, Running, State
from triplewire.rules.execution.triggering.firing import Firing, fire
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
        return ActionEdits(pending.action.plan(context.deadline.check))
    assert not isinstance(pending.action, AbortAction), "there is nothing to plan"
    planner = Planner(graph, context.rules.schema, pending.lets, pending.delta, context.limits.edits)
    return planner.plan(pending.action)


def applied(state: State, given: Applied, context: StepContext) -> Result:
    if isinstance(state.busy, Compensating):
        return compensated(state, state.busy)
    running = state.busy
    assert running is not None, "nothing was handed out"
    unit, changes = state.units[running.pending.unit], given.changes
    # What it tried to insert and found there, it has read as well.
    tried = tuple(Lookup(t.subject, t.predicate, t.object) for t in running.planned.edits.inserted)
    unit = replace(
        unit,
        writes=(*unit.writes, WriteSet(state.time, changes)),
        reads=(*unit.reads, ReadSet(state.time, (*running.lookups, *tried))),
        checks=(*unit.checks, ReadSet(state.time, given.checked)),
    )
    state = replace(state, busy=None, time=state.time + 1, units=with_units(state.units, unit))
    executed = Executed(unit.number, running.pending.action, changes)
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


def _refusal(unit: Unit, changes: Changes, context: StepContext) -> TriplewireError | None:
    """Why a rule of somebody else's may not have done this. What the author may, is asked for all of it at the end."""
    if not unit.is_foreign or unit.rule is None:
        return None
    return context.principals.refusal(context.principals.owner_of(unit.rule.id), changes.edits)


def _trigger(state: State, unit: Unit, running: Running, changes: Changes, context: StepContext) -> Result:
    firings, lookups = fire(changes, running.planned.moved, context.graph, context.rules, context.principals.disabled)
    if lookups:
        unit = replace(unit, reads=(*unit.reads, ReadSet(state.time, lookups)))
        state = replace(state, units=with_units(state.units, unit))
    if not firings:
        return state, ()
    if unit.depth >= context.limits.depth:
        return abort_line(state, unit.number, _too_deep(state.units, unit, firings[0], context.limits), context)
    ordered = context.rules.precedence.ordered(context.arrange(firings), lambda firing: firing.rule.id)
    return _schedule(state, unit, ordered, context.principals)


def _schedule(state: State, parent: Unit, firings: Sequence[Firing], principals: Principals) -> Result:
    """Put each firing's actions where its coupling says."""
    immediate: list[Pending] = []
    deferred: list[Pending] = []
    detached: list[tuple[Pending, ...]] = []
    fired: list[Fired] = []
    for firing in firings:
        unit = _unit_of(firing, parent, state.last_unit + 1 + len(fired), state.time, principals)
        fired.append(Fired(unit, firing.delta))
        actions = [Pending(unit.number, action, firing.rule.lets, firing.delta) for action in firing.rule.actions]
        match firing.rule.coupling:
            case Coupling.IMMEDIATE:
                immediate += actions
            case Coupling.DEFERRED:
                deferred += actions
            case Coupling.DETACHED:
                detached.append(tuple(actions))
    root = root_of(state.units, parent).number
    state = replace(
        state,
        last_unit=state.last_unit + len(fired),
        units=with_units(state.units, *(one.unit for one in fired)),
        stack=(*state.stack, *reversed(immediate)),
        deferred={**state.deferred, root: (*state.deferred.get(root, ()), *deferred)},
        detached=(*state.detached, *detached),
    )
    return state, tuple(fired)


def _unit_of(firing: Firing, parent: Unit, number: int, time: int, principals: Principals) -> Unit:
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
        reads=(ReadSet(time, firing.lookups),) if firing.lookups else (),
    )


def _too_deep(units: Units, unit: Unit, firing: Firing, limits: Limits) -> DepthExceeded:
    rules = [one.rule.id for one in lineage(units, unit) if one.rule is not None] + [firing.rule.id]
    last = len(rules) - 1
    # The shortest way back to the rule that would fire now.
    before = next((place for place in range(last - 1, -1, -1) if rules[place] == rules[last]), 0)
    return DepthExceeded(limits.depth, tuple(rules[before:]))
