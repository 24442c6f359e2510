"""Changes as events, so that anyone can subscribe to what rules do.

What a transaction inserted is one event, what it deleted another. Each holds the triples themselves, and one that says
which of the two it is: `<event> a tw:Inserted` or `<event> a tw:Deleted`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from triplewire.rdf.events import Event
from triplewire.rdf.parsing.event_names import mint_event_iri
from triplewire.rdf.terms import TW, NamedNode, Triple
from triplewire.rules.changes import Changes, Triples
from triplewire.rules.vocabulary import TYPE

INSERTED = TW["Inserted"]
DELETED = TW["Deleted"]


def events_of(committed: Mapping[str, Changes], *, source: str, time: datetime) -> Iterator[Event]:
    """The events of each transaction, in order. `source` and `time` go into their names."""
    for transaction, changes in committed.items():
        for kind, triples in ((DELETED, changes.deleted), (INSERTED, changes.inserted)):
            if triples:
                yield _event(kind, triples, f"{source}#{transaction}", time)


def _event(kind: NamedNode, triples: Triples, source: str, time: datetime) -> Event:
    lines = sorted(f"{triple}" for triple in triples)
    name = mint_event_iri(source, time, [str(kind), *lines])
    return Event.from_triples(name, [Triple(name, TYPE, kind), *triples], source=source, time=time)
