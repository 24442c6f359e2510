"""Grants: which part of an event a client may publish or read.

A triple belongs to the namespace of its predicate; `rdf:type` belongs to that of the class. So a grant turns an event
into a smaller one, and a subscription is evaluated on that: nothing outside the grant can be bound (row A15).
"""

from __future__ import annotations

from triplewire.errors import Forbidden
from triplewire.rdf.events import Event
from triplewire.rdf.terms import RDF, NamedNode, Triple
from triplewire.store.tables.identities import Client, Grant

_TYPE = RDF["type"]


def visible(event: Event, grant: Grant) -> Event | None:
    """The part of an event that the grant covers, or None if nothing is left."""
    if grant.is_everything:
        return event
    if not within(event.graph.value, grant.graphs):
        return None
    triples = [triple for triple in event.triples if covered(triple, grant)]
    if not triples:
        return None
    if len(triples) == len(event.triples):
        return event
    return Event.from_triples(event.graph, triples, source=event.source, time=event.time)


def require_publishable(event: Event, grant: Grant | None) -> None:
    """Raise `Forbidden` unless the whole event is within the grant."""
    if grant is None:
        raise Forbidden(wanted="a client that may publish", found="one that may not")
    if not within(event.graph.value, grant.graphs):
        raise Forbidden(wanted=f"an event in one of the graphs {_listed(grant.graphs)}", found=f"<{event.graph.value}>")
    if grant.namespaces is None:
        # Without a look at the triples, which nobody has read yet.
        return
    for triple in event.triples:
        if not covered(triple, grant):
            shown = f"{triple.predicate} {triple.object if triple.predicate == _TYPE else ''}"
            raise Forbidden(
                wanted=f"triples in the namespaces {_listed(grant.namespaces)}",
                found=f"{shown} in <{event.graph.value}>",
            )


def readable(client: Client) -> Grant:
    """What a client may read, or `Forbidden`."""
    if client.rights.subscribe is None:
        raise Forbidden(wanted="a client that may read", found="one that may not")
    return client.rights.subscribe


def covered(triple: Triple, grant: Grant) -> bool:
    """Whether a triple is within the namespaces of a grant."""
    if grant.namespaces is None:
        return True
    if triple.predicate != _TYPE:
        return within(triple.predicate.value, grant.namespaces)
    return isinstance(triple.object, NamedNode) and within(triple.object.value, grant.namespaces)


def within(iri: str, prefixes: tuple[str, ...] | None) -> bool:
    """Whether an IRI begins with one of the prefixes; None is every IRI."""
    return prefixes is None or iri.startswith(prefixes)


def _listed(prefixes: tuple[str, ...] | None) -> str:
    return ", ".join(f"<{prefix}>" for prefix in prefixes or ())
