"""Pages and what leads to them, as RDF in TREE's and LDES' vocabularies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from triplewire.node.http.protocols.ldes.layout import Ends, Span
from triplewire.rdf.events import Event
from triplewire.rdf.parsing.blank_nodes import Relabelling
from triplewire.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Namespace, Quad
from triplewire.store.tables.log import Record

TREE = Namespace("https://w3id.org/tree#")
LDES = Namespace("https://w3id.org/ldes#")
DCTERMS = Namespace("http://purl.org/dc/terms/")
_TYPE = RDF["type"]


class Link(Struct, frozen=True):
    """Where further members are. `since` is when the first of them came, `until` the last, if no more will come."""

    address: str
    since: float
    until: float | None = None


class Stream(Struct, frozen=True):
    """The event stream of a node.

    `age` is how many seconds events are kept; `begins` when the oldest that is left came, if others are gone.
    """

    base: str
    age: float | None = None
    begins: float | None = None

    @property
    def iri(self) -> NamedNode:
        return NamedNode(f"{self.base}/ldes#stream")

    @property
    def root(self) -> NamedNode:
        return NamedNode(f"{self.base}/ldes")

    def index(self, span: Span) -> str:
        return f"{self.base}/ldes/index/{span.number}"

    def page(self, number: int, after: int | None = None) -> str:
        return f"{self.base}/ldes/pages/{number}" + ("" if after is None else f"?after={after}")


def link(address: str, span: Span, ends: Ends, times: Mapping[int, float]) -> Link:
    """A link to a page or an index that the log holds something of."""
    first, last = span.kept(ends)
    return Link(address, times[first], times[last] if span.is_full(ends) else None)


def node(stream: Stream, address: str, links: Sequence[Link]) -> Iterator[Quad]:
    """What every document has: the stream, and where its node leads to."""
    yield Quad(stream.iri, _TYPE, LDES["EventStream"])
    yield Quad(stream.iri, LDES["timestampPath"], DCTERMS["created"])
    yield Quad(stream.iri, LDES["versionOfPath"], DCTERMS["isVersionOf"])
    yield Quad(stream.iri, TREE["view"], stream.root)
    yield Quad(NamedNode(address), _TYPE, TREE["Node"])
    for number, found in enumerate(links):
        yield from _relation(address, found, number)


def retention(stream: Stream) -> Iterator[Quad]:
    """What the view at the root promises to keep."""
    if stream.age is not None:
        policy = BlankNode("age")
        yield Quad(stream.root, LDES["retentionPolicy"], policy)
        yield Quad(policy, _TYPE, LDES["DurationAgoPolicy"])
        yield Quad(policy, TREE["path"], DCTERMS["created"])
        yield Quad(policy, TREE["value"], Literal(f"PT{stream.age:.0f}S", datatype=XSD["duration"]))
    if stream.begins is not None:
        policy = BlankNode("begins")
        yield Quad(stream.root, LDES["retentionPolicy"], policy)
        yield Quad(policy, _TYPE, LDES["PointInTimePolicy"])
        yield Quad(policy, TREE["path"], DCTERMS["created"])
        yield Quad(policy, LDES["pointInTime"], _date(stream.begins))


def members(stream: Stream, found: Sequence[tuple[Record, Event]]) -> Iterator[Quad]:
    """What is said of the events of a page; what they say themselves is in their graphs.

    An event never changes, so it is the only version of itself.
    """
    for record, event in found:
        yield Quad(stream.iri, TREE["member"], event.graph)
        yield Quad(event.graph, DCTERMS["created"], _date(record.accepted))
        yield Quad(event.graph, DCTERMS["isVersionOf"], event.graph)


def graphs(found: Sequence[tuple[Record, Event]]) -> Iterator[Quad]:
    """What the events of a page say. The blank nodes of two events are two, also under one label."""
    for record, event in found:
        own = Relabelling(f"e{record.position}")
        for triple in map(own.triple, event.triples):
            yield Quad(triple.subject, triple.predicate, triple.object, event.graph)


def _relation(address: str, found: Link, number: int) -> Iterator[Quad]:
    yield from _bound(address, found.address, "GreaterThanOrEqualToRelation", found.since, f"since{number}")
    if found.until is not None:
        yield from _bound(address, found.address, "LessThanOrEqualToRelation", found.until, f"until{number}")


def _bound(address: str, target: str, kind: str, time: float, label: str) -> Iterator[Quad]:
    relation = BlankNode(label)
    yield Quad(NamedNode(address), TREE["relation"], relation)
    yield Quad(relation, _TYPE, TREE[kind])
    yield Quad(relation, TREE["node"], NamedNode(target))
    yield Quad(relation, TREE["path"], DCTERMS["created"])
    yield Quad(relation, TREE["value"], _date(time))


def _date(seconds: float) -> Literal:
    date = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")
    return Literal(date.replace("+00:00", "Z"), datatype=XSD["dateTime"])
