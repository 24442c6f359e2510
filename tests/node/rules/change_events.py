"""The rules' repository as the events in the log tell it."""

from __future__ import annotations

from triplewire import Event
from triplewire.rdf.terms import TW
from triplewire.store import Database
from triplewire.store.tables import log
from triplewire.store.tables.log import Record

_INSERTED, _DELETED = TW["Inserted"], TW["Deleted"]


def told_in(database: Database) -> set[str]:
    """The triples that hold after everything that was inserted and deleted, from the first event to the last."""
    holding: set[str] = set()
    for record in records_of_changes(database):
        [event] = Event.parse(record.nquads)
        lines = {str(triple) for triple in event.triples if triple.subject != event.graph}
        if _is_a(_INSERTED, record):
            assert not lines & holding
            holding |= lines
        else:
            assert lines <= holding
            holding -= lines
    return holding


def records_of_changes(database: Database) -> list[Record]:
    """The records of those events that tell of changes."""
    records = database.read(lambda tx: log.after(tx, 0, 1_000_000))
    return [record for record in records if _is_a(_INSERTED, record) or _is_a(_DELETED, record)]


def _is_a(kind: object, record: Record) -> bool:
    [event] = Event.parse(record.nquads)
    return any(triple.subject == event.graph and triple.object == kind for triple in event.triples)
