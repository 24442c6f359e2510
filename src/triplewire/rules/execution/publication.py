"""Changes as events, so that anyone can subscribe to what rules do.

What a transaction inserted into a graph is one event, what it deleted another. Each holds the triples themselves, and
one that says which of the two it is: `<event> a tw:Inserted` or `<event> a tw:Deleted`; of a named graph also
`<event> tw:graph <g>`. What one event cannot hold is told in several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from triplewire.rdf.events import Event
from triplewire.rdf.limits import DEFAULT_LIMITS
from triplewire.rdf.parsing.event_names import mint_event_iri
from triplewire.rdf.terms import TW, NamedNode, Triple
from triplewire.rules.changes import Changes, Quads, Triples
from triplewire.rules.vocabulary import TYPE

INSERTED = TW["Inserted"]
DELETED = TW["Deleted"]
GRAPH = TW["graph"]
# An event has its own two triples as well; and each of its lines ends with its name.
_MOST = DEFAULT_LIMITS.quads - 2
_NAME_BYTES = 100


def events_of(committed: Mapping[str, Changes], *, source: str, time: datetime) -> Iterator[Event]:
    """The events of each transaction, in order. `source` and `time` go into their names."""
    for transaction, changes in committed.items():
        named = changes.edits.named
        for kind, triples, quads in (
            (DELETED, changes.deleted, named.deleted),
            (INSERTED, changes.inserted, named.inserted),
        ):
            for graph, told in _by_graph(triples, quads).items():
                for part in _parts(told):
                    yield _event(kind, graph, part, f"{source}#{transaction}", time)


def _by_graph(triples: Triples, quads: Quads) -> dict[NamedNode | None, list[Triple]]:
    """Triples of the default graph, which is None, and of each named one."""
    found: dict[NamedNode | None, list[Triple]] = {None: list(triples)} if triples else {}
    for quad in quads:
        assert isinstance(quad.graph_name, NamedNode)
        found.setdefault(quad.graph_name, []).append(quad.triple)
    return found


def _parts(triples: list[Triple]) -> Iterator[list[Triple]]:
    """As many events as are needed: an event has a limit of triples, and one of bytes."""
    part: list[Triple] = []
    size = 0
    for triple in triples:
        own = len(str(triple).encode()) + _NAME_BYTES if len(triples) > 1 else 0
        size += own
        if part and (len(part) >= _MOST or size > DEFAULT_LIMITS.event_bytes):
            yield part
            part, size = [], own
        part.append(triple)
    if part:
        yield part


def _event(kind: NamedNode, graph: NamedNode | None, triples: list[Triple], source: str, time: datetime) -> Event:
    place = [] if graph is None else [str(graph)]
    name = mint_event_iri(source, time, [str(kind), *place, *sorted(f"{triple}" for triple in triples)])
    about = [Triple(name, TYPE, kind), *([] if graph is None else [Triple(name, GRAPH, graph)])]
    return Event.from_triples(name, [*about, *triples], source=source, time=time)
