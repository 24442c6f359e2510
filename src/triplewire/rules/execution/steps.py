"""One step of execution: state and input in, new state and effects out. The graph is only read.

The order of things (section 2.2): what an immediate rule does comes before the rest of the unit that triggered it; what
deferred rules do comes at the end of the transaction; a detached rule begins a transaction at the end of the schedule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from triplewire.errors import BudgetExceeded, DepthExceeded, InputError, TriplewireError, UpdateRefused
from triplewire.languages.rdftl.syntax import Coupling, Update
from triplewire.rules.changes import Changes
from triplewire.rules.execution.aborting import Doomed, compensation, doomed_with, stands_in_the_way
from triplewire.rules.execution.actions import Planner
from triplewire.rules.execution.firing import Firing, fire
from triplewire.rules.execution.rulebook import Rulebook
from triplewire.rules.execution.state import (
    AbortAsked,
    Advance,
    Applied,
    Apply,
    Compensate,
    Effect,
    Ended,
    Executed,
    Finished,
    Fired,
    Input,
    Refused,
    Running,
    State,
    Submit,
    Undoing,
)
from triplewire.rules.execution.units import (
    Commutes,
    Done,
    Pending,
    Read,
    Status,
    Unit,
    Units,
    lineage,
    none_commutes,
    root_of,
)
from triplewire.rules.graphs import Asked, Graph, Watched

Effects = tuple[Effect, ...]
Result = tuple[State, Effects]
Arrange = Callable[[Sequence[Firing]], Sequence[Firing]]


def as_registered(firings: Sequence[Firing]) -> Sequence[Firing]:
    """Of firings that no precedence relates, those of the rule that was registered first come first."""
    return firings


class Limits(Struct, frozen=True):
    """`depth`: how long a chain of rules that trigger each other may be; `updates`: how many a schedule may execute."""

    depth: int = 100
    updates: int = 100_000


class World(Struct, frozen=True):
    """What a step may ask: the graph, the rules, who commutes, in which order to take what has none, and the limits."""

    graph: Graph
    rules: Rulebook
    commutes: Commutes = none_commutes
    arrange: Arrange = as_registered
    limits: Limits = Limits()


def step(state: State, given: Input, world: World) -> Result:
    """Take one input."""
    match given:
        case Submit(updates):
            assert not state.schedule, "a state takes one schedule"
            return replace(state, schedule=updates, counts=Counter(update.transaction for update in updates)), ()
        case Advance():
            return _advance(state, world)
        case Applied(changes):
            return _applied(state, changes, world)
        case Refused(error):
            return _refused(state, error, world)
        case AbortAsked(transaction):
            return _abort_asked(state, transaction, world)


# What comes next


def _advance(state: State, world: World) -> Result:
    assert state.busy is None, "an answer is awaited"
    if state.stack:
        return _execute(replace(state, stack=state.stack[:-1]), state.stack[-1], world)
    for number, left in state.active.items():
        if left == 0:
            return _at_the_end(state, number)
    if state.position < len(state.schedule):
        return _take_update(state)
    if state.detached:
        return _begin_detached(state), ()
    return state, (Finished(),)


def _at_the_end(state: State, number: int) -> Result:
    """The rest of a transaction is done: now what was deferred, then it commits."""
    waiting = state.deferred.get(number, ())
    if waiting:
        # All actions of one firing stand next to each other and are executed together.
        unit = waiting[0].unit
        together = tuple(pending for pending in waiting if pending.unit == unit)
        rest = tuple(pending for pending in waiting if pending.unit != unit)
        return replace(state, deferred={**state.deferred, number: rest}, stack=together[::-1]), ()
    return _commit(state, number)


def _commit(state: State, number: int) -> Result:
    units = state.units
    members = [u for u in units.values() if u.status is Status.ACTIVE and root_of(units, u).number == number]
    committed = tuple(replace(unit, status=Status.COMMITTED) for unit in members)
    active = {root: left for root, left in state.active.items() if root != number}
    deferred = {root: waiting for root, waiting in state.deferred.items() if root != number}
    state = replace(state, active=active, deferred=deferred, units=_with(state.units, *committed))
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
    return replace(state, units=_with(state.units, unit), stack=(pending,)), ()


def _begin(state: State, update: Update) -> State:
    """Begin the transaction of an update; without a name, it is of that update only."""
    number = state.last_unit + 1
    unit = Unit(number=number, transaction=update.transaction or f"#{number}")
    left = state.counts[update.transaction] if update.transaction else 1
    active = {**state.active, number: left}
    return replace(state, last_unit=number, units=_with(state.units, unit), active=active)


def _named(state: State, transaction: str) -> int | None:
    """The transaction of that name that has begun and not come to its end."""
    known = (number for number in state.active if state.units[number].rule is None)
    return next((number for number in known if state.units[number].transaction == transaction), None)


def _begin_detached(state: State) -> State:
    first, *rest = state.detached
    active = {**state.active, first[0].unit: 0}
    return replace(state, detached=tuple(rest), stack=first[::-1], active=active)


# Executing an update


def _execute(state: State, pending: Pending, world: World) -> Result:
    if state.executed >= world.limits.updates:
        message = f"a schedule may execute {world.limits.updates:,} updates, its rules' actions included, found more"
        return _abort_line(state, pending.unit, BudgetExceeded(message), world)
    graph = Watched(world.graph)
    try:
        plan = Planner(graph, world.rules.schema, pending.lets, pending.delta).plan(pending.action)
    except InputError as error:
        return _abort(state, {pending.unit: error}, world)
    busy = Running(pending, plan, tuple(graph.asked))
    return replace(state, busy=busy, executed=state.executed + 1), (Apply(plan.edits),)


def _applied(state: State, changes: Changes, world: World) -> Result:
    if isinstance(state.busy, Undoing):
        return _undone(state, state.busy)
    running = state.busy
    assert running is not None, "nothing was handed out"
    unit = state.units[running.pending.unit]
    # What it tried to insert and found there, it has read as well.
    tried = tuple(Asked(t.subject, t.predicate, t.object) for t in running.plan.edits.inserted)
    unit = replace(
        unit,
        done=(*unit.done, Done(state.time, changes)),
        reads=(*unit.reads, Read(state.time, (*running.asked, *tried))),
    )
    state = replace(state, busy=None, time=state.time + 1, units=_with(state.units, unit))
    executed = Executed(unit.number, running.pending.action, changes)
    if not changes:
        return state, (executed,)
    state, effects = _trigger(state, unit, running, changes, world)
    return state, (executed, *effects)


def _trigger(state: State, unit: Unit, running: Running, changes: Changes, world: World) -> Result:
    firings, asked = fire(changes, running.plan.moved, world.graph, world.rules)
    if asked:
        unit = replace(unit, reads=(*unit.reads, Read(state.time, asked)))
        state = replace(state, units=_with(state.units, unit))
    if not firings:
        return state, ()
    if unit.depth >= world.limits.depth:
        return _abort_line(state, unit.number, _too_deep(state.units, unit, firings[0], world.limits), world)
    ordered = world.rules.precedence.ordered(world.arrange(firings), lambda firing: firing.rule.id)
    return _schedule(state, unit, ordered)


def _schedule(state: State, parent: Unit, firings: Sequence[Firing]) -> Result:
    """Put each firing's actions where its coupling says."""
    immediate: list[Pending] = []
    deferred: list[Pending] = []
    detached: list[tuple[Pending, ...]] = []
    fired: list[Fired] = []
    for firing in firings:
        unit = _unit_of(firing, parent, state.last_unit + 1 + len(fired), state.time)
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
        units=_with(state.units, *(one.unit for one in fired)),
        stack=(*state.stack, *reversed(immediate)),
        deferred={**state.deferred, root: (*state.deferred.get(root, ()), *deferred)},
        detached=(*state.detached, *detached),
    )
    return state, tuple(fired)


def _unit_of(firing: Firing, parent: Unit, number: int, time: int) -> Unit:
    detached = firing.rule.coupling is Coupling.DETACHED
    return Unit(
        number=number,
        transaction=f"#{number}" if detached else parent.transaction,
        rule=firing.rule,
        parent=parent.number,
        depth=parent.depth + 1,
        reads=(Read(time, firing.asked),) if firing.asked else (),
    )


def _too_deep(units: Units, unit: Unit, firing: Firing, limits: Limits) -> DepthExceeded:
    rules = [one.rule.id for one in lineage(units, unit) if one.rule is not None] + [firing.rule.id]
    last = len(rules) - 1
    # The shortest way back to the rule that would fire now.
    before = next((place for place in range(last - 1, -1, -1) if rules[place] == rules[last]), 0)
    return DepthExceeded(limits.depth, tuple(rules[before:]))


# Undoing


def _refused(state: State, error: TriplewireError, world: World) -> Result:
    busy = state.busy
    state = replace(state, busy=None)
    if isinstance(busy, Running):
        return _abort(state, {busy.pending.unit: error}, world)
    assert busy is not None, "nothing was handed out"
    # What is left would not conform: somebody has built on what is undone, and has to go with it.
    other = stands_in_the_way(state.units, busy.doomed)
    if other is None:
        raise error
    return _abort(state, {**busy.doomed, other.number: error}, world)


def _abort_asked(state: State, transaction: str, world: World) -> Result:
    assert state.busy is None, "an answer is awaited"
    known = [unit for unit in state.units.values() if unit.rule is None and unit.transaction == transaction]
    if not known:
        raise UpdateRefused(f"wanted to abort the transaction {transaction!r}, found none of that name in execution")
    return _abort(state, {known[-1].number: UpdateRefused(f"transaction {transaction!r} was asked to abort")}, world)


def _abort_line(state: State, number: int, error: TriplewireError, world: World) -> Result:
    """Abort a unit and everything that led to it."""
    line = lineage(state.units, state.units[number])
    return _abort(state, dict.fromkeys((unit.number for unit in line), error), world)


def _abort(state: State, doomed: Doomed, world: World) -> Result:
    everybody = doomed_with(state.units, doomed, world.commutes)
    edits = compensation(state.units, everybody)
    if not edits:
        return _undone(state, Undoing(everybody, edits))
    return replace(state, busy=Undoing(everybody, edits)), (Compensate(edits),)


def _undone(state: State, undoing: Undoing) -> Result:
    doomed = undoing.doomed
    aborted = tuple(
        replace(state.units[number], status=Status.ABORTED, error=error, done=()) for number, error in doomed.items()
    )
    detached = (tuple(p for p in group if p.unit not in doomed) for group in state.detached)
    state = replace(
        state,
        busy=None,
        time=state.time + 1,
        units=_with(state.units, *aborted),
        stack=tuple(pending for pending in state.stack if pending.unit not in doomed),
        deferred={root: tuple(p for p in group if p.unit not in doomed) for root, group in state.deferred.items()},
        detached=tuple(group for group in detached if group),
    )
    return state, (Ended(aborted),)


def _with(units: Units, *changed: Unit) -> Units:
    return {**units, **{unit.number: unit for unit in changed}}
