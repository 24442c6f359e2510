"""Steps that undo: a unit aborts, with whoever has to abort with it, and all that they did is reversed."""

from __future__ import annotations

from msgspec.structs import replace

from triplewire.errors import SchemaViolation, TriplewireError, UpdateRefused
from triplewire.rules.execution.aborting import Doomed, compensation, doomed_with, stands_in_the_way
from triplewire.rules.execution.state import Compensate, Ended, Running, State, Undoing
from triplewire.rules.execution.units import Status, lineage, with_units
from triplewire.rules.execution.world import Result, World


def refused(state: State, error: SchemaViolation, world: World) -> Result:
    busy = state.busy
    state = replace(state, busy=None)
    if isinstance(busy, Running):
        return abort(state, {busy.pending.unit: error}, world)
    assert busy is not None, "nothing was handed out"
    # What is left would not conform: somebody has built on what is undone, and has to go with it.
    other = stands_in_the_way(state.units, busy.doomed, error.triple)
    if other is None:
        raise error
    return abort(state, {**busy.doomed, other.number: error}, world)


def abort_asked(state: State, transaction: str, world: World) -> Result:
    assert state.busy is None, "an answer is awaited"
    known = [unit for unit in state.units.values() if unit.rule is None and unit.transaction == transaction]
    if not known:
        raise UpdateRefused(wanted=f"to abort the transaction {transaction!r}", found="none of that name in execution")
    return abort(state, {known[-1].number: UpdateRefused(f"transaction {transaction!r} was asked to abort")}, world)


def abort_line(state: State, number: int, error: TriplewireError, world: World) -> Result:
    """Abort a unit and everything that led to it; of a foreign one, only from where it began to be foreign."""
    line = lineage(state.units, state.units[number])
    line = [unit for unit in line if unit.is_foreign] or line
    return abort(state, dict.fromkeys((unit.number for unit in line), error), world)


def abort(state: State, doomed: Doomed, world: World) -> Result:
    everybody = doomed_with(state.units, doomed, world.commutes, world.deadline)
    edits = compensation(state.units, everybody)
    if not edits:
        return undone(state, Undoing(everybody, edits))
    return replace(state, busy=Undoing(everybody, edits)), (Compensate(edits),)


def undone(state: State, undoing: Undoing) -> Result:
    doomed = undoing.doomed
    aborted = tuple(
        replace(state.units[number], status=Status.ABORTED, error=error, done=()) for number, error in doomed.items()
    )
    detached = (tuple(p for p in group if p.unit not in doomed) for group in state.detached)
    state = replace(
        state,
        busy=None,
        time=state.time + 1,
        units=with_units(state.units, *aborted),
        stack=tuple(pending for pending in state.stack if pending.unit not in doomed),
        deferred={root: tuple(p for p in group if p.unit not in doomed) for root, group in state.deferred.items()},
        detached=tuple(group for group in detached if group),
    )
    return state, (Ended(aborted),)
