"""Aborting (section 2.3): a unit aborts with all that have to abort with it, and all that they did is compensated.

Between what triggered a rule and what the rule did, the rule's abort dependency decides. Any other unit that has read
what is undone is undone too, unless the two commute. To be checked against the schema is to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from triplewire.errors import Cascaded, SchemaViolation, TriplewireError, UpdateRefused
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Edits, last_word
from triplewire.rules.execution.context import Result, StepContext
from triplewire.rules.execution.deadline import Deadline
from triplewire.rules.execution.state import Compensate, Compensating, Ended, Running, State
from triplewire.rules.execution.units import Aborts, Commutes, Status, Unit, Units, Work, WriteSet, lineage, with_units

# Steps


def refused(state: State, error: SchemaViolation, context: StepContext) -> Result:
    busy = state.busy
    state = replace(state, busy=None)
    if isinstance(busy, Running):
        return abort(state, {busy.pending.unit: error}, context)
    assert busy is not None, "nothing was handed out"
    # What is left would not conform: somebody has built on what is undone, and has to go with it.
    other = blocking_unit(state.units, busy.aborts, error.triple)
    if other is None:
        raise error
    return abort(state, {**busy.aborts, other.number: error}, context)


def abort_requested(state: State, transaction: str, context: StepContext) -> Result:
    assert state.busy is None, "an answer is awaited"
    known = [unit for unit in state.units.values() if unit.rule is None and unit.transaction == transaction]
    if not known:
        raise UpdateRefused(wanted=f"to abort the transaction {transaction!r}", found="none of that name in execution")
    return abort(state, {known[-1].number: UpdateRefused(f"transaction {transaction!r} was asked to abort")}, context)


def abort_line(state: State, number: int, error: TriplewireError, context: StepContext) -> Result:
    """Abort a unit and everything that led to it; of a foreign one, only from where it began to be foreign."""
    line = lineage(state.units, state.units[number])
    line = [unit for unit in line if unit.is_foreign] or line
    return abort(state, dict.fromkeys((unit.number for unit in line), error), context)


def abort(state: State, aborts: Aborts, context: StepContext) -> Result:
    together = cascading_aborts(state.units, aborts, context.commutes, context.deadline)
    edits = compensation(state.units, together)
    if not edits:
        return compensated(state, Compensating(together, edits))
    return replace(state, busy=Compensating(together, edits)), (Compensate(edits),)


def compensated(state: State, compensating: Compensating) -> Result:
    aborts = compensating.aborts
    aborted = tuple(
        replace(state.units[number], status=Status.ABORTED, error=error, writes=()) for number, error in aborts.items()
    )
    detached = (tuple(p for p in group if p.unit not in aborts) for group in state.detached)
    state = replace(
        state,
        busy=None,
        time=state.time + 1,
        units=with_units(state.units, *aborted),
        stack=tuple(pending for pending in state.stack if pending.unit not in aborts),
        deferred={root: tuple(t for t in group if t.cause not in aborts) for root, group in state.deferred.items()},
        detached=tuple(group for group in detached if group),
    )
    return state, (Ended(aborted),)


# Who aborts, and what reverses it


def cascading_aborts(units: Units, aborts: Aborts, commutes: Commutes, deadline: Deadline) -> Aborts:
    """The units that have to abort, given some that have to, each with the reason."""
    found: Aborts = {}
    waiting = list(aborts.items())
    while waiting:
        deadline.check()
        number, reason = waiting.pop()
        if number in found or units[number].status is Status.ABORTED:
            continue
        found[number] = reason
        unit = units[number]
        waiting += [(other.number, reason) for other in _dependents(units, unit)]
        waiting += [(other.number, _cascaded(other, unit)) for other in _readers(units, unit, commutes)]
    return found


def compensation(units: Units, aborts: Iterable[int]) -> Edits:
    """What reverses all that the units did, in reverse order; of several edits of one triple the last one decides."""
    writes = sorted((write for number in aborts for write in units[number].writes), key=lambda write: -write.time)
    return last_word(one.changes.edits.reversed() for one in writes)


def blocking_unit(units: Units, aborts: Iterable[int], violated: str) -> Unit | None:
    """The unit that has to abort as well, where a triple would break the schema if only those others did.

    It is one that has inserted the triple, or was allowed to change something because the triple was not there. There
    is one, since the graph conformed before all of them; the last one goes first.
    """
    left_out = frozenset(aborts)
    others = [u for u in units.values() if u.writes and u.number not in left_out and u.status is not Status.ABORTED]
    concerned = [unit for unit in others if _concerns(unit, _written_as(violated, units))]
    return max(concerned or others, key=lambda unit: unit.writes[-1].time, default=None)


def _written_as(text: str, units: Units) -> Triple | None:
    """The triple among all that was changed."""
    return next(
        (t for unit in units.values() for write in unit.writes for t in _touched(write) if str(t) == text), None
    )


def _concerns(unit: Unit, violated: Triple | None) -> bool:
    if violated is None:
        return False
    inserted = any(violated in (*write.changes.inserted, *write.changes.edits.inserted) for write in unit.writes)
    return inserted or any(lookup.includes(violated) for check in unit.checks for lookup in check.lookups)


def _dependents(units: Units, unit: Unit) -> Iterator[Unit]:
    if unit.parent is not None and unit.aborts_parent:
        yield units[unit.parent]
    for other in units.values():
        if other.parent == unit.number and other.aborts_with_parent:
            yield other


def _readers(units: Units, unit: Unit, commutes: Commutes) -> Iterator[Unit]:
    if not any(write.changes.edits for write in unit.writes):
        return
    family = {other.number for other in lineage(units, unit)}
    for other in units.values():
        if other.number in family or other.status is Status.ABORTED:
            continue
        if unit.number in {ancestor.number for ancestor in lineage(units, other)}:
            continue
        if _has_read_from(other, unit) and not commutes(_work(unit), _work(other)):
            yield other


def _has_read_from(reader: Unit, unit: Unit) -> bool:
    for read in (*reader.reads, *reader.checks):
        changed = [triple for write in unit.writes if write.time < read.time for triple in _touched(write)]
        if any(lookup.includes(triple) for lookup in read.lookups for triple in changed):
            return True
    return False


def _touched(write: WriteSet) -> tuple[Triple, ...]:
    return (*write.changes.inserted, *write.changes.deleted)


def _work(unit: Unit) -> Work:
    return Work(unit.rule, unit.updates)


def _cascaded(reader: Unit, unit: Unit) -> Cascaded:
    return Cascaded(f"{named(reader)} has read what {named(unit)} had changed before it was compensated")


def named(unit: Unit) -> str:
    """The unit in words."""
    transaction = f"transaction {unit.transaction}"
    return transaction if unit.rule is None else f"rule {unit.rule.id} in {transaction}"
