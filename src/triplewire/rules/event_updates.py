"""An event as an update: one transaction, under the event's name, that inserts its triples."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from triplewire.errors import InvalidTerm
from triplewire.languages.rdftl.syntax import Arc, ArcAction, Change, Node, Path, Resource, Update
from triplewire.rdf.events import Event
from triplewire.rdf.terms import TW, BlankNode, Literal, NamedNode, Term, Triple

_DIGITS = 32


def insertion(event: Event, triples: Iterable[Triple]) -> Update:
    """The update. A blank node becomes an IRI of its own (RDF 1.1, section 3.5): an update has no other name for it.

    >>> [event] = Event.parse("<urn:a> <urn:p> <urn:b> <urn:event:1> .")
    >>> update = insertion(event, event.triples)
    >>> update.transaction, len(update.action.arcs)
    ('urn:event:1', 1)
    """
    arcs = tuple(Arc(_path(triple.subject, event), triple.predicate, _node(triple.object, event)) for triple in triples)
    return Update(action=ArcAction(Change.INSERT, arcs), transaction=event.graph.value)


def _node(term: Term, event: Event) -> Node:
    return term if isinstance(term, Literal) else _path(term, event)


def _path(term: Term, event: Event) -> Path:
    if isinstance(term, NamedNode):
        return Path(Resource(term))
    if isinstance(term, BlankNode):
        return Path(Resource(_named(term, event)))
    raise InvalidTerm(wanted="a resource or a literal", found=str(term))


def _named(node: BlankNode, event: Event) -> NamedNode:
    digest = hashlib.sha256(f"{event.graph.value}\0{node.value}".encode()).hexdigest()
    return TW[f"node:{digest[:_DIGITS]}"]
