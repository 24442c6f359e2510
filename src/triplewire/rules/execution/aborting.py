"""Aborting (section 2.3): who has to be undone with a unit, and the edits that undo them.

Between what triggered a rule and what the rule did, the rule's abort dependency decides. Any other unit that has read
what is undone is undone too, unless the two commute. To be checked against the schema is to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.errors import Cascaded, TriplewireError
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Edits
from triplewire.rules.execution.deadline import Deadline
from triplewire.rules.execution.units import Commutes, Done, Status, Unit, Units, Work, lineage

Doomed = dict[int, TriplewireError]


def doomed_with(units: Units, doomed: Doomed, commutes: Commutes, deadline: Deadline) -> Doomed:
    """The units that have to abort, given some that have to, each with the reason."""
    found: Doomed = {}
    waiting = list(doomed.items())
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


def compensation(units: Units, doomed: Iterable[int]) -> Edits:
    """What reverses all that the units did, in reverse order; of several edits of one triple the last one decides."""
    done = sorted((done for number in doomed for done in units[number].done), key=lambda done: -done.time)
    asserted: dict[Triple, bool] = {}
    for edits in (one.changes.edits.reversed() for one in done):
        asserted.update(dict.fromkeys(edits.deleted, False))
        asserted.update(dict.fromkeys(edits.inserted, True))
    inserted = tuple(triple for triple, value in asserted.items() if value)
    return Edits(inserted, tuple(triple for triple, value in asserted.items() if not value))


def stands_in_the_way(units: Units, doomed: Iterable[int], violated: str) -> Unit | None:
    """The unit that is to go as well, where a triple would break the schema if only the doomed ones went.

    It is one that has inserted the triple, or was allowed to change something because the triple was not there. There
    is one, since the graph conformed before all of them; the last one goes first.
    """
    left_out = frozenset(doomed)
    others = [u for u in units.values() if u.done and u.number not in left_out and u.status is not Status.ABORTED]
    concerned = [unit for unit in others if _concerns(unit, _written_as(violated, units))]
    return max(concerned or others, key=lambda unit: unit.done[-1].time, default=None)


def _written_as(text: str, units: Units) -> Triple | None:
    """The triple among all that was changed."""
    return next((t for unit in units.values() for done in unit.done for t in _touched(done) if str(t) == text), None)


def _concerns(unit: Unit, violated: Triple | None) -> bool:
    if violated is None:
        return False
    inserted = any(violated in (*done.changes.inserted, *done.changes.edits.inserted) for done in unit.done)
    return inserted or any(asked.includes(violated) for check in unit.checks for asked in check.asked)


def _dependents(units: Units, unit: Unit) -> Iterator[Unit]:
    if unit.parent is not None and unit.dooms_parent:
        yield units[unit.parent]
    for other in units.values():
        if other.parent == unit.number and other.is_doomed_with_parent:
            yield other


def _readers(units: Units, unit: Unit, commutes: Commutes) -> Iterator[Unit]:
    if not any(done.changes.edits for done in unit.done):
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
        changed = [triple for done in unit.done if done.time < read.time for triple in _touched(done)]
        if any(asked.includes(triple) for asked in read.asked for triple in changed):
            return True
    return False


def _touched(done: Done) -> tuple[Triple, ...]:
    return (*done.changes.inserted, *done.changes.deleted)


def _work(unit: Unit) -> Work:
    return Work(unit.rule, unit.updates)


def _cascaded(reader: Unit, unit: Unit) -> Cascaded:
    return Cascaded(f"{named(reader)} has read what {named(unit)} had changed before it was compensated")


def named(unit: Unit) -> str:
    """The unit in words."""
    transaction = f"transaction {unit.transaction}"
    return transaction if unit.rule is None else f"rule {unit.rule.id} in {transaction}"
