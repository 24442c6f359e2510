"""Events: one graph IRI and the triples in it, plus source and time.

The graph IRI is the event's identity. On the wire and at rest an event is N-Quads, UTF-8, one quad a line, sorted; two
events are equal if that text is equal. Language tags are kept in lower case, as pyoxigraph does and RDF allows; every
other term stays as it was written, `"01"^^xsd:integer` and ill-typed literals included.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from triplewire.errors import BlankGraph, EmptyEvent, EventConflict, InputError, InvalidTerm
from triplewire.rdf.documents import Document, format_for, read_document
from triplewire.rdf.formats import Format, format_named, format_of_path
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.parsing.contexts import NO_CONTEXTS, Contexts
from triplewire.rdf.parsing.event_grouping import Contents, group_by_graph
from triplewire.rdf.parsing.event_names import mint_event_iri
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.terms import NamedNode, Triple

if TYPE_CHECKING:
    import rdflib

_DEFAULT_FORMAT = "nquads"


class Event(Struct, frozen=True, eq=False):
    """A publication. Make one with `parse`, `from_triples` or `from_rdflib`: they check and sort.

    >>> [event] = Event.parse('<urn:s> <urn:p> "1" <urn:event:1> .')
    >>> event.graph.value, len(event.triples), event.nquads
    ('urn:event:1', 1, b'<urn:s> <urn:p> "1" <urn:event:1> .\\n')
    """

    graph: NamedNode
    triples: tuple[Triple, ...]
    nquads: bytes
    time: datetime
    source: str | None = None

    @classmethod
    def parse(
        cls,
        data: bytes | str | os.PathLike[str],
        format: str | None = _DEFAULT_FORMAT,  # noqa: A002  the public name
        graph: NamedNode | str | None = None,
        source: str | None = None,
        *,
        time: datetime | None = None,
        base: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        contexts: Contexts = NO_CONTEXTS,
    ) -> list[Event]:
        """Read a document into events, one for each graph, in order of first appearance.

        `data` is bytes, text or a path; `read_document` says when a string is a path. A file's suffix decides its
        format, unless another than the default is asked for. Triples of the default graph belong to `graph`, or to a
        name minted from source, time and content. Named graphs keep their names; where that is a blank node, the graph
        gets an IRI made from the document. Relative IRIs count from `base`, or else from the file's URL. `contexts` has
        the JSON-LD contexts that a document may name by address.
        """
        document = read_document(data, source=source, limits=limits)
        form = _format_of(document, format)
        quads = QuadReader(document, form, base=base, limits=limits, contexts=contexts)
        default = None if graph is None else event_name(graph)
        moment = _moment(time)
        try:
            contents = _grouped(quads, form, default, limits, document.source)
        except InputError as error:
            raise quads.blame(error) from None
        if not contents:
            raise EmptyEvent(wanted="at least one triple", found="none", source=document.source)
        return [cls._of(name, content, document.source, moment) for name, content in contents.items()]

    @classmethod
    def from_triples(
        cls,
        graph: NamedNode | str | None,
        triples: Iterable[Triple],
        *,
        source: str | None = None,
        time: datetime | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Event:
        """An event of triples at hand. Without a graph IRI it gets a minted one. Blank nodes keep their labels."""
        contents = Contents(limits, source)
        for triple in triples:
            contents.add(_checked(triple))
        if not contents.lines:
            raise EmptyEvent(wanted="at least one triple", found="none", source=source)
        return cls._of(None if graph is None else event_name(graph), contents, source, _moment(time))

    @classmethod
    def _of(cls, graph: NamedNode | None, contents: Contents, source: str | None, time: datetime) -> Event:
        lines = sorted(contents.lines)
        name = mint_event_iri(source, time, lines) if graph is None else graph
        ending = f" {name} .\n"
        nquads = "".join([line + ending for line in lines]).encode()
        contents.check_size(len(nquads))
        return cls(name, tuple([contents.lines[line] for line in lines]), nquads, time, source)

    @classmethod
    def from_rdflib(
        cls,
        g: rdflib.Graph,
        graph: NamedNode | str | None = None,
        *,
        source: str | None = None,
        time: datetime | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Event:
        """The event of an rdflib Graph, or of one graph of a Dataset: the one that `graph` names. Needs rdflib."""
        from triplewire.rdf.interop import triples_of_rdflib

        name, triples = triples_of_rdflib(g, None if graph is None else event_name(graph))
        return cls.from_triples(name, triples, source=source, time=time, limits=limits)

    def to_rdflib(self) -> rdflib.Graph:
        """The same triples as an rdflib Graph whose identifier is the event's IRI. Needs rdflib."""
        from triplewire.rdf.interop import rdflib_graph

        return rdflib_graph(self.graph, self.triples)

    def __eq__(self, other: object) -> bool:
        return self.nquads == other.nquads if isinstance(other, Event) else NotImplemented

    def __ne__(self, other: object) -> bool:
        # Struct brings its own, by identity here, so the usual fallback on __eq__ is not reached.
        return not self == other

    def __hash__(self) -> int:
        return hash(self.nquads)

    def __len__(self) -> int:
        return len(self.triples)

    def __repr__(self) -> str:
        origin = f" from {self.source}" if self.source else ""
        return f"<Event {self.graph.value} with {len(self.triples)} triples{origin}>"

    def __rich_repr__(self) -> Any:
        yield self.graph.value
        yield "triples", len(self.triples)
        yield "source", self.source, None


def event_name(graph: object) -> NamedNode:
    """The graph IRI of an event, or `InvalidTerm`."""
    if isinstance(graph, NamedNode):
        return graph
    if not isinstance(graph, str):
        raise InvalidTerm(wanted="an IRI as the name of an event", found=str(graph))
    try:
        return NamedNode(graph)
    except ValueError as error:
        raise InvalidTerm(wanted="an absolute IRI as the name of an event", found=f"{graph!r}: {error}") from None


def _grouped(
    quads: QuadReader, form: Format, default: NamedNode | None, limits: Limits, source: str | None
) -> dict[NamedNode | None, Contents]:
    try:
        return group_by_graph(quads, form, default, limits, source)
    except BlankGraph:
        # Rare, and what came before may speak of that graph: begin again, knowing that there is one.
        return group_by_graph(quads.without_blank_graphs(), form, default, limits, source)


def merge_repeats(events: Iterable[Event]) -> list[Event]:
    """Drop events that repeat an earlier one; raise `EventConflict` where a name comes with other content."""
    first: dict[NamedNode, Event] = {}
    for event in events:
        known = first.setdefault(event.graph, event)
        if known != event:
            raise _conflict(known, event)
    return list(first.values())


def _conflict(known: Event, event: Event) -> EventConflict:
    differing = len(set(known.triples) ^ set(event.triples))
    return EventConflict(
        wanted=f"one content for the event <{event.graph.value}>",
        found=f"another in {known.source or 'an earlier document'} ({differing} triples differ)",
        source=event.source,
    )


def _format_of(document: Document, name: str | None) -> Format:
    if document.path is None:
        return format_named(name or _DEFAULT_FORMAT)
    return format_of_path(document.path) if name is None else format_for(document, name, _DEFAULT_FORMAT)


def _moment(time: datetime | None) -> datetime:
    if time is None:
        return datetime.now(UTC)
    if time.tzinfo is None:
        raise InvalidTerm(wanted="a time with its time zone", found=time.isoformat())
    return time.astimezone(UTC)


def _checked(triple: object) -> Triple:
    if not isinstance(triple, Triple):
        raise InvalidTerm(wanted="a triple", found=type(triple).__name__)
    return triple
