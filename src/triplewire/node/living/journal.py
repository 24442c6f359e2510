"""The journal: what each transaction has changed, and what every rule did in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from triplewire.rdf.terms import Quad, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.execution import ScheduleOutcome, Status, TraceEntry
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph, rule_records, traces
from triplewire.store.tables.living_graph import Authorship, QuadLines
from triplewire.store.tables.rule_records import FiredUnit, FiringRecord
from triplewire.wire.schedules import TracedSchedule, TracedUnit


class FiringEntry(Struct, frozen=True, kw_only=True):
    """A firing as it stands in the journal; triples are lines of N-Triples."""

    transaction: str
    cause: str
    depth: int
    delta: dict[str, str]
    status: str
    error: str | None
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]


def record(tx: Connection, time: float, outcome: ScheduleOutcome, author: str | None = None) -> int:
    """Write what came of an author's schedule, and give back its position in the journal."""
    authorship = Authorship(author, _name(outcome), _units(outcome))
    position = record_changes(tx, time, outcome.changes, authorship)
    rule_records.note_firings(tx, position, _fired(outcome))
    traces.put(tx, position, _traces(outcome))
    return position


def record_changes(tx: Connection, time: float, changes: Changes, authorship: Authorship) -> int:
    """Write changes, of a schedule or not, and give back their position."""
    edits, named = changes.edits, changes.edits.named
    added, removed = _lines(named.inserted), _lines(named.deleted)
    holding = QuadLines(_lines(changes.inserted) + added, _lines(changes.deleted) + removed)
    asserted = QuadLines(_lines(edits.inserted) + added, _lines(edits.deleted) + removed)
    return living_graph.record(tx, time, holding, asserted, authorship).position


def firings(tx: Connection, rule: str, after: int, limit: int) -> list[tuple[FiringRecord, FiringEntry]]:
    """What a rule has done, oldest first, from the firing that follows a number."""
    found = rule_records.firings(tx, rule, after, limit)
    return [(record, msgspec.json.decode(record.entry, type=FiringEntry)) for record in found]


def trace(tx: Connection, position: int) -> TracedSchedule | None:
    """How the schedule at a position went; None if none is kept."""
    [*found] = living_graph.after(tx, position - 1, 1)
    if not found or found[0].position != position:
        return None
    kept = (unit for each in traces.of(tx, position) for unit in msgspec.json.decode(each, type=list[TracedUnit]))
    return TracedSchedule(position, found[0].time, tuple(sorted(kept, key=lambda unit: unit.number)))


def trace_of(tx: Connection, transaction: str) -> TracedSchedule | None:
    """How the last schedule with a transaction of that name went."""
    position = traces.latest(tx, transaction)
    return None if position is None else trace(tx, position)


def forget(tx: Connection, position: int) -> None:
    """Drop the journal up to a position; the living graph stays."""
    living_graph.forget(tx, position)
    rule_records.forget_firings(tx, position)
    traces.forget(tx, position)


def delta_by_component(entry: TraceEntry) -> dict[str, str]:
    """`$delta` by its components; the whole is `delta`."""
    return {component.value or "delta": str(term) for component, term in (entry.delta or {}).items()}


def _traces(outcome: ScheduleOutcome) -> dict[str, bytes]:
    units: dict[str, list[TracedUnit]] = {}
    for entry in outcome.entries:
        units.setdefault(entry.transaction, []).append(_traced(entry))
    return {transaction: msgspec.json.encode(several) for transaction, several in units.items()}


def _traced(entry: TraceEntry) -> TracedUnit:
    return TracedUnit(
        number=entry.number,
        transaction=entry.transaction,
        rule=entry.rule,
        cause=entry.cause,
        depth=entry.depth,
        coupling=None if entry.coupling is None else entry.coupling.value,
        abort=None if entry.abort is None else entry.abort.value,
        delta=delta_by_component(entry),
        status="aborted" if entry.status is Status.ABORTED else "committed",
        error=None if entry.error is None else str(entry.error),
        inserted=sum(len(action.changes.inserted) for action in entry.actions),
        deleted=sum(len(action.changes.deleted) for action in entry.actions),
    )


def _name(outcome: ScheduleOutcome) -> str | None:
    """The name of the update, if it is one."""
    names = {entry.transaction for entry in outcome.entries if entry.cause is None}
    return names.pop() if len(names) == 1 else None


def _units(outcome: ScheduleOutcome) -> dict[str, int]:
    """The unit that has inserted a quad last, where it may have been a firing."""
    if all(entry.rule is None for entry in outcome.entries):
        return {}
    committed = [entry for entry in outcome.entries if entry.status is Status.COMMITTED]
    executed = [(action, entry) for entry in committed for action in entry.actions]
    found: dict[str, int] = {}
    for action, entry in sorted(executed, key=lambda each: each[0].order):
        edits, unit = action.changes.edits, 0 if entry.rule is None else entry.number
        found.update(dict.fromkeys(_lines((*edits.inserted, *edits.named.inserted)), unit))
    return found


def _fired(outcome: ScheduleOutcome) -> Iterator[FiredUnit]:
    names = {entry.number: entry.rule or entry.transaction for entry in outcome.entries}
    for entry in outcome.entries:
        if entry.rule is not None and entry.cause is not None:
            said = msgspec.json.encode(_firing_entry(entry, names[entry.cause]))
            yield FiredUnit(entry.rule, entry.number, entry.cause, said)


def _firing_entry(entry: TraceEntry, cause: str) -> FiringEntry:
    done = [action.changes for action in entry.actions]
    return FiringEntry(
        transaction=entry.transaction,
        cause=cause,
        depth=entry.depth,
        delta=delta_by_component(entry),
        status=entry.status.value,
        error=None if entry.error is None else str(entry.error),
        inserted=tuple(str(triple) for one in done for triple in one.inserted),
        deleted=tuple(str(triple) for one in done for triple in one.deleted),
    )


def _lines(statements: Iterable[Triple | Quad]) -> list[str]:
    return [str(statement) for statement in statements]
